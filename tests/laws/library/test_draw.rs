//! Generated points are where they should be.

use std::collections::BTreeSet;

use proptest::prelude::*;
use pullback::laws::{Approximate, Domain, Draw, TypedDraw};
use pullback::{N, Scalar, Tensor};

use crate::toys::Q;

type Grid = (N<3>, N<5>);

proptest! {
    #[test]
    fn points_respect_their_domain(seed: u64) {
        let mut draw = Draw::new(seed);
        prop_assert!(draw.list::<Q>(50, Domain::Positive).iter().all(Scalar::is_positive));
        let cotangent = draw.list::<Q>(50, Domain::NonZero);
        prop_assert!(cotangent.iter().all(|u| !Scalar::is_zero(u)) && cotangent.windows(2).all(|two| two[0] != two[1]));
        prop_assert!(draw.list::<Q>(50, Domain::Any).iter().all(|x| x.to_f64().abs() <= 3.0));
    }

    #[test]
    fn distinct_points_have_no_ties_and_no_boundaries(seed: u64) {
        let list = Draw::new(seed).list::<Q>(100, Domain::Distinct);
        let sixteenths: BTreeSet<i64> = list.iter().map(|x| (x.to_f64() * 16.0) as i64).collect();
        prop_assert!(sixteenths.len() == 100 && sixteenths.iter().all(|n| n % 2 != 0));
        prop_assert!(list[..16].iter().any(Scalar::is_positive) && !list[..16].iter().all(Scalar::is_positive));
    }

    #[test]
    fn scalars_see_the_same_numbers(seed: u64, length in 0..20_usize) {
        let exact = Draw::new(seed).list::<Q>(length, Domain::Any);
        let double = Draw::new(seed).list::<f64>(length, Domain::Any);
        prop_assert_eq!(exact.iter().map(Approximate::to_f64).collect::<Vec<_>>(), double);
    }

    #[test]
    fn maps_are_valid_and_repeat(seed: u64) {
        let mut draw = Draw::new(seed);
        let map = draw.map::<(N<5>,), (N<3>,)>().unwrap();
        prop_assert!(map.entries().iter().all(|&entry| entry < 3));
        let bijection = draw.bijection::<Grid, (N<15>,)>().unwrap();
        prop_assert_eq!((0..15).map(|at| bijection.at(at)).collect::<BTreeSet<_>>().len(), 15);
        prop_assert!(draw.bijection::<Grid, (N<2>,)>().is_err());
        let windows = draw.window_map::<(N<2>, N<3>), (N<5>,)>().unwrap();
        prop_assert!(windows.entries().chunks(3).all(|row| row.iter().collect::<BTreeSet<_>>().len() == 3));
        prop_assert!(draw.partial_map::<Grid, (N<2>,)>().is_ok());
    }

    #[test]
    fn a_mask_shows_something_in_every_row(seed: u64) {
        let mask: Tensor<Grid, Q> = Draw::new(seed).mask();
        prop_assert!(mask.as_slice().chunks(5).all(|row| row.iter().any(Scalar::is_positive)));
        let one: Tensor<(), Q> = Draw::new(seed).mask();
        prop_assert!(one.to_scalar().is_positive());
    }
}
