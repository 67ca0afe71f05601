//! Masks: sets of keys, never empty; what is outside of them has a gradient of exactly zero.

use pullback_program::architecture::{Architecture, Attention, Layer, Mask, Projections};
use pullback_program::random::Random;
use pullback_program::{Array, Binding, Builder, Limits, Operation, Operator, Shape, ValueId};

use crate::support::{close, draw, holds, pulled, values};

fn attention(mask: Mask) -> Architecture {
    let layer = Layer::Attention(Attention { heads: 2, mask, projections: None });
    Architecture { inputs: vec![vec![1, 3, 4], vec![1, 5, 4]], layer }
}

#[test]
fn an_empty_row_is_named() {
    let mut rows = vec![vec![true; 5]; 3];
    rows[1] = vec![false; 5];
    let error = attention(Mask::Sets(rows)).verify().unwrap_err().to_string();
    assert_eq!(error, "layer (attention): row 1 of the mask is empty: a query must see at least one key");
    // A window of queries that are past the end of the keys.
    let layer = Layer::Attention(Attention { heads: 1, mask: Mask::Window { before: 1, after: 0 }, projections: None });
    let late = Architecture { inputs: vec![vec![1, 5, 4], vec![1, 3, 4]], layer };
    let error = late.verify().unwrap_err().to_string();
    assert!(error.contains("row 4 of the mask is empty"), "{error}");
}

#[test]
fn rows_have_the_length_of_the_keys() {
    let error = attention(Mask::Sets(vec![vec![true; 5]; 2])).verify().unwrap_err().to_string();
    assert_eq!(error, "layer (attention): `mask` has 2 entries, expected 3");
    let error = attention(Mask::Sets(vec![vec![true; 4]; 3])).verify().unwrap_err().to_string();
    assert_eq!(error, "layer (attention): `a row of the mask` has 4 entries, expected 5");
}

#[test]
fn hidden_keys_get_exactly_nothing() {
    // Key 4 is hidden from all queries, key 0 from the last.
    let sets = Mask::Sets(vec![
        vec![true, true, false, true, false],
        vec![true, false, false, false, false],
        vec![false, true, true, true, false],
    ]);
    let architecture = attention(sets);
    let program = holds(&architecture, 1);
    let inputs = values(&architecture, 2);
    let outputs = program.evaluate(&inputs).unwrap();
    let seeds = draw(&mut Random(3), &outputs);
    for program in [program, architecture.lower().unwrap()] {
        let gradient = pulled(&program, &inputs, &seeds);
        assert!(gradient[1][16..].iter().all(|g| *g == 0.0), "{:?}", gradient[1]);
        assert!(gradient[1][..4].iter().any(|g| *g != 0.0));
        // The last query alone: nothing reaches key 0.
        let mut last = vec![vec![0.0; 12]];
        last[0][8..].copy_from_slice(&seeds[0][8..]);
        assert!(pulled(&program, &inputs, &last)[1][..4].iter().all(|g| *g == 0.0));
        // And its value changes nothing but the shift of the exponents.
        let mut other = inputs.clone();
        other[1][16..].iter_mut().for_each(|x| *x = 7.0);
        close("value", &program.evaluate(&other).unwrap(), &program.evaluate(&inputs).unwrap(), 1e-14);
    }
}

#[test]
fn causal_and_local_masks_are_what_they_say() {
    assert!((0..4).all(|i| (0..4).all(|l| Mask::Causal.shows(i, l) == (l <= i))));
    let local = Mask::Window { before: 1, after: 2 };
    assert!((0..6_usize).all(|i| (0..6_usize).all(|l| local.shows(i, l) == (l + 1 >= i && l <= i + 2))));
    for mask in [Mask::All, Mask::Causal, local, Mask::Window { before: usize::MAX, after: 0 }] {
        let projections = Some(Projections { head: 2, value: 3, output: 5, bias: true });
        let layer = Layer::Attention(Attention { heads: 2, mask, projections });
        holds(&Architecture::new(&[2, 3, 4], layer), 4);
    }
}

/// The constants of masked attention as an architecture has them: one query sees the first and the last of three keys.
fn masks() -> Vec<Array> {
    let mask = Mask::Sets(vec![vec![true, false, true]]);
    let layer = Layer::Attention(Attention { heads: 1, mask, projections: None });
    let architecture = Architecture { inputs: vec![vec![1, 1, 1], vec![1, 3, 1]], layer };
    let program = architecture.compile().unwrap();
    let masked = program.operations().iter().find(|o| o.operator().name() == "attention_masked").unwrap();
    masked.binding().constants.clone()
}

/// Hidden scores so far above every visible one change neither value nor gradient, in both precisions.
#[test]
fn a_hidden_score_may_be_far_above_the_visible_ones() {
    let mut builder = Builder::new(Limits::default());
    let inputs = [("query", [1, 1]), ("key", [3, 1]), ("value", [3, 1])];
    let inputs = inputs.map(|(name, sizes)| builder.input(name, Shape::new(&sizes)).unwrap());
    let scores = builder.input("scores", Shape::new(&[1, 3])).unwrap();
    let with = |dims| Binding { dims, constants: masks(), ..Binding::default() };
    let mut apply = |name, dims, arguments: &[ValueId]| {
        let operation = Operation::new(Operator::library(name).unwrap(), with(dims), &Limits::default()).unwrap();
        let y = builder.apply(operation, arguments).unwrap()[0];
        builder.output(name, y);
    };
    apply("attention_masked", vec![vec![], vec![1], vec![3], vec![1], vec![1]], &inputs);
    apply("softmax_masked", vec![vec![1], vec![3]], &[scores]);
    let program = builder.finish();
    let mut gaps = vec![(-1e4, 0.0), (0.0, 1e4), (-1e8, 1e8), (-0.5, -0.5), (0.0, f64::from(f32::MIN))];
    for exponent in 8..=25 {
        let far = 10_f64.powi(exponent);
        gaps.extend([(0.0, far), (-far, 0.0), (-far, far), (far, -far), (1.0, far)]);
    }
    for (low, high) in gaps {
        let (keys, values) = (vec![low, high, low], vec![0.5, -2.0, 1.5]);
        let inputs = [vec![1.0], keys.clone(), values, keys];
        let seeds = [vec![1.0], vec![1.0, 3.0, 2.0]];
        let expected = [vec![1.0], vec![0.5, 0.0, 0.5]];
        let (outputs, tape) = program.linearize(&inputs).unwrap();
        assert_eq!(outputs, expected, "{low} {high}");
        let gradient = program.pullback(&tape, &seeds).unwrap();
        assert_eq!(gradient, [vec![0.0], vec![-0.25, 0.0, 0.25], vec![0.5, 0.0, 0.5], vec![-0.25, 0.0, 0.25]]);
        let single =
            |all: &[Vec<f64>]| -> Vec<Vec<f32>> { all.iter().map(|x| x.iter().map(|x| *x as f32).collect()).collect() };
        let (outputs, tape) = program.linearize(&single(&inputs)).unwrap();
        assert_eq!(outputs, single(&expected), "{low} {high}");
        assert_eq!(program.pullback(&tape, &single(&seeds)).unwrap(), single(&gradient));
    }
}
