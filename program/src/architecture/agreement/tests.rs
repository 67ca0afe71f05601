//! Boundaries are told from points beside them, and a wrong gradient is seen at each point that is not one.
#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps nothing")]

use super::super::{Activation, Embedding, Join, Layer, Parallel, Pooling, PoolingKind, Stencil};
use super::*;

/// Rows of a table of these numbers, read at these indices, and a layer after it. What it is given is one number, which it forgets.
fn rows(table: &[f64], indices: &[usize], after: Layer) -> (Architecture, Vec<Vec<f64>>) {
    let embedding =
        Embedding { vocabulary: table.len(), features: 1, shape: vec![1, indices.len()], indices: indices.to_vec() };
    let layer = Layer::Sequential(vec![Layer::Embedding(embedding), after]);
    (Architecture::new(&[1], layer), vec![vec![0.5], table.to_vec()])
}

/// The largest of the two rows.
fn most() -> Layer {
    Layer::Pooling(Pooling { kind: PoolingKind::Max, stencil: Stencil::new(&[2, 1]) })
}

/// The gradient of the program for these cotangents.
fn gradient(architecture: &Architecture, point: &[Vec<f64>], seeds: &[f64]) -> Vec<Vec<f64>> {
    pulled("the compiled program", &architecture.compile().unwrap(), point, &[seeds.to_vec()]).unwrap()
}

/// Compares this gradient of the table.
fn compared(
    (architecture, point): &(Architecture, Vec<Vec<f64>>),
    seeds: &[f64],
    of_table: Vec<f64>,
    direction: &[f64],
) -> Result<Agreed, Disagreement> {
    let mut agreed = Agreed::default();
    let all = [&[seeds.to_vec()][..], &[vec![0.0], of_table], &[vec![1.0], direction.to_vec()]];
    against_loops(architecture, point, all, &mut agreed).map(|()| agreed)
}

fn is_seen(result: &Result<Agreed, Disagreement>) -> bool {
    matches!(result, Err(Disagreement::Apart { what, .. }) if what.starts_with("gradient of input 1"))
}

/// Two places of a window that hold one number: the function is smooth along it, and the rule has its derivative.
#[test]
fn a_maximum_of_what_moves_alike_is_at_no_tie() {
    let (architecture, point) = rows(&[0.75], &[0, 0], most());
    assert_eq!(gradient(&architecture, &point, &[1.0]), [vec![0.0], vec![1.0]]);
    let along = |x: f64, table: f64| directional(&architecture, &point, &[vec![x], vec![table]]).unwrap();
    assert_eq!(along(0.0, 1.0), (vec![vec![1.0]], false));
    assert_eq!(along(1.0, 0.0), (vec![vec![0.0]], false));
    let case = (architecture, point);
    let agreed = compared(&case, &[1.0], vec![1.0], &[1.0]).unwrap();
    assert_eq!((agreed.compared, agreed.skipped, agreed.tied), (2, 0, false));
    // Each of them with the whole cotangent is seen.
    assert!(is_seen(&compared(&case, &[1.0], vec![2.0], &[1.0])));
}

/// Two numbers of a table that are equal and move apart are at a tie, and have a share each.
#[test]
fn a_maximum_of_what_moves_apart_is_at_a_tie() {
    let case = rows(&[0.75, 0.75], &[0, 1], most());
    assert_eq!(gradient(&case.0, &case.1, &[1.0]), [vec![0.0], vec![0.5, 0.5]]);
    for (direction, tied) in [([1.0, 1.0], false), ([1.0, -1.0], true)] {
        let agreed = compared(&case, &[1.0], vec![0.5, 0.5], &direction).unwrap();
        assert_eq!(agreed.tied, tied, "{direction:?}");
    }
}

/// Beside a tie the gradient has one right value.
#[test]
fn beside_a_tie_a_wrong_gradient_is_seen() {
    for apart in [1.0, 1e-3, 1e-6, 1e-8] {
        let case = rows(&[0.75, 0.75 + apart], &[0, 1], most());
        assert_eq!(gradient(&case.0, &case.1, &[1.0]), [vec![0.0], vec![0.0, 1.0]], "{apart}");
        for direction in [[1.0, 1.0], [0.5, -0.25], [0.0, 1.0]] {
            let agreed = compared(&case, &[1.0], vec![0.0, 1.0], &direction).unwrap();
            assert_eq!((agreed.compared, agreed.skipped, agreed.tied), (2, 0, false), "{apart}");
            // Twice of it, and both places of the window.
            assert!(is_seen(&compared(&case, &[1.0], vec![0.0, 2.0], &direction)), "{apart} {direction:?}");
        }
        assert!(is_seen(&compared(&case, &[1.0], vec![1.0, 1.0], &[1.0, 1.0])), "{apart}");
        assert!(is_seen(&compared(&case, &[1.0], vec![1.0, 0.0], &[0.5, -0.25])), "{apart}");
    }
}

/// The largest number of a row shifts its exponents, and nothing depends on which it is.
#[test]
fn a_softmax_has_no_ties() {
    let row = |after| Layer::Sequential(vec![Layer::Flatten, after]);
    for activation in [Activation::Softmax, Activation::LogSoftmax] {
        for (table, indices) in [(vec![0.5, 0.5, -0.25], vec![0, 1, 2]), (vec![0.5, -0.25], vec![0, 0, 1])] {
            let case = rows(&table, &indices, row(Layer::Activation(activation.clone())));
            let seeds = [1.0, -0.5, 0.75];
            let right = gradient(&case.0, &case.1, &seeds).remove(1);
            assert!(right.iter().all(|g| g.abs() > 1e-3), "{right:?}");
            let direction = &[0.5, -0.75, 0.5][..table.len()];
            let agreed = compared(&case, &seeds, right.clone(), direction).unwrap();
            assert_eq!((agreed.compared, agreed.skipped, agreed.tied), (2, 0, false));
            let wrong = right.iter().map(|g| g + 1e-6).collect();
            assert!(is_seen(&compared(&case, &seeds, wrong, direction)));
        }
    }
}

/// At zero the softplus changes its form and has a derivative; the positive part has none.
#[test]
fn a_change_of_form_is_no_kink() {
    for (activation, smooth) in
        [(Activation::Softplus, true), (Activation::LogLogistic, true), (Activation::Relu, false)]
    {
        let case = rows(&[0.0], &[0], Layer::Activation(activation));
        let right = gradient(&case.0, &case.1, &[1.0]).remove(1);
        assert_eq!(right, [if smooth { 0.5 } else { 0.0 }]);
        let agreed = compared(&case, &[1.0], right, &[1.0]).unwrap();
        assert_eq!((agreed.compared, agreed.skipped), if smooth { (2, 0) } else { (1, 1) });
        assert_eq!(is_seen(&compared(&case, &[1.0], vec![1.0], &[1.0])), smooth);
    }
}

/// A smooth choice within an evaluation hides no tie after it.
#[test]
fn a_tie_after_a_softmax_is_met() {
    let branch = |activation| Layer::Sequential(vec![Layer::Activation(activation), most()]);
    for (first, second) in [(Activation::Softmax, Activation::Tanh), (Activation::Tanh, Activation::Softplus)] {
        let both = Parallel { branches: vec![branch(first), branch(second)], join: Join::Concatenate(0) };
        let (architecture, point) = rows(&[0.75, 0.75], &[0, 1], Layer::Parallel(both));
        let met = |direction: [f64; 2]| directional(&architecture, &point, &[vec![0.0], direction.to_vec()]).unwrap().1;
        assert!(met([1.0, 0.5]) && !met([1.0, 1.0]));
    }
}
