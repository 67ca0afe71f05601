//! One step of a recurrent network.
//!
//! Each operation is a statement in `contracts/recurrent/`, proved while this crate compiles.

use crate::contract;

contract!(file = "contracts/recurrent/gru_cell.contract");
contract!(file = "contracts/recurrent/lstm_cell.contract");
contract!(file = "contracts/recurrent/rnn_cell.contract");
