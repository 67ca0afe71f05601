//! Instances of the normalisations.

use crate::laws::Domain::{Any, Positive};
use crate::ops::*;
use crate::shape::N;

operations! { draw:
    real batch_norm(Any, Any, Any) {
        batch_norm::<N<3>, N<2>, (N<2>,), T>(T::from_ratio(1, 8))?;
        batch_norm::<N<5>, N<3>, (), T>(T::from_ratio(1, 8))?;
    }
    real batch_norm_inference(Any, Any, Any) {
        batch_norm_inference::<N<3>, N<2>, (N<2>,), T>(
            T::from_ratio(1, 8),
            draw.point::<T, _>(Any),
            draw.point::<T, _>(Positive),
        )?;
        batch_norm_inference::<N<1>, N<3>, (), T>(
            T::from_ratio(1, 8),
            draw.point::<T, _>(Any),
            draw.point::<T, _>(Positive),
        )?;
    }
    real batch_norm_training(Any, Any, Any) {
        batch_norm_training::<N<3>, N<2>, (N<2>,), T>(T::from_ratio(1, 8))?;
        batch_norm_training::<N<5>, N<3>, (), T>(T::from_ratio(1, 8))?;
    }
    real group_norm(Any, Any, Any) {
        group_norm::<N<2>, N<2>, N<3>, (N<2>,), T>(T::from_ratio(1, 8))?;
        group_norm::<N<3>, N<1>, N<2>, (), T>(T::from_ratio(1, 8))?;
    }
    real l2_normalize(Any) {
        l2_normalize::<(N<2>,), N<3>, T>(T::from_ratio(1, 8))?;
        l2_normalize::<(), N<5>, T>(T::from_ratio(1, 8))?;
    }
    real layer_norm(Any, Any, Any) {
        layer_norm::<(N<2>,), N<5>, T>(T::from_ratio(1, 8))?;
        layer_norm::<(), N<3>, T>(T::from_ratio(1, 8))?;
        layer_norm::<(N<3>,), N<1>, T>(T::from_ratio(1, 8))?;
    }
    real rms_norm(Any, Any) {
        rms_norm::<(N<2>,), N<5>, T>(T::from_ratio(1, 8))?;
        rms_norm::<(), N<3>, T>(T::from_ratio(1, 8))?;
    }
    real standardize(Any) {
        standardize::<(N<2>,), N<5>, T>(T::from_ratio(1, 8))?;
        standardize::<(N<2>, N<1>), N<3>, T>(T::from_ratio(1, 8))?;
    }
}
