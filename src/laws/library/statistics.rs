//! Instances of the statistics.

use crate::ops::*;
use crate::shape::N;

operations! { draw:
    real cosine_similarity(Any, Any) {
        cosine_similarity::<(N<2>,), N<3>, T>(T::from_ratio(1, 8))?;
        cosine_similarity::<(), N<5>, T>(T::from_ratio(1, 8))?;
    }
    real euclidean_norm(NonZero) {
        euclidean_norm::<(N<2>,), N<3>, T>();
        euclidean_norm::<(N<2>, N<3>), N<1>, T>();
    }
    exact mean(Any) {
        mean::<(N<2>,), N<3>, T>();
        mean::<(), N<5>, T>();
    }
    exact mean_all(Any) {
        mean_all::<(N<2>, N<3>), T>();
        mean_all::<(), T>();
    }
    exact mean_axis(Any) {
        mean_axis::<(N<2>,), (N<3>,), (N<2>,), T>();
        mean_axis::<(), (N<2>, N<3>), (N<1>,), T>();
        mean_axis::<(N<3>,), (N<2>,), (), T>();
    }
    exact mean_leading(Any) {
        mean_leading::<N<3>, (N<2>, N<1>), T>();
        mean_leading::<N<5>, (), T>();
    }
    real standard_deviation(Any) {
        standard_deviation::<(N<2>,), N<5>, T>(T::from_ratio(1, 8))?;
        standard_deviation::<(), N<3>, T>(T::from_ratio(1, 8))?;
    }
    exact sum_of_squares(Any) {
        sum_of_squares::<(N<2>,), N<3>, T>();
        sum_of_squares::<(), N<5>, T>();
    }
    exact variance(Any) {
        variance::<(N<2>,), N<3>, T>();
        variance::<(), N<5>, T>();
        variance::<(N<3>,), N<1>, T>();
    }
}
