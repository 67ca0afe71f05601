//! Contracts that a program can apply: those made from a statement.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use pullback_program::{Binding, Limits, Operation, Operator, OperatorError};

use super::error::OperationError;
use super::trace;
use super::traced::Traced;
use super::var::Agrees;
use crate::contract::Contract;

/// A contract made from a statement: what a program can apply.
///
/// `contract!` implements it for every contract that it makes, over every scalar whose values are [`Exact`](super::Exact); nobody else has to.
/// An implementation by hand says which statement the contract stands for.
/// A program applies the statement and not the contract's own code, so one that says the wrong thing gives another program, but never a wrong proof.
///
/// # Example
///
/// An operation of one's own is applied as the library's are:
///
/// ```
/// use pullback::program::{Program, Symbolic};
/// use pullback::{N, Tensor, contract};
///
/// contract! {
///     contract softsign version 1
///     dims   s..
///     input  x[s..]
///     let    r[i..] = recip(1 + x[i..]^2)
///     output y[i..] = x[i..] * r[i..]
/// }
///
/// type V = Tensor<(N<3>,)>;
/// // The scalar of the contract says how its parameters are read; this one has none.
/// let program = Program::<V, V>::trace(|x| x.tanh().apply(&softsign::<_, f32>()))?;
/// assert_eq!(program.as_dynamic().len(), 2);
/// // The statement behind it, with the sizes of its type.
/// assert_eq!(softsign::<(N<3>,), f32>().operation()?.sizes(), [3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "E0118: a program can't apply `{Self}`",
    label = "not a contract made from a statement",
    note = "write the operation in `contract! {{ … }}`; a composed contract is traced part by part"
)]
pub trait Symbolic: Contract<Input: Traced, Output: Traced> + 'static {
    /// The statement, as it was written.
    const TEXT: &'static str;

    /// Whether sizes are all of the data, so that the type alone says which operation it is.
    const PLAIN: bool;

    /// The sizes, parameters, index maps and constants, in the order in which the statement declares them.
    fn binding(&self) -> Binding;

    /// The statement with its data.
    ///
    /// # Errors
    ///
    /// [`OperationError`] where the data does not fit the statement (a parameter that is not finite, an array past the limits), or the kernel does not take the statement.
    fn operation(&self) -> Result<Operation, OperationError> {
        let operator = operator(Self::TEXT)?;
        Operation::new(operator.clone(), self.binding(), &Limits::default())
            .map_err(|faults| OperationError::Faults { operator: operator.name().to_owned(), faults })
    }

    /// The contract applied to variables of the current trace: one for each tensor of its input, and one for each of its output back.
    #[track_caller]
    fn of(&self, variables: impl Agrees<<Self::Input as Traced>::Vars>) -> <Self::Output as Traced>::Vars
    where
        Self: Sized,
    {
        trace::apply(self, variables.agree())
    }
}

/// What `contract!` says of each contract that it makes.
///
/// It stands beside [`Symbolic`] so that a message about a contract without a statement does not list all that have one.
#[doc(hidden)]
pub trait Stated: Contract<Input: Traced, Output: Traced> + 'static {
    /// [`Symbolic::TEXT`].
    const STATED: &'static str;
    /// [`Symbolic::PLAIN`].
    const ONLY_SIZES: bool;
    /// [`Symbolic::binding`].
    fn data(&self) -> Binding;
}

#[diagnostic::do_not_recommend]
impl<C: Stated> Symbolic for C {
    const TEXT: &'static str = C::STATED;
    const PLAIN: bool = C::ONLY_SIZES;
    fn binding(&self) -> Binding {
        self.data()
    }
}

/// A contract that takes the variables `Given`; implemented for exactly those.
///
/// It stands between [`Var::apply`](super::Var::apply) and [`Agrees`] so that the compiler knows the contract before it compares: otherwise it would report a mismatch of associated types, without the code.
#[diagnostic::on_unimplemented(
    message = "E0118: a program can't apply `{Self}`",
    label = "not a contract made from a statement",
    note = "write the operation in `contract! {{ … }}`; a composed contract is traced part by part"
)]
pub trait Takes<Given>: Symbolic {
    /// The contract applied to the variables.
    #[track_caller]
    fn take(&self, variables: Given) -> <Self::Output as Traced>::Vars;
}

impl<Given, C: Symbolic> Takes<Given> for C
where
    Given: Agrees<<C::Input as Traced>::Vars>,
{
    #[track_caller]
    fn take(&self, variables: Given) -> <C::Output as Traced>::Vars {
        trace::apply(self, variables.agree())
    }
}

thread_local! {
    /// Operators by the address of their text, which is static: a text is parsed, and proved if it is a user's, once a thread.
    static OPERATORS: RefCell<HashMap<(usize, usize), Arc<Operator>>> = RefCell::default();
}

fn operator(text: &'static str) -> Result<Arc<Operator>, OperatorError> {
    let key = (text.as_ptr() as usize, text.len());
    let known = OPERATORS.try_with(|known| known.borrow().get(&key).cloned());
    if let Ok(Some(operator)) = known {
        return Ok(operator);
    }
    let operator = Operator::from_text(text)?;
    // Where the thread is about to end there is nothing to keep it in.
    let _ = OPERATORS.try_with(|known| known.borrow_mut().insert(key, operator.clone()));
    Ok(operator)
}
