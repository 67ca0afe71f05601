//! Masks: sets of keys, never empty; what is outside of them has a gradient of exactly zero.

use pullback_program::architecture::{Architecture, Attention, Layer, Mask, Projections};
use pullback_program::random::Random;
use pullback_program::{Elements, Literal};

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

/// No constant of any program here is infinite.
#[test]
fn constants_are_finite() {
    let finite = |literal: &Literal| literal.is_finite();
    for mask in [Mask::Causal, Mask::Window { before: 1, after: 0 }] {
        let layer = Layer::Attention(Attention { heads: 1, mask, projections: None });
        let architecture = Architecture::new(&[1, 4, 2], layer);
        for program in [architecture.compile().unwrap(), architecture.lower().unwrap()] {
            for array in program.operations().iter().flat_map(|o| &o.binding().constants) {
                assert!(match &array.elements {
                    Elements::Splat(literal) => finite(literal),
                    Elements::Each(all) => all.iter().all(finite),
                });
            }
        }
    }
}
