//! Compiler messages are part of what the library promises.
//!
//! Two tests.
//! The first compiles each file of `compile_fail/` with the compiler at hand and asserts what must hold on all of them: the code, both names, and at most 25 lines.
//! The second compares the whole text with its golden, and only on the compiler that the goldens were made with.
//! `TRYBUILD=overwrite cargo test --test messages` makes the goldens anew.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The compiler that the goldens were made with.
const GOLDEN: &str = "rustc 1.95.";

/// A longer message buries what it says.
const LONGEST: usize = 25;

/// A file of `compile_fail/`, and what its message must say.
struct Case {
    file: &'static str,
    says: &'static [&'static str],
    /// Several mistakes in one file give several messages.
    messages: usize,
}

const fn case(file: &'static str, says: &'static [&'static str]) -> Case {
    Case { file, says, messages: 1 }
}

const CASES: &[Case] = &[
    case("meets_inner_dimension", &["E0101", "Features)", "Hidden)"]),
    case("matmul_inner_dimension", &["E0101", "(Features, Classes)", "(Hidden, Classes)"]),
    case("meets_axis_name", &["E0101", "Hidden,)", "State,)"]),
    case("meets_with_parameters", &["E0101", "Hidden,)", "State,)"]),
    case("repeat_another_state", &["E0101", "(Batch, Hidden)", "(Batch, Wide)"]),
    case("parameters_of_another", &["E0101", "Tensor<(Hidden,)>", "Tensor<(Classes,)>"]),
    case("map_over_pair", &["E0114", "(Row, Inner)", "(Inner, Column)"]),
    case("reshape_length", &["E0102", "Row", "Col", "Flat"]),
    case("convolution_output", &["E0103", "OutHeight", "Height", "Kernel"]),
    case("convolution_kernel", &["E0104", "Kernel", "Height"]),
    case("heads_and_width", &["E0105", "Heads", "Width"]),
    case("split_sum", &["E0106", "Left", "Right", "Whole"]),
    case("factors_product", &["E0107", "Groups", "Each", "Channels"]),
    case("primal_as_seed", &["E0108", "`Cotangent<Tensor<(Classes,)>>`", "found `Tensor<(Classes,)>`"]),
    case("cotangent_of_another", &["E0108", "Classes,)", "Labels,)"]),
    case("primal_as_cotangent", &["E0308", "Cotangent<", "Tensor<"]),
    case("claimed_proof", &["E0109", "Mine", "Proved"]),
    Case { file: "claimed_proof_pointer", says: &["E0109", "`&Mine`", "`Box<Mine>`", "Proved"], messages: 2 },
    Case {
        file: "copied_proof",
        says: &["E0109", "no proof of `Copied`", "of `SameText`", "of `Composed`", "of `Wrapper<C>`"],
        messages: 4,
    },
    case("borrowed_proof", &["E0109", "`Wrapper`"]),
    case("made_by_hand", &["E0451", "`param_c`", "private"]),
    case("wanted_proof", &["E0271", "Proved", "Declared<Surrogate>"]),
    case("own_evidence", &["E0109", "TrustMe", "Proved"]),
    case("changed_statement", &["the text of a proved statement was changed"]),
    case("rename_sizes", &["E0110", "(Row, Col)", "(Col, Row)"]),
    case("shape_without_comma", &["E0111", "Batch"]),
    case("anonymous_axis", &["E0112", "N<50257>"]),
    case("anonymous_axis_in_shape", &["E0111", "N<50257>", "1..=1024"]),
    Case { file: "seven_axes", says: &["E0111: `x` has 7 axes", "`self` can't name"], messages: 2 },
    Case { file: "empty_axis", says: &["Empty", "+ - * /", "7 is not a multiple of 2", "Unknown"], messages: 4 },
    case("rational_exponential", &["E0113", "Real"]),
    case("not_a_space", &["E0114", "String"]),
    case("not_a_struct", &["Either", "is not a struct"]),
    case("residual_budget", &["E0115", "budget"]),
    case("variables_of_other_axes", &["E0116", "`Var<(Batch,)>`", "`Var<(Features,)>`"]),
    case("variables_inner_dimension", &["E0116", "`Var<(Features, Classes)>`", "`Var<(Hidden, Classes)>`"]),
    case("variables_bias", &["E0116", "`Var<(Classes,)>`", "`Var<(Batch,)>`"]),
    case("variables_of_another_struct", &["E0116", "`EncoderVars`", "`DecoderVars`"]),
    case("variables_in_the_wrong_field", &["E0308", "(Hidden,)", "(Features,)"]),
    case("variables_and_contract", &["E0116", "`Var<(Hidden,)>`", "`Var<(State,)>`"]),
    case("trace_gives_another_shape", &["E0308", "(Batch,)", "(Features,)"]),
    Case { file: "not_traced", says: &["E0117", "Counter"], messages: 2 },
    case("not_symbolic", &["E0118", "Then<", "Tanh<(Hidden,)>"]),
    case("not_exact", &["E0119", "Dual<"]),
    case("layer_width", &["E0116", "`Var<(Batch, Features)>`", "`Var<(Batch, Hidden)>`"]),
    case("layer_channels", &["E0308", "Shapes", "Edges"]),
    case("layer_window", &["E0103", "Inner", "Side"]),
    case("layer_heads", &["E0105", "Heads", "Width"]),
    case("layer_gates", &["E0106", "(Hidden, Hidden, Hidden)", "Gates"]),
    case("layer_groups", &["E0107", "(Groups, Each)", "Channels"]),
    case("layer_transposed", &["E0103", "Spread", "Places"]),
    Case {
        file: "attribute_in_statement",
        says: &["stands before a whole statement", "`#[derive]` can't cover"],
        messages: 3,
    },
    Case {
        file: "seven_indices",
        says: &["`q` takes 7 indices", "the derived rule saves `l`, which has 7 axes", "a split of 13 parts"],
        messages: 3,
    },
    case("deprecated_contract", &["squared", "`square` is in the library"]),
    case("refuted_rule", &["E0301", "softmax", "expected   dx[0, 0]", "claimed    dx[0, 0]"]),
    case("undefined_rule", &["E0301", "product", "1/0 is not defined"]),
    case("unsaved_value", &["E0263", "`x`", "saves"]),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile_fail")
}

/// The compiled library beside this test, the newest of those with its name.
fn library() -> PathBuf {
    let dependencies = env::current_exe().expect("a test has a path");
    let dependencies = dependencies.parent().expect("in a folder");
    fs::read_dir(dependencies)
        .expect("which is readable")
        .flatten()
        .filter(|entry| {
            let name = entry.file_name().into_string().unwrap_or_default();
            name.starts_with("libpullback-") && name.ends_with(".rlib")
        })
        .max_by_key(|entry| entry.metadata().and_then(|data| data.modified()).ok())
        .expect("with the library that the test was linked with")
        .path()
}

fn compiler() -> String {
    env::var("RUSTC").unwrap_or_else(|_| "rustc".into())
}

/// What the compiler says of a file, without the lines that say that there was an error.
fn messages(file: &str, library: &Path) -> Vec<String> {
    let output = Command::new(compiler())
        .args(["--edition", "2024", "--crate-type", "bin", "--emit", "metadata", "--color", "never"])
        .arg("--out-dir")
        .arg(env!("CARGO_TARGET_TMPDIR"))
        .arg("-L")
        .arg(format!("dependency={}", library.parent().expect("in a folder").display()))
        .arg("--extern")
        .arg(format!("pullback={}", library.display()))
        .arg(folder().join(file).with_extension("rs"))
        .output()
        .expect("the compiler runs");
    assert!(!output.status.success(), "{file} compiles");
    let text = String::from_utf8(output.stderr).expect("messages are text");
    text.split("\n\n")
        .map(str::trim_end)
        .filter(|message| message.starts_with("error") && !message.starts_with("error: aborting due to"))
        .map(String::from)
        .collect()
}

#[test]
fn every_message_has_its_code_and_both_names_and_is_short() {
    let library = library();
    let mut faults = Vec::new();
    for Case { file, says, messages: expected } in CASES {
        let messages = messages(file, &library);
        let all = messages.join("\n\n");
        if messages.len() != *expected {
            faults.push(format!("{file}: {} messages, expected {expected}\n{all}", messages.len()));
        }
        for words in *says {
            if !all.contains(words) {
                faults.push(format!("{file}: does not say `{words}`\n{all}"));
            }
        }
        for message in &messages {
            let lines = message.lines().count();
            if lines > LONGEST {
                faults.push(format!("{file}: {lines} lines\n{message}"));
            }
            for word in ["typenum", "UInt<", "UTerm", "B0", "B1"] {
                if message.contains(word) {
                    faults.push(format!("{file}: shows a number in a type, `{word}`\n{message}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn every_file_has_a_case() {
    let mut files: Vec<_> = fs::read_dir(folder())
        .expect("the folder is readable")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    let mut cases: Vec<_> = CASES.iter().map(|case| case.file.to_owned()).collect();
    files.sort();
    cases.sort();
    assert_eq!(files, cases);
}

#[test]
fn the_whole_text_is_the_golden() {
    let version = Command::new(compiler()).arg("--version").output().expect("the compiler runs");
    if !String::from_utf8_lossy(&version.stdout).starts_with(GOLDEN) {
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}

/// The README shows messages as they are: each block under a `message` mark opens a golden.
#[test]
fn the_readme_shows_real_messages() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("the README");
    let mut shown = 0;
    for part in readme.split("<!-- message: ").skip(1) {
        let (name, rest) = part.split_once(" -->").expect("a mark is closed");
        let block = rest.split("```text\n").nth(1).and_then(|r| r.split("```").next()).expect("a block follows");
        let golden = fs::read_to_string(folder().join(name).with_extension("stderr")).expect("a golden of that name");
        assert!(golden.starts_with(block), "the README's message `{name}` is stale; the compiler says:\n{golden}");
        shown += 1;
    }
    assert_eq!(shown, 2);
}
