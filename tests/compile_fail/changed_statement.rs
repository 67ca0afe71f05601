//! The text under a seal was changed after the proof.
use pullback::contract::{MayCarryProof, Seal, proved};

struct Double;

impl MayCarryProof for Double {
    type Grounds = Seal<Self, { proved("contract double version 1", 0x1234) }>;
}

fn main() {}
