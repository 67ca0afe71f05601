//! The text under a seal was changed after the proof.
use pullback::contract::Seal;

const _: Seal = Seal::of("contract double version 1", 0x1234);

fn main() {}
