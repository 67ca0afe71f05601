//! Instances of the elementwise functions.

use crate::ops::*;
use crate::shape::N;

type Row = (N<5>,);
type Grid = (N<2>, N<1>, N<3>);

operations! { draw:
    real atan(Any) {
        atan::<Grid, T>();
        atan::<Row, T>();
    }
    real cosine(Any) {
        cosine::<Grid, T>();
        cosine::<Row, T>();
    }
    real erf(Any) {
        erf::<Grid, T>();
        erf::<Row, T>();
    }
    real erfc(Any) {
        erfc::<Grid, T>();
        erfc::<Row, T>();
    }
    real exponential(Any) {
        exponential::<Grid, T>();
        exponential::<Row, T>();
    }
    real exponential_minus_one(Any) {
        exponential_minus_one::<Grid, T>();
        exponential_minus_one::<Row, T>();
    }
    real gelu(Any) {
        gelu::<Grid, T>();
        gelu::<Row, T>();
    }
    real gelu_tanh(Any) {
        gelu_tanh::<Grid, T>();
        gelu_tanh::<Row, T>();
    }
    real log(Positive) {
        log::<Grid, T>();
        log::<Row, T>();
    }
    real log_logistic(Any) {
        log_logistic::<Grid, T>();
        log_logistic::<Row, T>();
    }
    real log_plus_one(Positive) {
        log_plus_one::<Grid, T>();
        log_plus_one::<Row, T>();
    }
    real logistic(Any) {
        logistic::<Grid, T>();
        logistic::<Row, T>();
    }
    exact reciprocal(NonZero) {
        reciprocal::<Grid, T>();
        reciprocal::<Row, T>();
    }
    real rsqrt(Positive) {
        rsqrt::<Grid, T>();
        rsqrt::<Row, T>();
    }
    real silu(Any) {
        silu::<Grid, T>();
        silu::<Row, T>();
    }
    real sine(Any) {
        sine::<Grid, T>();
        sine::<Row, T>();
    }
    real softplus(Any) {
        softplus::<Grid, T>();
        softplus::<Row, T>();
    }
    real sqrt(Positive) {
        sqrt::<Grid, T>();
        sqrt::<Row, T>();
    }
    real tanh(Any) {
        tanh::<Grid, T>();
        tanh::<Row, T>();
    }
}
