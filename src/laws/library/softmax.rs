//! Instances of softmax and its relatives.

use crate::laws::Domain::Any;
use crate::ops::*;
use crate::shape::N;

operations! { draw:
    real log_softmax(Any) {
        log_softmax::<(N<2>,), N<5>, T>();
        log_softmax::<(), N<3>, T>();
    }
    real logaddexp(Any, Any) {
        logaddexp::<(N<2>, N<3>), T>();
        logaddexp::<(), T>();
    }
    real logsumexp(Any) {
        logsumexp::<(N<2>,), N<5>, T>();
        logsumexp::<(N<2>, N<3>), N<1>, T>();
    }
    real softmax(Any) {
        softmax::<(N<2>,), N<5>, T>();
        softmax::<(), N<3>, T>();
        softmax::<(N<2>, N<3>), N<1>, T>();
    }
    real softmax_masked(Any) {
        softmax_masked::<(N<3>,), N<5>, T>(draw.mask::<(N<3>, N<5>), T>(), draw.point::<T, _>(Any));
        softmax_masked::<(), N<2>, T>(draw.mask::<(N<2>,), T>(), draw.point::<T, _>(Any));
    }
}
