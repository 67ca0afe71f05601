//! `pullback check`, `eval`, `jvp`, `vjp`, `transform` and `draw`: exit codes, JSON, files.

use std::fs;
use std::path::Path;

use pullback_program::{Array, Binding, Builder, DynProgram, Limits, Literal, Operation, Operator, Shape, ValueId};
use tempfile::TempDir;

use crate::support::{folder, run, run_with, write};

/// A builder with the library at hand.
struct Sketch(Builder);

impl Sketch {
    fn new() -> Sketch {
        Sketch(Builder::new(Limits::default()))
    }

    fn input(&mut self, name: &str, shape: &[usize]) -> ValueId {
        self.0.input(name, Shape::new(shape)).expect("an input")
    }

    fn apply(&mut self, name: &str, binding: Binding, arguments: &[ValueId]) -> ValueId {
        let operator = Operator::library(name).expect("a statement of the library");
        let operation = Operation::new(operator, binding, &Limits::default()).expect("an operation");
        self.0.apply(operation, arguments).expect("an instruction")[0]
    }

    fn finish(mut self, outputs: &[(&str, ValueId)]) -> DynProgram {
        outputs.iter().for_each(|(name, value)| assert!(self.0.output(name, *value)));
        self.0.finish()
    }
}

fn dims(dims: &[&[usize]]) -> Binding {
    Binding { dims: dims.iter().map(|d| d.to_vec()).collect(), ..Binding::default() }
}

/// `mean(log(w · x + b))` over two rows, with a value that is shown as well.
fn model() -> DynProgram {
    let mut s = Sketch::new();
    let (x, w, b) = (s.input("x", &[2, 3]), s.input("layer.weight", &[3, 2]), s.input("layer.bias", &[2]));
    let y = s.apply("matmul", dims(&[&[2], &[3], &[2]]), &[x, w]);
    let y = s.apply("bias_add", dims(&[&[2], &[2]]), &[y, b]);
    let z = s.apply("log", dims(&[&[2, 2]]), &[y]);
    let loss = s.apply("mean_all", dims(&[&[2, 2]]), &[z]);
    s.finish(&[("loss", loss), ("hidden", y)])
}

/// `relu(x) · x`: an operation that declares its rule.
fn declared() -> DynProgram {
    let mut s = Sketch::new();
    let x = s.input("x", &[3]);
    let y = s.apply("relu", dims(&[&[3]]), &[x]);
    let z = s.apply("multiply", dims(&[&[3]]), &[y, x]);
    s.finish(&[("y", z)])
}

/// `c x²`, which has a value on exact numbers.
fn exact() -> DynProgram {
    let mut s = Sketch::new();
    let x = s.input("x", &[2]);
    let y = s.apply("square", dims(&[&[2]]), &[x]);
    let third = Literal::Exact(pullback_kernel::Rational::new(1.into(), 3.into()));
    let binding = Binding { constants: vec![Array::splat(Shape::new(&[2]), third)], ..dims(&[&[2]]) };
    let z = s.apply("multiply_constant", binding, &[y]);
    s.finish(&[("y", z)])
}

/// `tanh` so often.
fn long(instructions: usize) -> DynProgram {
    let mut s = Sketch::new();
    let mut x = s.input("x", &[2]);
    for _ in 0..instructions {
        x = s.apply("tanh", dims(&[&[2]]), &[x]);
    }
    s.finish(&[("y", x)])
}

