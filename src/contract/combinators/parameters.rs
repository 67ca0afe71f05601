//! Parameters in a struct.

use core::marker::PhantomData;

use crate::contract::seal::{MayCarryProof, OfItsParts};
use crate::contract::{Contract, DomainError, Evidence};
use crate::space::{Composite, Cotangent, Space};

/// A tuple of spaces, and the same nested to the left: `(a, b, c)` and `((a, b), c)`.
///
/// The second is the form in which [`then_with`](crate::ContractExt::then_with) collects parameters.
pub trait Nest: Space {
    /// The tuple nested to the left.
    type Nested: Space;
    /// Nests a tuple.
    fn nest(self) -> Self::Nested;
    /// Flattens it again.
    fn unnest(nested: Self::Nested) -> Self;
}

/// Fragments: the parts, with the variables that stand for them; then the nested type and the nested pattern, built up from the left.
macro_rules! nest {
    ($first:ident $one:ident; $($part:ident $name:ident),*) => {
        impl<$first: Space, $($part: Space),*> Nest for ($first, $($part,)*) {
            type Nested = nest!(@type $first; $($part)*);
            #[inline]
            fn nest(self) -> Self::Nested {
                let ($one, $($name,)*) = self;
                nest!(@value $one; $($name)*)
            }
            #[inline]
            fn unnest(nested: Self::Nested) -> Self {
                nest!(@pattern nested, $one, $($name)*);
                ($one, $($name,)*)
            }
        }
    };
    (@type $nested:ty;) => { $nested };
    (@type $nested:ty; $part:ident $($rest:ident)*) => { nest!(@type ($nested, $part); $($rest)*) };
    (@value $nested:expr;) => { $nested };
    (@value $nested:expr; $part:ident $($rest:ident)*) => { nest!(@value ($nested, $part); $($rest)*) };
    (@pattern $from:ident, $nested:pat,) => { let $nested = $from; };
    (@pattern $from:ident, $nested:pat, $part:ident $($rest:ident)*) => {
        nest!(@pattern $from, ($nested, $part), $($rest)*);
    };
}

nest! { A a; }
nest! { A a; B b }
nest! { A a; B b, C c }
nest! { A a; B b, C c, D d }
nest! { A a; B b, C c, D d, E e }
nest! { A a; B b, C c, D d, E e, F f }
nest! { A a; B b, C c, D d, E e, F f, G g }
nest! { A a; B b, C c, D d, E e, F f, G g, H h }
nest! { A a; B b, C c, D d, E e, F f, G g, H h, I i }
nest! { A a; B b, C c, D d, E e, F f, G g, H h, I i, J j }
nest! { A a; B b, C c, D d, E e, F f, G g, H h, I i, J j, K k }
nest! { A a; B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l }

/// A contract that takes its parameters in a struct; made by [`with_parameters`](crate::ContractExt::with_parameters).
#[derive(Debug)]
pub struct WithParameters<F, P> {
    pub(crate) inner: F,
    pub(crate) parameters: PhantomData<fn() -> P>,
}

impl<F: Clone, P> Clone for WithParameters<F, P> {
    #[inline]
    fn clone(&self) -> Self {
        WithParameters { inner: self.inner.clone(), parameters: PhantomData }
    }
}

impl<F, P> MayCarryProof for WithParameters<F, P> {
    type Grounds = OfItsParts<Self>;
}

impl<F, P, A> Contract for WithParameters<F, P>
where
    A: Space,
    P: Composite,
    P::Parts: Nest,
    F: Contract<Input = (<P::Parts as Nest>::Nested, A)>,
{
    type Input = (P, A);
    type Output = F::Output;
    type Residual = F::Residual;
    type Evidence = <F::Evidence as Evidence>::Within<Self>;

    #[inline]
    fn forward(&self, (parameters, input): (P, A)) -> Result<(F::Output, F::Residual), DomainError> {
        self.inner.forward((parameters.into_parts().nest(), input))
    }

    #[inline]
    fn pullback(&self, residual: &F::Residual, seed: Cotangent<F::Output>) -> Cotangent<(P, A)> {
        let (parameters, input) = self.inner.pullback(residual, seed).split();
        let parameters = P::from_parts(P::Parts::unnest(parameters.into_inner()));
        (Cotangent::new(parameters), input).into()
    }
}
