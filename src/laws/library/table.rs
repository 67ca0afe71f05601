//! The form of a table of operations.

use core::marker::PhantomData;

use thiserror::Error;

use super::tally::Tally;
use super::{Operable, OperationReport, case_seed};
use crate::contract::DomainError;
use crate::scalar::Scalar;
use crate::space::Over;
use crate::tensor::IndexError;

/// An operation in a few instances, for whoever `P` asks.
pub(super) struct Operation<P> {
    pub(super) name: &'static str,
    pub(super) instances: Vec<Instance>,
    pub(super) asked_by: PhantomData<fn(P)>,
}

/// An operation at fixed shapes.
pub(super) struct Instance {
    /// How it is made.
    pub(super) text: &'static str,
    /// Runs the laws at the point of a seed.
    pub(super) run: fn(u64, &mut Tally) -> Result<(), Refused>,
}

/// Why an instance was not made.
#[derive(Debug, Error)]
pub(super) enum Refused {
    #[error(transparent)]
    Parameter(#[from] DomainError),
    #[error(transparent)]
    Map(#[from] IndexError),
}

impl<P> Operation<P> {
    pub(super) fn check(&self, seed: u64, cases: usize) -> OperationReport {
        let mut tally = Tally::new(self.name);
        for (index, instance) in self.instances.iter().enumerate() {
            for case in 0..cases {
                let seed = case_seed(seed, self.name, index, case);
                tally.start(instance.text, seed);
                if let Err(refused) = (instance.run)(seed, &mut tally) {
                    tally.refuse(&refused.to_string());
                }
            }
        }
        tally.report(self.instances.iter().map(|instance| instance.text).collect())
    }
}

/// A table of operations, as a function `table` of who asks for it.
///
/// Fragments: a name for the [`Draw`](crate::laws::Draw), then for each operation `exact` where its statement is rational and `real` where not, its name, the domain of each of its inputs, and its instances, which may use the draw and end in `?`; the scalar is called `T`.
/// The first instance is tried in combinators too: they don't look into a contract, so one is enough, and each costs code.
///
/// ```text
/// operations! { draw:
///     exact divide(Any, NonZero) {
///         divide::<(N<2>, N<3>), T>();
///         divide::<(), T>();
///     }
///     real layer_norm(Any, Any, Any) {
///         layer_norm::<(N<3>,), N<5>, T>(T::from_ratio(1, 8))?;
///     }
/// }
/// ```
macro_rules! operations {
    ($draw:ident: $($kind:ident $name:ident $domains:tt { $first:expr; $($make:expr;)* })*) => {
        pub(super) fn table<P>() -> Vec<$crate::laws::library::table::Operation<P>> {
            use $crate::laws::library::table::{Instance, Operation};
            vec![$(
                Operation {
                    asked_by: core::marker::PhantomData,
                    name: stringify!($name),
                    instances: vec![
                        Instance {
                            text: stringify!($first),
                            run: |seed, tally| operations!(@run $kind combined seed tally $draw $domains $first),
                        },
                        $(Instance {
                            text: stringify!($make),
                            run: |seed, tally| operations!(@run $kind alone seed tally $draw $domains $make),
                        }),*
                    ],
                }
            ),*]
        }
    };

    // Over the rationals, and at both floats against them.
    (@run exact $more:ident $seed:ident $tally:ident $draw:ident $domains:tt $make:expr) => {{
        operations!(@at Scalar $draw $domains $make);
        let (exact, x, y) = at::<$crate::scalar::Rational>($seed)?;
        let (moving, _, _) = at::<$crate::scalar::Dual<$crate::scalar::Rational>>($seed)?;
        let (double, double_x, double_y) = at::<f64>($seed)?;
        let (single, single_x, single_y) = at::<f32>($seed)?;
        let (exact, moving, double, single) = (On(exact), On(moving), On(double), On(single));
        let points = $tally.point(At { contract: &exact, x, y }, &moving);
        operations!(@$more $tally exact points);
        $tally.coarse(&exact, &points, &At { contract: &double, x: double_x, y: double_y });
        $tally.coarse(&exact, &points, &At { contract: &single, x: single_x, y: single_y });
        Ok(())
    }};

    // At doubles, and at singles against them.
    (@run real $more:ident $seed:ident $tally:ident $draw:ident $domains:tt $make:expr) => {{
        operations!(@at Real $draw $domains $make);
        let (double, x, y) = at::<f64>($seed)?;
        let (moving, _, _) = at::<$crate::scalar::Dual<f64>>($seed)?;
        let (single, single_x, single_y) = at::<f32>($seed)?;
        let (double, moving, single) = (On(double), On(moving), On(single));
        let points = $tally.point(At { contract: &double, x, y }, &moving);
        operations!(@$more $tally double points);
        $tally.coarse(&double, &points, &At { contract: &single, x: single_x, y: single_y });
        Ok(())
    }};

    (@combined $tally:ident $contract:ident $points:ident) => { $tally.combined(&$contract, &$points) };
    (@alone $tally:ident $contract:ident $points:ident) => {};

    // The instance at a scalar, and two points of its domain.
    (@at $bound:ident $draw:ident $domains:tt $make:expr) => {
        #[allow(unused_imports, reason = "not every operation has a parameter to draw")]
        use $crate::laws::{On, TypedDraw as _};
        use $crate::laws::library::Operable;
        use $crate::laws::library::table::{Refused, coordinates_of};
        use $crate::laws::library::tally::At;

        fn at<T: $crate::scalar::$bound>(seed: u64) -> Result<(impl Operable<T> + use<T>, Vec<T>, Vec<T>), Refused> {
            let mut draw = $crate::laws::Draw::new(seed);
            let $draw = &mut draw;
            let contract = $make;
            let x = coordinates_of(&contract, operations!(@point $draw $domains));
            let y = coordinates_of(&contract, operations!(@point $draw $domains));
            Ok((contract, x, y))
        }
    };

    (@point $draw:ident ()) => { () };
    (@point $draw:ident ($domain:ident)) => { $draw.point::<T, _>($crate::laws::Domain::$domain) };
    (@point $draw:ident ($($domain:ident),+)) => { ($($draw.point::<T, _>($crate::laws::Domain::$domain)),+) };
}

/// The coordinates of an input of a contract.
pub(super) fn coordinates_of<T: Scalar, C: Operable<T>>(_contract: &C, input: C::Input) -> Vec<T> {
    input.coordinates()
}