/// A folder with programs and arrays for them.
pub(crate) fn programs() -> TempDir {
    let here = folder();
    let text = |program: DynProgram| program.to_json().expect("a document");
    write(here.path(), "model.json", text(model()));
    write(here.path(), "declared.json", text(declared()));
    write(here.path(), "exact.json", text(exact()));
    write(here.path(), "long.json", text(long(30)));
    write(here.path(), "huge.json", text(long(600)));
    let point =
        r#"{"layer.bias": [1, 2], "x": [[1, 0, 2], [0.5, 1, 1]], "layer.weight": {"shape": [3, 2], "data": 0.25}}"#;
    write(here.path(), "point.json", point);
    write(here.path(), "outside.json", point.replace("0.25", "-5"));
    write(here.path(), "other.json", r#"{"x": [1, 2], "bias": 0}"#);
    write(here.path(), "direction.json", point);
    write(here.path(), "seed.json", r#"{"loss": 1, "hidden": {"shape": [2, 2], "data": 0}}"#);
    write(here.path(), "exact-point.json", r#"{"x": ["1/3", 2]}"#);
    write(here.path(), "version.json", "{\"version\": 2, \"inputs\": []}");
    write(here.path(), "broken.json", "{\"version\": 1,\n \"inputs\": [}");
    let wrong = text(model()).replace("[0, [0, 1]]", "[0, [0, 2]]").replace("[1, [3, 2]]", "[1, [9, 2]]");
    write(here.path(), "wrong.json", wrong);
    here
}

fn value(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the folder")
        .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn check_says_all_to_machines() {
    let here = programs();
    let found = run(here.path(), &["check", "--json", "model.json"]);
    assert_eq!((found.code, found.stderr.as_str()), (Some(0), ""));
    let [checked] = &found.objects()[..] else { panic!("one object") };
    assert_eq!(checked["instructions"], 4);
    assert_eq!(checked["domain"][0]["condition"], "x[i..] > 0");
    assert_eq!(checked["evidence"], serde_json::json!({ "proved": true, "obstacles": [] }));
    let saved = &checked["saved"];
    let values = saved["values"].as_array().expect("values");
    let sum: u64 = values.iter().map(|value| value["bytes"].as_u64().expect("bytes")).sum();
    assert_eq!(saved["bytes"].as_u64(), Some(sum));
    assert!(saved["peak_bytes"].as_u64() >= saved["bytes"].as_u64());
    // In single precision it is half.
    let single = run(here.path(), &["check", "--json", "--scalar", "f32", "model.json"]);
    assert_eq!(single.objects()[0]["saved"]["bytes"].as_u64(), Some(sum / 2));
}

#[test]
fn a_proof_is_required_where_it_is_asked_for() {
    let here = programs();
    assert_eq!(run(here.path(), &["check", "declared.json"]).code, Some(0));
    assert_eq!(run(here.path(), &["check", "--require-proof", "declared.json"]).code, Some(1));
    assert_eq!(run(here.path(), &["check", "--require-proof", "model.json"]).code, Some(0));
    let found = run(here.path(), &["check", "--json", "--require-proof", "declared.json"]);
    assert_eq!(found.code, Some(1));
    assert_eq!(found.objects()[0]["evidence"]["obstacles"][0]["kind"], "subgradient");
}

#[test]
fn faults_are_objects_too() {
    let here = programs();
    let found = run(here.path(), &["check", "--json", "wrong.json"]);
    assert_eq!((found.code, found.stderr.as_str()), (Some(2), ""));
    let objects = found.objects();
    assert!(objects.iter().all(|o| o["error"] == "program" && o["file"] == "wrong.json"), "{objects:?}");
    assert!(objects[0]["message"].as_str().is_some_and(|m| m.starts_with("instruction 0: argument 1")), "{objects:?}");
    let broken = run(here.path(), &["check", "--json", "broken.json"]).objects();
    assert_eq!(
        (&broken[0]["error"], &broken[0]["line"], &broken[0]["code"]),
        (&"json".into(), &2.into(), &"E0501".into())
    );
}

#[test]
fn values_and_derivatives_agree() {
    let here = programs();
    let at = ["model.json", "--inputs", "point.json"];
    let get = |arguments: &[&str]| {
        let found = run(here.path(), arguments);
        assert_eq!((found.code, found.stderr.as_str()), (Some(0), ""));
        serde_json::from_str::<serde_json::Value>(&found.stdout).expect("JSON")
    };
    let number = |v: &serde_json::Value| v["data"][0].as_f64().expect("a number");
    let y = get(&[&["eval"], &at[..]].concat());
    // The rows of x·w are 3/4 and 5/8 everywhere.
    let expected = (1.75_f64.ln() + 2.75_f64.ln() + 1.625_f64.ln() + 2.625_f64.ln()) / 4.0;
    assert!((number(&y["loss"]) - expected).abs() < 1e-15, "{y}");
    assert_eq!(y["hidden"]["shape"], serde_json::json!([2, 2]));

    // ⟨u, Df v⟩ = ⟨Df* u, v⟩.
    let t = get(&[&["jvp"], &at[..], &["--tangents", "direction.json"]].concat());
    let k = get(&[&["vjp"], &at[..], &["--cotangents", "seed.json"]].concat());
    let v = serde_json::json!({"x": [1.0, 0.0, 2.0, 0.5, 1.0, 1.0], "layer.weight": vec![0.25; 6], "layer.bias": [1.0, 2.0]});
    let mut sum = 0.0;
    for (name, data) in v.as_object().expect("arrays") {
        for (k, v) in k[name]["data"].as_array().expect("data").iter().zip(data.as_array().expect("data")) {
            sum += k.as_f64().expect("a number") * v.as_f64().expect("a number");
        }
    }
    assert!((number(&t["loss"]) - sum).abs() < 1e-14, "{t} and {k}");
}

#[test]
fn exact_numbers_stay_exact() {
    let here = programs();
    let eval = |scalar: &str| {
        let found = run(here.path(), &["eval", "exact.json", "--inputs", "exact-point.json", "--scalar", scalar]);
        assert_eq!(found.code, Some(0), "{found:?}");
        found.stdout
    };
    assert_eq!(eval("rational"), "{\n  \"y\": {\"shape\": [2], \"data\": [\"1/27\", \"4/3\"]}\n}\n");
    assert_eq!(eval("f64"), "{\n  \"y\": {\"shape\": [2], \"data\": [0.037037037037037035, 1.3333333333333333]}\n}\n");
    assert_eq!(eval("f32"), "{\n  \"y\": {\"shape\": [2], \"data\": [0.03703704, 1.3333334]}\n}\n");
    let found = run(here.path(), &["eval", "model.json", "--inputs", "point.json", "--scalar", "rational"]);
    assert_eq!((found.code, found.stdout.as_str()), (Some(2), ""));
    assert!(found.stderr.contains("[E0504] model.json: instruction 2 (`log`): "), "{}", found.stderr);
}

#[test]
fn a_transformed_program_is_a_program() {
    let here = programs();
    let transform = |arguments: &[&str]| {
        let found = run(here.path(), &[&["transform"], arguments].concat());
        assert_eq!((found.code, found.stderr.as_str(), found.stdout.as_str()), (Some(0), "", ""));
    };
    transform(&["model.json", "--to", "reverse", "--with-value", "--output", "reverse.json"]);
    transform(&["reverse.json", "--to", "forward", "--output", "second.json"]);
    assert_eq!(run(here.path(), &["check", "--require-proof", "second.json"]).code, Some(0));
    // The reverse program gives what `vjp` gives.
    write(here.path(), "both.json", {
        let mut both = value(&here.path().join("point.json"));
        both["dloss"] = 1.into();
        both["dhidden"] = serde_json::json!({ "shape": [2, 2], "data": 0 });
        both.to_string()
    });
    let evaluated = run(here.path(), &["eval", "reverse.json", "--inputs", "both.json"]);
    let pulled = run(here.path(), &["vjp", "model.json", "--inputs", "point.json", "--cotangents", "seed.json"]);
    let evaluated: serde_json::Value = serde_json::from_str(&evaluated.stdout).expect("JSON");
    let pulled: serde_json::Value = serde_json::from_str(&pulled.stdout).expect("JSON");
    for name in ["x", "layer.weight", "layer.bias"] {
        assert_eq!(evaluated[format!("d{name}")], pulled[name], "{name}");
    }
    // Through a pipe, and to standard output by its name.
    let text = fs::read(here.path().join("model.json")).expect("a file");
    let piped = run_with(here.path(), &["transform", "-", "--to", "reverse", "--with-value", "--output", "-"], text);
    assert_eq!(piped.stdout, fs::read_to_string(here.path().join("reverse.json")).expect("a file"));
}

#[test]
fn pictures_are_drawn() {
    let here = programs();
    let svg = run(here.path(), &["draw", "model.json"]);
    assert_eq!(svg.code, Some(0));
    assert!(svg.stdout.starts_with("<svg xmlns=") && svg.stdout.ends_with("</svg>\n"));
    let dot = run(here.path(), &["draw", "model.json", "--format", "dot", "--output", "model.dot"]);
    assert_eq!((dot.code, dot.stdout.as_str()), (Some(0), ""));
    assert!(fs::read_to_string(here.path().join("model.dot")).expect("a file").starts_with("digraph program {"));
}

#[test]
fn nothing_is_written_where_something_fails() {
    let here = programs();
    write(here.path(), "old.json", "the old one");
    let before = names(here.path());
    for arguments in [
        &["eval", "model.json", "--inputs", "outside.json"][..],
        &["eval", "model.json", "--inputs", "other.json"],
        &["eval", "model.json"],
        &["eval", "missing.json", "--inputs", "point.json"],
        &["eval", "model.json", "--inputs", "missing.json"],
        &["eval", "wrong.json", "--inputs", "point.json"],
        &["vjp", "model.json", "--inputs", "point.json", "--cotangents", "point.json"],
        &["jvp", "model.json", "--inputs", "point.json", "--tangents", "seed.json"],
        &["transform", "broken.json", "--to", "reverse"],
        &["draw", "huge.json"],
        &["draw", "."],
    ] {
        let found = run(here.path(), &[arguments, &["--output", "old.json"]].concat());
        assert_eq!((found.code, found.stdout.as_str()), (Some(2), ""), "{arguments:?}: {found:?}");
        assert!(found.stderr.starts_with("error: [E0"), "{found:?}");
        assert_eq!(fs::read_to_string(here.path().join("old.json")).expect("a file"), "the old one");
        assert_eq!(run(here.path(), arguments).stdout, "", "{arguments:?}");
    }
    for place in ["none/result.json", ".", "missing/"] {
        let found = run(here.path(), &["draw", "model.json", "--output", place]);
        assert_eq!((found.code, found.stdout.as_str()), (Some(2), ""), "{place}: {found:?}");
        assert!(found.stderr.starts_with("error: [E0507] "), "{found:?}");
    }
    assert_eq!(names(here.path()), before);
}

#[test]
fn standard_input_is_read_once() {
    let here = programs();
    let read = |name: &str| fs::read(here.path().join(name)).expect("a file");
    let found = run_with(here.path(), &["eval", "-", "--inputs", "point.json"], read("model.json"));
    assert_eq!(found.code, Some(0));
    let found =
        run_with(here.path(), &["vjp", "model.json", "--inputs", "point.json", "--cotangents", "-"], read("seed.json"));
    assert_eq!(found.code, Some(0));
    let found = run_with(here.path(), &["eval", "-", "--inputs", "-"], read("model.json"));
    assert_eq!(found.code, Some(2));
    assert!(found.stderr.contains("standard input is named 2 times"), "{}", found.stderr);
}

#[test]
fn misuse() {
    let here = programs();
    for arguments in [
        &["check"][..],
        &["check", "model.json", "--scalar", "rational"],
        &["eval", "model.json", "--scalar", "f16"],
        &["jvp", "model.json", "--inputs", "point.json"],
        &["vjp", "model.json", "--inputs", "point.json"],
        &["transform", "model.json"],
        &["transform", "model.json", "--to", "backward"],
        &["draw", "model.json", "--format", "png"],
    ] {
        let found = run(here.path(), arguments);
        assert_eq!((found.code, found.stdout.as_str()), (Some(2), ""), "{arguments:?}");
    }
}

/// A document with a few bytes changed: a verdict or a diagnostic, and never a panic.
#[test]
fn changed_documents_end_well() {
    let here = programs();
    let text = fs::read(here.path().join("declared.json")).expect("a file");
    let mut state = 7_u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("small") % n
    };
    for _ in 0..60 {
        let mut bytes = text.clone();
        for _ in 0..=random(3) {
            let at = random(bytes.len());
            bytes[at] = b"0123456789[]{},:\"-e\x00\xff"[random(21)];
        }
        let found = run_with(here.path(), &["check", "--json", "-"], bytes.clone());
        assert!(matches!(found.code, Some(0 | 2)), "{found:?}");
        assert!(!found.stderr.contains("panicked") && !found.stdout.contains("\"internal\""), "{found:?}");
        assert!(found.objects().iter().all(|o| found.code == Some(0) || o.get("error").is_some()), "{found:?}");
        let drawn = run_with(here.path(), &["draw", "-"], bytes);
        assert_eq!(drawn.code == Some(0), drawn.stdout.ends_with("</svg>\n"), "{drawn:?}");
    }
}

/// `relu(exp(x) / exp(x))`, which is one for every x.
fn overflowing() -> DynProgram {
    let mut s = Sketch::new();
    let x = s.input("x", &[1]);
    let e = s.apply("exponential", dims(&[&[1]]), &[x]);
    let q = s.apply("divide", dims(&[&[1]]), &[e, e]);
    let y = s.apply("relu", dims(&[&[1]]), &[q]);
    s.finish(&[("y", y)])
}

#[test]
fn what_is_not_finite_is_named_and_not_hidden() {
    let here = programs();
    write(here.path(), "overflow.json", overflowing().to_json().expect("a document"));
    write(here.path(), "large.json", r#"{"x": [1000]}"#);
    write(here.path(), "small.json", r#"{"x": [10]}"#);
    write(here.path(), "one.json", r#"{"y": [1]}"#);
    let along = |verb: &str| match verb {
        "eval" => vec![],
        "jvp" => vec!["--tangents", "small.json"],
        _ => vec!["--cotangents", "one.json"],
    };
    for verb in ["eval", "jvp", "vjp"] {
        for scalar in ["f32", "f64"] {
            let given =
                |point| [vec![verb, "overflow.json", "--inputs", point, "--scalar", scalar], along(verb)].concat();
            let found = run(here.path(), &given("large.json"));
            assert_eq!(found.code, Some(2), "{found:?}");
            assert!(found.stderr.contains("instruction 0 (`exponential`): a value is not finite, at 0"), "{found:?}");
            let found = run(here.path(), &given("small.json"));
            assert_eq!((found.code, found.stderr.as_str()), (Some(0), ""), "{found:?}");
        }
    }
    // Allowed, it goes on, and is no plausible number.
    let found = run(here.path(), &["eval", "overflow.json", "--inputs", "large.json", "--nonfinite", "allow"]);
    assert_eq!(found.code, Some(2), "{found:?}");
    assert!(found.stderr.contains("is not finite"), "{found:?}");
}

#[test]
fn boundaries_are_said_or_refused() {
    let here = programs();
    write(here.path(), "kink.json", r#"{"x": [1, 0, -1]}"#);
    write(here.path(), "smooth.json", r#"{"x": [1, 2, -1]}"#);
    for scalar in ["f64", "rational"] {
        let eval = |point: &str, boundary: &str| {
            let options = ["--scalar", scalar, "--boundary", boundary];
            run(here.path(), &[&["eval", "declared.json", "--inputs", point][..], &options].concat())
        };
        let found = eval("kink.json", "say");
        assert_eq!(found.code, Some(0), "{found:?}");
        let words =
            "note: instruction 0 (`relu`): `y` is on a boundary in 1 element, at 1; the rule declares subgradient";
        assert!(found.stderr.starts_with(words), "{found:?}");
        let refused = eval("kink.json", "refuse");
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{refused:?}");
        assert!(refused.stderr.contains("is on a boundary in 1 element, at 1"), "{refused:?}");
        let smooth = eval("smooth.json", "refuse");
        assert_eq!((smooth.code, smooth.stderr.as_str()), (Some(0), ""), "{smooth:?}");
    }
}
