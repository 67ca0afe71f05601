//! Instances of the arithmetic operations.

use crate::laws::Domain::Any;
use crate::ops::*;
use crate::shape::N;

type Row = (N<5>,);
type Grid = (N<2>, N<3>);
type Thin = (N<3>, N<1>);

operations! { draw:
    exact add(Any, Any) {
        add::<Grid, T>();
        add::<(), T>();
    }
    exact add_constant(Any) {
        add_constant::<Grid, T>(draw.point::<T, _>(Any));
        add_constant::<Row, T>(draw.point::<T, _>(Any));
    }
    exact affine(Any, Any, Any) {
        affine::<Grid, N<5>, T>();
        affine::<(), N<3>, T>();
        affine::<(N<3>,), N<1>, T>();
    }
    real atan2(Any, Positive) {
        atan2::<Grid, T>();
        atan2::<Row, T>();
    }
    exact bias_add(Any, Any) {
        bias_add::<(N<3>,), N<2>, T>();
        bias_add::<(N<2>, N<1>), N<5>, T>();
    }
    exact bias_add_channels(Any, Any) {
        bias_add_channels::<N<2>, N<3>, (N<2>, N<1>), T>();
        bias_add_channels::<N<3>, N<2>, (), T>();
    }
    exact cube(Any) {
        cube::<Grid, T>();
        cube::<Thin, T>();
    }
    exact divide(Any, NonZero) {
        divide::<Grid, T>();
        divide::<Row, T>();
    }
    exact multiply(Any, Any) {
        multiply::<Grid, T>();
        multiply::<(), T>();
    }
    exact multiply_constant(Any) {
        multiply_constant::<Grid, T>(draw.point::<T, _>(Any));
        multiply_constant::<(), T>(draw.point::<T, _>(Any));
    }
    exact multiply_scalar(Any, Any) {
        multiply_scalar::<Grid, T>();
        multiply_scalar::<Row, T>();
    }
    exact negate(Any) {
        negate::<Grid, T>();
        negate::<(), T>();
    }
    real power(Positive, Any) {
        power::<Grid, T>();
        power::<Row, T>();
    }
    real power_constant(Positive) {
        power_constant::<Grid, T>(draw.number(Any));
        power_constant::<Row, T>(draw.number(Any));
    }
    exact scale(Any) {
        scale::<Grid, T>(draw.number(Any));
        scale::<Row, T>(draw.number(Any));
    }
    exact select(Any, Any) {
        select::<Grid, T>(draw.point::<T, _>(Any));
        select::<Row, T>(draw.mask::<Row, T>());
    }
    exact shift(Any) {
        shift::<Grid, T>(draw.number(Any));
        shift::<(), T>(draw.number(Any));
    }
    exact square(Any) {
        square::<Grid, T>();
        square::<Thin, T>();
    }
    exact subtract(Any, Any) {
        subtract::<Grid, T>();
        subtract::<Row, T>();
    }
}
