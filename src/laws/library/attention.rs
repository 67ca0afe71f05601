//! Instances of the attention operations.

use crate::laws::Domain::Any;
use crate::ops::*;
use crate::shape::N;

operations! { draw:
    real attention(Any, Any, Any) {
        attention::<(N<2>,), N<2>, N<3>, N<2>, N<1>, T>();
        attention::<(), N<3>, N<5>, N<1>, N<2>, T>();
        attention::<(), N<2>, N<1>, N<3>, N<2>, T>();
    }
    real attention_bias(Any, Any, Any, Any) {
        attention_bias::<(N<2>,), N<2>, N<3>, N<2>, N<1>, T>();
        attention_bias::<(), N<3>, N<2>, N<1>, N<3>, T>();
    }
    real attention_masked(Any, Any, Any) {
        attention_masked::<(N<2>,), N<2>, N<3>, N<2>, N<1>, T>(draw.mask::<(N<2>, N<3>), T>(), draw.point::<T, _>(Any));
        attention_masked::<(), N<5>, N<2>, N<1>, N<3>, T>(draw.mask::<(N<5>, N<2>), T>(), draw.point::<T, _>(Any));
    }
    real attention_recompute(Any, Any, Any) {
        attention_recompute::<(N<2>,), N<2>, N<3>, N<2>, N<1>, T>();
        attention_recompute::<(), N<3>, N<5>, N<1>, N<2>, T>();
    }
    exact rotary_embedding(Any) {
        rotary_embedding::<(N<2>,), N<3>, N<2>, N<4>, T>(draw.point::<T, _>(Any), draw.point::<T, _>(Any));
        rotary_embedding::<(), N<5>, N<1>, N<2>, T>(draw.point::<T, _>(Any), draw.point::<T, _>(Any));
    }
}
