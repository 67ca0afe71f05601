//! Why a backward rule may be believed.
//!
//! | evidence | given by | says |
//! | --- | --- | --- |
//! | [`Proved`] | the kernel, through `contract!`; this library's combinators of such | the rule is the adjoint of the derivative on the whole domain |
//! | [`Declared<Subgradient>`](Subgradient) | anybody | proved between the boundaries; on them, an element of the subdifferential |
//! | [`Declared<Convention>`](Convention) | anybody | proved between the boundaries; on them, between the sides or what was named |
//! | [`Declared<Surrogate>`](Surrogate) | anybody | another map than the adjoint, on purpose |
//! | [`Declared<Unproved>`](Unproved) | anybody | nothing was shown |
//!
//! Evidence composes in types: a combinator of proved contracts is proved, and one declared part makes the whole declared, under the weakest label among its parts.
//! What is made of a subgradient is a convention: relu(x) - relu(-x) is x, and subgradients of its parts add up to 0 at 0, where the derivative is 1.
//! A function that wants proof says so: `fn train<C: Contract<Evidence = Proved>>(…)`.
//!
//! Invariant: nothing outside of this crate implements [`EvidenceFor`] or [`Evidence`].

use core::marker::PhantomData;

use super::seal::MayCarryProof;

mod sealed {
    #[diagnostic::on_unimplemented(
        message = "E0109: `{Self}` can't be evidence, or a label of it",
        label = "the kinds of evidence are closed",
        note = "they are `Proved` and `Declared<L>`, with `Convention`, `Subgradient`, `Surrogate` or `Unproved` for `L`"
    )]
    pub trait KindOfEvidence {}
}

/// A kind of evidence; closed.
pub trait Evidence: sealed::KindOfEvidence + Copy + Send + Sync + 'static {
    /// What to call it in a report: `proved`, or the label of a declaration.
    const LABEL: &'static str;
    /// Whether it is [`Proved`].
    const IS_PROVED: bool;
    /// This evidence about a contract, as evidence about another form `C` of it: a reference, one erased or checkpointed.
    type Same<C: MayCarryProof + ?Sized>: EvidenceFor<C>;
    /// This evidence about a part, as evidence about the combinator `C` of it.
    type Within<C: MayCarryProof + ?Sized>: EvidenceFor<C>;
    /// This evidence about one part and `E` about another, as evidence about the combinator `C` of both.
    type And<E: Evidence, C: MayCarryProof + ?Sized>: EvidenceFor<C>;
    /// This evidence beside a declared one with the label `L`.
    #[doc(hidden)]
    type Beside<L: Label, C: MayCarryProof + ?Sized>: EvidenceFor<C>;
}

/// Evidence that may stand in the contract `C`; closed.
#[diagnostic::on_unimplemented(
    message = "E0109: `{C}` can't claim `{Self}` by hand",
    label = "`Proved` is given by the kernel only",
    note = "write the rule in `contract! {{ … }}`, which proves it while compiling",
    note = "or say what it is: `type Evidence = Declared<Unproved>`"
)]
pub trait EvidenceFor<C: ?Sized>: Evidence {}

/// The kernel proved the backward rule, for all shapes and all inputs of the domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proved;

/// The backward rule is what its author declared it to be, under the label `L`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declared<L: Label>(PhantomData<L>);

#[diagnostic::do_not_recommend]
impl sealed::KindOfEvidence for Proved {}
#[diagnostic::do_not_recommend]
impl<L: Label> sealed::KindOfEvidence for Declared<L> {}

impl Evidence for Proved {
    const LABEL: &'static str = "proved";
    const IS_PROVED: bool = true;
    type Same<C: MayCarryProof + ?Sized> = Proved;
    type Within<C: MayCarryProof + ?Sized> = Proved;
    type And<E: Evidence, C: MayCarryProof + ?Sized> = E::Within<C>;
    type Beside<L: Label, C: MayCarryProof + ?Sized> = Declared<L::Composed>;
}

impl<M: Label> Evidence for Declared<M> {
    const LABEL: &'static str = M::TEXT;
    const IS_PROVED: bool = false;
    type Same<C: MayCarryProof + ?Sized> = Declared<M>;
    type Within<C: MayCarryProof + ?Sized> = Declared<M::Composed>;
    type And<E: Evidence, C: MayCarryProof + ?Sized> = E::Beside<M, C>;
    type Beside<L: Label, C: MayCarryProof + ?Sized> = Declared<M::Weakest<L>>;
}

#[diagnostic::do_not_recommend]
impl<C: MayCarryProof + ?Sized> EvidenceFor<C> for Proved {}
impl<C: ?Sized, L: Label> EvidenceFor<C> for Declared<L> {}

/// What a declared rule is declared to be; closed.
pub trait Label: sealed::KindOfEvidence + Copy + Send + Sync + 'static {
    /// The word for it in statements and reports.
    const TEXT: &'static str;
    /// The label of two parts together, the weaker of theirs: convention, surrogate, unproved, from strong to weak.
    /// A subgradient is stronger than a convention, but does not stay one in a composition.
    type Weakest<L: Label>: Label;
    /// What it is in a composition with what is proved.
    type Composed: Label;
    #[doc(hidden)]
    type OrConvention: Label;
    #[doc(hidden)]
    type OrSurrogate: Label;
}

/// Proved between the boundaries; on them the value lies between those of the sides, or was named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Convention;

/// Proved between the boundaries; on them the value is an element of the subdifferential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Subgradient;

/// Not the adjoint of the derivative, on purpose: a straight-through rule for instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surrogate;

/// Nothing was shown about the rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unproved;

#[diagnostic::do_not_recommend]
impl sealed::KindOfEvidence for Convention {}
#[diagnostic::do_not_recommend]
impl sealed::KindOfEvidence for Subgradient {}
#[diagnostic::do_not_recommend]
impl sealed::KindOfEvidence for Surrogate {}
#[diagnostic::do_not_recommend]
impl sealed::KindOfEvidence for Unproved {}

impl Label for Convention {
    const TEXT: &'static str = "convention";
    type Weakest<L: Label> = L::OrConvention;
    type Composed = Convention;
    type OrConvention = Convention;
    type OrSurrogate = Surrogate;
}

impl Label for Subgradient {
    const TEXT: &'static str = "subgradient";
    type Weakest<L: Label> = L::OrConvention;
    type Composed = Convention;
    type OrConvention = Convention;
    type OrSurrogate = Surrogate;
}

impl Label for Surrogate {
    const TEXT: &'static str = "surrogate";
    type Weakest<L: Label> = L::OrSurrogate;
    type Composed = Surrogate;
    type OrConvention = Surrogate;
    type OrSurrogate = Surrogate;
}

impl Label for Unproved {
    const TEXT: &'static str = "unproved";
    type Weakest<L: Label> = Unproved;
    type Composed = Unproved;
    type OrConvention = Unproved;
    type OrSurrogate = Unproved;
}
