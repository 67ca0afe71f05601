//! What is read of a statement is what it says: its outputs and its rule have the values that the reference evaluator gives.

use std::collections::HashMap;
use std::time::Instant;

use pullback_kernel::Rational;
use pullback_kernel::core::{Core, Definition, Origin};
use pullback_kernel::eval::{Point, backward, forward};
use pullback_kernel::load;
use pullback_kernel::statement::{MapKind, Statement, Tensor};

use crate::eval::{Env, Eval, Model, Near};
use crate::fuzz::Random;
use crate::support::statement;

/// Every statement of the library, with a rule.
fn library() -> Vec<Statement> {
    let sources = crate::library::sources();
    let statements = sources.iter().flat_map(|f| load(&std::fs::read_to_string(f).unwrap()).0);
    statements.map(|s| if s.gradients().is_some() { s } else { s.with_derived_rule() }).collect()
}

/// Sizes that the splits and bijections allow, if some were found.
fn sizes(s: &Statement, random: &mut Random) -> Option<Vec<usize>> {
    let mut sizes: Vec<usize> = s.dims().iter().map(|_| 1 + random.below(3)).collect();
    for _ in 0..4 {
        for split in s.splits() {
            let parts = split.parts.iter().map(|p| sizes[s.maps()[p.0 as usize].from[0].0 as usize]);
            sizes[split.whole.0 as usize] = parts.sum();
        }
        for map in s.maps().iter().filter(|m| m.kind == MapKind::Bijection) {
            sizes[map.to.0 as usize] = map.from.iter().map(|d| sizes[d.0 as usize]).product();
        }
    }
    let holds = s.splits().iter().all(|split| {
        let parts = split.parts.iter().map(|p| sizes[s.maps()[p.0 as usize].from[0].0 as usize]);
        sizes[split.whole.0 as usize] == parts.sum::<usize>()
    });
    (holds && sizes.iter().all(|n| *n <= 9)).then_some(sizes)
}

fn flat(l: &[usize], sizes: &[usize]) -> usize {
    l.iter().zip(sizes).fold(0, |at, (n, size)| at * size + n)
}

fn maps(s: &Statement, sizes: &[usize], random: &mut Random) -> Vec<Vec<Option<usize>>> {
    let mut maps: Vec<Vec<Option<usize>>> = Vec::new();
    for map in s.maps() {
        let count: usize = map.from.iter().map(|d| sizes[d.0 as usize]).product();
        let to = sizes[map.to.0 as usize];
        maps.push(match map.kind {
            MapKind::Total => (0..count).map(|_| Some(random.below(to))).collect(),
            MapKind::Partial => (0..count).map(|_| (random.below(3) > 0).then(|| random.below(to))).collect(),
            MapKind::Bijection => {
                let turn = random.below(count);
                (0..count).map(|n| Some((n + turn) % count)).collect()
            }
            MapKind::Part { split, part } => {
                let before = &s.splits()[split as usize].parts[..part as usize];
                let start: usize = before.iter().map(|p| sizes[s.maps()[p.0 as usize].from[0].0 as usize]).sum();
                (0..count).map(|n| Some(start + n)).collect()
            }
        });
    }
    maps
}

