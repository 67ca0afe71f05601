//! ```text
//!        x₀ ── f ──
//!        x₁ ── f ──
//! ```

use proptest::prelude::*;
use pullback::laws::row_by_row;
use pullback::{ContractExt, N, Tensor};

use super::strategy::points;
use crate::strategy::few;
use crate::toys::{Q, breaks, ints, running, total, toy};

type Rows = Tensor<(N<2>, N<3>), Q>;

proptest! {
    #![proptest_config(few())]

    #[test]
    fn holds_for_map_over((x, u) in points::<Rows, Rows>()) {
        row_by_row::<Q, _, _>(&running(), &running::<Q>().map_over::<N<2>>(), &x, &u)?;
    }

    #[test]
    fn holds_for_rows_of_another_shape((x, u) in points::<Rows, Tensor<(N<2>,), Q>>()) {
        row_by_row::<Q, _, _>(&total(), &total::<Q>().map_over::<N<2>>(), &x, &u)?;
    }
}

/// The first row's rule for every row: under equal rows nobody sees it.
#[test]
fn rejects_one_row_for_all() {
    let wrong = toy::<Q, Rows, Tensor<(N<2>,), Q>>(
        |x| x.chunks(3).map(|row| row.iter().sum()).collect(),
        |_, u| vec![u[0].clone(); 6],
    );
    let x = ints(&[1, 2, 3, 4, 5, 6]);
    row_by_row::<Q, _, _>(&total(), &wrong, &x, &ints(&[2, 2])).unwrap();
    let violation = breaks("row_by_row", row_by_row::<Q, _, _>(&total(), &wrong, &x, &ints(&[2, 3])));
    assert_eq!(violation.index(), Some(3));
}
