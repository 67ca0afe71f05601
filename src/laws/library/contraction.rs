//! Instances of the contractions.

use crate::laws::Domain::Any;
use crate::ops::*;
use crate::shape::N;

operations! { draw:
    exact bilinear(Any, Any, Any) {
        bilinear::<(N<2>,), N<2>, N<3>, N<2>, T>();
        bilinear::<(), N<3>, N<1>, N<5>, T>();
    }
    exact dot_general(Any, Any) {
        dot_general::<(N<2>,), N<2>, N<3>, N<1>, T>();
        dot_general::<(), N<3>, N<1>, N<5>, T>();
        dot_general::<(N<1>, N<2>), N<1>, N<2>, N<3>, T>();
    }
    exact gram(Any) {
        gram::<(N<2>,), N<3>, N<2>, T>();
        gram::<(), N<2>, N<5>, T>();
    }
    exact inner_product(Any, Any) {
        inner_product::<(N<2>, N<3>), N<2>, T>();
        inner_product::<(), N<5>, T>();
    }
    exact linear(Any, Any, Any) {
        linear::<(N<2>,), N<3>, N<2>, T>();
        linear::<(), N<2>, N<5>, T>();
        linear::<(N<2>, N<1>), N<1>, N<3>, T>();
    }
    exact linear_map(Any) {
        linear_map::<(N<2>,), N<2>, N<3>, T>(draw.point::<T, _>(Any));
        linear_map::<(), N<5>, N<3>, T>(draw.point::<T, _>(Any));
    }
    exact matmul(Any, Any) {
        matmul::<N<2>, N<3>, N<5>, T>();
        matmul::<N<1>, N<7>, N<1>, T>();
        matmul::<N<3>, N<1>, N<2>, T>();
    }
    exact matrix_vector(Any, Any) {
        matrix_vector::<N<2>, N<3>, T>();
        matrix_vector::<N<5>, N<1>, T>();
    }
    exact outer_product(Any, Any) {
        outer_product::<(N<2>,), N<2>, N<3>, T>();
        outer_product::<(), N<5>, N<1>, T>();
    }
}
