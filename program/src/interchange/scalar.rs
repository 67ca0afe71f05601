//! The numbers of a document as those of an evaluation.

use pullback_kernel::Rational;
use pullback_kernel::eval::Number;

use crate::operation::Literal;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl Sealed for pullback_kernel::Rational {}
}

/// A number that documents can say: `f32`, `f64` and exact rationals.
///
/// Reading what was written gives the same number, to the bit.
pub trait Scalar: Number + sealed::Sealed {
    /// Its name on a command line.
    const NAME: &'static str;
    /// The number, rounded once where the type is not exact; `None` past its largest.
    fn of_literal(literal: &Literal) -> Option<Self>;
    /// Its name in a document; `None` where it is not finite.
    fn literal(&self) -> Option<Literal>;
}

impl Scalar for f64 {
    const NAME: &'static str = "f64";

    fn of_literal(literal: &Literal) -> Option<f64> {
        let x = match literal {
            // As it is: minus zero has no rational.
            Literal::Float(x) => *x,
            exact => exact.to(),
        };
        Some(x).filter(|x| x.is_finite())
    }

    fn literal(&self) -> Option<Literal> {
        Some(Literal::Float(*self)).filter(Literal::is_finite)
    }
}

impl Scalar for f32 {
    const NAME: &'static str = "f32";

    fn of_literal(literal: &Literal) -> Option<f32> {
        let x = match literal {
            Literal::Float(x) => *x as f32,
            exact => exact.to(),
        };
        Some(x).filter(|x| x.is_finite())
    }

    fn literal(&self) -> Option<Literal> {
        // The double with the same shortest decimal: 0.1 is written so and not with the digits of its error.
        self.to_string().parse().ok().map(Literal::Float).filter(Literal::is_finite)
    }
}

impl Scalar for Rational {
    const NAME: &'static str = "rational";

    fn of_literal(literal: &Literal) -> Option<Rational> {
        literal.is_finite().then(|| literal.to())
    }

    fn literal(&self) -> Option<Literal> {
        Some(Literal::Exact(self.clone()))
    }
}