/// Compares values at one point; how many were compared.
fn compare(s: &Statement, core: &Core, random: &mut Random) -> usize {
    let reading = core.reading().unwrap();
    let Some(sizes) = sizes(s, random) else { return 0 };
    let maps = maps(s, &sizes, random);
    let mut tensor = |axes: &[pullback_kernel::statement::DimId]| -> Vec<f64> {
        let count: usize = axes.iter().map(|d| sizes[d.0 as usize]).product();
        (0..count).map(|_| 0.25 + random.below(1000) as f64 / 800.0).collect()
    };
    let params: Vec<f64> = s.params().iter().map(|_| tensor(&[])[0]).collect();
    let constants: Vec<Vec<f64>> = s.constants().iter().map(|t| tensor(&t.axes)).collect();
    let inputs: Vec<Vec<f64>> = s.inputs().iter().map(|t| tensor(&t.axes)).collect();
    let cotangents: Vec<Vec<f64>> = s.outputs().iter().map(|o| tensor(&o.tensor.axes)).collect();
    let point = Point { sizes: sizes.clone(), maps: maps.clone(), params, constants, inputs };
    let Ok(values) = forward(s, &point) else { return 0 };
    let Ok(gradients) = backward(s, &point, &values, &cotangents) else { return 0 };

    // The tensors by their numbers.
    let mut tensors: HashMap<u32, (Vec<f64>, Vec<usize>)> = HashMap::new();
    let shape = |t: Tensor| s.tensor(t).axes.iter().map(|d| sizes[d.0 as usize]).collect::<Vec<_>>();
    let count = |n: usize| n as u32;
    for (k, v) in (0u32..).zip(&point.params) {
        tensors.insert(k, (vec![*v], vec![]));
    }
    for (k, v) in (0u32..).zip(&point.constants) {
        tensors.insert(count(s.params().len()) + k, (v.clone(), shape(Tensor::Constant(k))));
    }
    for ((k, v), input) in (0u32..).zip(&point.inputs).zip(&reading.inputs) {
        tensors.insert(input.tensor, (v.clone(), shape(Tensor::Input(k))));
    }
    for ((k, v), dy) in (0u32..).zip(&cotangents).zip(&reading.cotangents) {
        tensors.insert(*dy, (v.clone(), shape(Tensor::Cotangent(k))));
    }
    let any = (0u32..).zip(s.locals()).filter(|(_, l)| l.kind == pullback_kernel::statement::LocalKind::Any);
    for ((k, _), m) in any.zip(&reading.anys) {
        tensors.insert(*m, (values.locals[k as usize].clone(), shape(Tensor::Local(k))));
    }
    let froms: Vec<Vec<usize>> =
        s.maps().iter().map(|m| m.from.iter().map(|d| sizes[d.0 as usize]).collect()).collect();
    let bijections: Vec<usize> = (0..maps.len()).filter(|k| s.maps()[*k].kind == MapKind::Bijection).collect();
    let model = Model {
        sizes: sizes.clone(),
        map: Box::new(move |m, l| match maps.get(m as usize) {
            Some(map) => map[flat(l, &froms[m as usize])].map(|n| vec![n]),
            None => {
                let k = bijections[m as usize - maps.len()];
                let mut at = maps[k].iter().position(|n| *n == Some(l[0]))?;
                let mut out = Vec::new();
                for size in froms[k].iter().rev() {
                    out.insert(0, at % size);
                    at /= size;
                }
                Some(out)
            }
        }),
        tensor: Box::new(|_, _| Rational::from_integer(0.into())),
    };
    let read = |x: u32, l: &[usize]| {
        let (values, shape) = &tensors[&x];
        let v = values[flat(l, shape)];
        Near(v, v.abs() * 1e-15)
    };
    let mut compared = 0;
    let mut check = |of: &Definition, values: &[f64], what: &str| {
        let shape: Vec<usize> = of.names.iter().map(|v| sizes[v.dimension as usize]).collect();
        for (k, expected) in values.iter().enumerate() {
            let mut at = k;
            let mut env: Env = HashMap::new();
            for (v, size) in of.names.iter().zip(&shape).rev() {
                env.insert(*v, at % size);
                at /= size;
            }
            let eval = Eval { terms: core.terms(), model: &model, env: &env, read: &read };
            if let Some(Near(v, e)) = eval.term(of.body, &mut vec![]) {
                let slack = 2.0 * e + 1e-7 * (1.0 + expected.abs());
                assert!(
                    (v - expected).abs() <= slack || !expected.is_finite(),
                    "{what} at {k}: {v} and {expected}\n{s}"
                );
                compared += 1;
            }
        }
    };
    for ((output, values), o) in reading.outputs[0].iter().zip(&values.outputs).zip(s.outputs()) {
        check(output, values, &o.tensor.name.text);
    }
    for ((input, values), i) in reading.inputs.iter().zip(&gradients).zip(s.inputs()) {
        check(input.cotangent.as_ref().unwrap(), values, &i.name.text);
    }
    compared
}

#[test]
fn the_library_is_read_as_it_is_written() {
    let library = library();
    let start = Instant::now();
    let cores: Vec<Core> = library.iter().map(|s| Core::read(s).unwrap()).collect();
    println!("{} statements read in {:?}", cores.len(), start.elapsed());
    let mut random = Random(5);
    let mut seen = 0;
    for (s, core) in library.iter().zip(&cores) {
        let compared: usize = (0..6).map(|_| compare(s, core, &mut random)).sum();
        seen += usize::from(compared > 0);
        if compared == 0 {
            println!("not compared: {}", s.name());
        }
    }
    println!("{seen} of {} compared", library.len());
    assert!(seen * 20 >= library.len() * 19, "{seen} of {}", library.len());
}

/// What a statement asks for, from each place that can ask.
#[test]
fn conditions_stand_where_they_are_asked_for() {
    let s = statement(
        "contract many version 1 dims n partial map at: n -> n param eps > 0 input x[n]
         where log(x[i]) != 0
         any m[i] = sqrt(x[i])
         output y[i] = if x[i] > 1 then x[i] / (x[i] - m[i]) else max(k) x[at(k)] + floor(x[i])
         saves x
         dx[i] = dy[i] / x[i]
         declares convention as written",
    );
    let core = Core::read(&s).unwrap();
    let reading = core.reading().unwrap();
    let shown = |list: &[pullback_kernel::core::Needed]| -> Vec<String> {
        let text = |n: &pullback_kernel::core::Needed| {
            let a = &n.asked;
            format!("{:?}: {}, under {}", a.origin, s.show_condition(&a.condition), a.under.len())
        };
        list.iter().map(text).collect()
    };
    assert_eq!(
        shown(&reading.assumptions),
        [
            "Given: eps > 0, under 0",
            "Any: x[i] > 0, under 0",
            "Where: x[i] > 0, under 0",
            "Given: log(x[i]) != 0, under 0",
            "Boundary: x[i] - 1 != 0, under 0",
            "Forward: x[i] - m[i] != 0, under 1",
            "Tie: x[at(k)] != 0, under 1",
            "Jump: x[i] != 0, under 1",
        ]
    );
    let origins: Vec<Origin> = reading.obligations.iter().map(|o| o.asked.origin).collect();
    assert_eq!(origins, [Origin::Any, Origin::Where, Origin::Forward, Origin::Backward]);
}
