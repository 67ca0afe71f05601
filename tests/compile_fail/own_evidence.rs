//! Evidence of one's own making.
use pullback::Evidence;

#[derive(Clone, Copy)]
struct TrustMe;

impl Evidence for TrustMe {
    const LABEL: &'static str = "proved";
    const IS_PROVED: bool = true;
    type Same<C: pullback::contract::MayCarryProof + ?Sized> = pullback::Proved;
    type Within<C: pullback::contract::MayCarryProof + ?Sized> = pullback::Proved;
    type And<E: Evidence, C: pullback::contract::MayCarryProof + ?Sized> = pullback::Proved;
    type Beside<L: pullback::contract::Label, C: pullback::contract::MayCarryProof + ?Sized> = pullback::Proved;
}

fn main() {}
