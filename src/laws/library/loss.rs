//! Instances of the losses.

use crate::ops::*;
use crate::shape::N;

operations! { draw:
    real binary_cross_entropy(Any, Any) {
        binary_cross_entropy::<(N<2>, N<3>), T>();
        binary_cross_entropy::<(), T>();
    }
    exact mean_squared_error(Any, Any) {
        mean_squared_error::<(N<2>, N<3>), T>();
        mean_squared_error::<(N<5>,), T>();
    }
    exact negative_log_likelihood(Any) {
        negative_log_likelihood::<(N<5>,), N<3>, T>(draw.map()?);
        negative_log_likelihood::<(), N<2>, T>(draw.map()?);
    }
    real softmax_cross_entropy(Any, Any) {
        softmax_cross_entropy::<(N<3>,), N<5>, T>();
        softmax_cross_entropy::<(), N<3>, T>();
        softmax_cross_entropy::<(N<2>, N<2>), N<1>, T>();
    }
    real softmax_cross_entropy_labels(Any) {
        softmax_cross_entropy_labels::<(N<5>,), N<3>, T>(draw.map()?);
        softmax_cross_entropy_labels::<(N<2>, N<1>), N<2>, T>(draw.map()?);
    }
}
