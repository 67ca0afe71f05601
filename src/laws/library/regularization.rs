//! Instances of the regularisations.

use crate::laws::Domain::Positive;
use crate::ops::*;
use crate::shape::N;

operations! { draw:
    exact dropout(Any, Any) {
        dropout::<(N<2>, N<3>), T>(draw.number(Positive));
        dropout::<(N<5>,), T>(draw.number(Positive));
    }
}
