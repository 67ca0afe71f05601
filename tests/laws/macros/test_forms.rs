//! Every form of the macro, on contracts of the library and on a person's own.

use pullback::laws::{Domain, Options, laws};
use pullback::{N, ops};

use crate::toys::{running, scale, square};

laws!(square::<f64>());

laws!(two_arguments: scale::<f64>());
laws!(logarithm: ops::log::<(N<3>,), f64>(), Options::new().domain(Domain::Positive));
laws!(softmax: <T: Real> ops::softmax::<(N<2>,), N<3>, T>());
laws!(rectified: ops::relu::<(N<3>,), f64>());
laws!(prefix: <T: Scalar> running::<T>());
laws!(reciprocal: <T: Scalar> ops::reciprocal::<(N<2>,), T>(), Options::new().domain(Domain::NonZero));

/// What a test of the macro asks, of a wrong contract.
mod wrong {
    use pullback::laws::{Law, LawViolation, Options};

    use crate::toys::{V, each, toy};

    fn violated(law: Law) -> Result<pullback::laws::Report, LawViolation> {
        let wrong = toy::<f64, V<f64>, V<f64>>(|x| each(x, x, |x, y| x * y), |x, u| each(x, u, |x, u| x * u));
        pullback::laws::check(&wrong, &Options::new().only(law))
    }

    #[test]
    fn the_test_of_the_law_fails() {
        assert_eq!(violated(Law::ADJOINT).unwrap_err().law().name, "adjoint");
        assert!(violated(Law::ADDITIVE).is_ok());
    }
}
