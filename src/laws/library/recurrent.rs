//! Instances of the recurrent cells.

use crate::ops::*;
use crate::shape::N;

operations! { draw:
    real gru_cell(Any, Any, Any, Any, Any) {
        gru_cell::<N<2>, N<3>, N<1>, N<3>, T>();
        gru_cell::<N<1>, N<1>, N<2>, N<6>, T>();
    }
    real lstm_cell(Any, Any, Any, Any, Any, Any) {
        lstm_cell::<N<2>, N<3>, N<1>, N<4>, T>();
        lstm_cell::<N<1>, N<1>, N<2>, N<8>, T>();
    }
    real rnn_cell(Any, Any, Any, Any, Any) {
        rnn_cell::<N<2>, N<3>, N<2>, T>();
        rnn_cell::<N<3>, N<1>, N<2>, T>();
    }
}
