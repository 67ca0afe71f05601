//! Instances of the declared operations, at points off the boundaries of their regions.

use crate::laws::Domain::{Any, Positive};
use crate::ops::*;
use crate::shape::N;

type Row = (N<7>,);
type Grid = (N<3>, N<5>);

// Points are odd multiples of 1/16 and differ by multiples of 1/8: bounds for a value are multiples of 1/8, for a difference odd multiples of 1/16.
operations! { draw:
    exact abs(Distinct) {
        abs::<Grid, T>();
        abs::<Row, T>();
    }
    exact clamp(Distinct) {
        clamp::<Grid, T>(T::from_ratio(-3, 4), T::from_ratio(5, 4));
        clamp::<Row, T>(T::from_ratio(1, 8), T::from_ratio(2, 1));
    }
    real elu(Distinct) {
        elu::<Grid, T>(draw.number(Positive));
        elu::<Row, T>(draw.number(Positive));
    }
    exact floor(Distinct) {
        floor::<Grid, T>();
        floor::<(), T>();
    }
    exact hard_sigmoid(Distinct) {
        hard_sigmoid::<Grid, T>();
        hard_sigmoid::<Row, T>();
    }
    exact hard_tanh(Distinct) {
        hard_tanh::<Grid, T>();
        hard_tanh::<Row, T>();
    }
    exact huber(Distinct, Distinct) {
        huber::<Grid, T>(T::from_ratio(17, 16))?;
        huber::<(), T>(T::from_ratio(5, 16))?;
    }
    exact leaky_relu(Distinct) {
        leaky_relu::<Grid, T>(T::from_ratio(1, 10));
        leaky_relu::<Row, T>(draw.number(Any));
    }
    exact max_pool1d(Distinct) {
        max_pool1d::<(N<2>,), N<5>, N<3>, N<2>, T>(draw.window_map()?);
        max_pool1d::<(), N<7>, N<2>, N<3>, T>(draw.window_map()?);
    }
    exact max_pool2d(Distinct) {
        max_pool2d::<(N<2>,), N<3>, N<4>, N<2>, N<3>, N<2>, N<2>, T>(draw.window_map()?, draw.window_map()?);
        max_pool2d::<(), N<5>, N<2>, N<2>, N<1>, N<3>, N<1>, T>(draw.window_map()?, draw.window_map()?);
    }
    exact maximum(Distinct, Distinct) {
        maximum::<Grid, T>();
        maximum::<(), T>();
    }
    exact mean_absolute_error(Distinct, Distinct) {
        mean_absolute_error::<Grid, T>();
        mean_absolute_error::<Row, T>();
    }
    exact minimum(Distinct, Distinct) {
        minimum::<Grid, T>();
        minimum::<(), T>();
    }
    exact prelu(Distinct, Any) {
        prelu::<N<2>, N<3>, (N<2>,), T>();
        prelu::<N<1>, N<5>, (), T>();
    }
    exact reduce_max(Distinct) {
        reduce_max::<(N<2>, N<3>), N<5>, T>();
        reduce_max::<(), N<7>, T>();
        reduce_max::<(N<3>,), N<1>, T>();
    }
    exact reduce_min(Distinct) {
        reduce_min::<(N<2>, N<3>), N<5>, T>();
        reduce_min::<(), N<7>, T>();
        reduce_min::<(N<3>,), N<1>, T>();
    }
    exact relu(Distinct) {
        relu::<Grid, T>();
        relu::<Row, T>();
    }
    exact round_straight_through(Distinct) {
        round_straight_through::<Grid, T>();
        round_straight_through::<(), T>();
    }
    exact smooth_l1(Distinct, Distinct) {
        smooth_l1::<Grid, T>(T::from_ratio(17, 16))?;
        smooth_l1::<(), T>(T::from_ratio(5, 16))?;
    }
    exact stop_gradient(Distinct) {
        stop_gradient::<Grid, T>();
        stop_gradient::<(), T>();
    }
}
