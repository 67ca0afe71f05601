//! What a trace refuses, and where it says that it happened.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pullback::program::dynamic::OperationFault;
use pullback::program::{Limits, OperationError, TraceFault};
use pullback::{IndexMap, N, Program, Symbolic, Tensor, Traced, Var, contract, ops};

type V = Tensor<(N<3>,), f64>;

contract! {
    /// An operation of a user.
    contract softsign version 1
    dims   s..
    input  x[s..]
    let    r[i..] = recip(1 + x[i..]^2)
    output y[i..] = x[i..] * r[i..]
    saves  x, r
    dx[i..] = dy[i..] * (1 - x[i..]^2) * r[i..]^2
}

#[test]
fn a_variable_of_a_trace_that_is_over() {
    let mut kept = None;
    Program::<V, V>::trace(|x| {
        kept = Some(x);
        x
    })
    .unwrap();
    let kept: Var<(N<3>,)> = kept.unwrap();
    let line = line!() + 2;
    let error = Program::<V, V>::trace(|x| {
        let sum = x + kept;
        sum.tanh()
    })
    .unwrap_err();
    assert_eq!(*error.fault(), TraceFault::Foreign);
    assert_eq!(error.location().line(), line);
    assert!(error.to_string().contains("test_errors.rs") && error.to_string().contains("another trace"), "{error}");
    // As an output too.
    assert_eq!(*Program::<V, V>::trace(|_| kept).unwrap_err().fault(), TraceFault::Foreign);
    // Outside of every trace nothing happens.
    let nothing = (kept * kept).softmax();
    assert_eq!(format!("{nothing:?}"), "Var(3 = 3) of nothing");
    assert_eq!(*Program::<V, V>::trace(|x| x + nothing).unwrap_err().fault(), TraceFault::Foreign);
    assert!(Program::<V, V>::trace(|x| x + Var::zeros()).is_ok());
}

#[test]
fn a_variable_of_the_trace_around() {
    let mut inner = None;
    let outer = Program::<V, V>::trace(|x| {
        inner = Some(Program::<V, V>::trace(|y| x * y));
        // The outer trace goes on.
        x * x
    });
    assert_eq!(*inner.unwrap().unwrap_err().fault(), TraceFault::Foreign);
    assert_eq!(outer.unwrap().as_dynamic().len(), 1);
}

#[test]
fn a_program_may_be_traced_inside_of_a_trace() {
    let program = Program::<V, V>::trace(|x| {
        let inner = Program::<V, V>::trace(|y| y.tanh() + y).unwrap();
        inner.of(inner.of(x))
    })
    .unwrap();
    assert_eq!(program.as_dynamic().len(), 4);
    // Each distinct operation once.
    assert_eq!(program.as_dynamic().operations().len(), 2);
}

#[test]
fn a_panic_leaves_the_thread_in_order() {
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let _ = Program::<V, V>::trace(|_| panic!("a user's own"));
    }));
    assert!(caught.is_err());
    assert_eq!(Program::<V, V>::trace(|x| x + x).unwrap().as_dynamic().len(), 1);
}

#[test]
fn numbers_that_are_none() {
    let line = line!() + 1;
    let error = Program::<V, V>::trace(|x| x.scale(f64::NAN)).unwrap_err();
    assert_eq!(error.location().line(), line);
    let TraceFault::Operation(OperationError::Faults { operator, faults }) = error.fault() else { panic!("{error}") };
    assert_eq!(operator, "scale");
    assert!(matches!(faults[..], [OperationFault::NotFinite { .. }]));
    let error = Program::<V, V>::trace(|x| x + Var::constant(f64::INFINITY)).unwrap_err();
    assert!(error.to_string().contains("not finite"), "{error}");
    let error = Program::<V, V>::trace(|x| x.l2_normalize(-1.0)).unwrap_err();
    assert!(error.to_string().contains("l2_normalize: the condition `eps > 0` does not hold"), "{error}");
}

#[test]
fn the_first_error_is_the_one() {
    let line = line!() + 1;
    let error = Program::<V, V>::trace(|x| x.scale(f64::NAN).scale(f64::INFINITY)).unwrap_err();
    assert_eq!(error.location().line(), line);
    assert!(error.to_string().contains("scale"));
}

#[test]
fn programs_past_their_limits() {
    let limits = Limits { instructions: 3, ..Limits::default() };
    assert!(Program::<V, V>::trace_within(limits, |x| x + x + x + x).is_ok());
    let error = Program::<V, V>::trace_within(limits, |x| x + x + x + x + x).unwrap_err();
    assert!(matches!(error.fault(), TraceFault::Apply(_)), "{error}");
    let limits = Limits { total: 2, ..Limits::default() };
    assert!(Program::<V, V>::trace_within(limits, |x| x).is_err());
}

#[test]
fn an_operation_of_ones_own() {
    let program = Program::<V, V>::trace(|x| x.apply(&softsign::<_, f64>()).exponential()).unwrap();
    assert!(program.proved().is_ok());
    let twice = Program::<(V, V), V>::trace(|(x, y)| softsign::<_, f64>().of(ops::add::<_, f64>().of((x, y)))).unwrap();
    assert_eq!(twice.as_dynamic().operations()[1].operator().name(), "softsign");
    assert!(!twice.as_dynamic().operations()[1].operator().is_in_library());
}

#[test]
fn an_implementation_by_hand_that_says_another_shape() {
    /// Says that a transpose keeps its shape.
    struct Wrong;
    impl pullback::Contract for Wrong {
        type Input = Tensor<(N<2>, N<3>)>;
        type Output = Tensor<(N<2>, N<3>)>;
        type Residual = ();
        type Evidence = pullback::Declared<pullback::Unproved>;
        fn forward(&self, input: Self::Input) -> Result<(Self::Output, ()), pullback::DomainError> {
            Ok((input, ()))
        }
        fn pullback(&self, (): &(), seed: pullback::Cotangent<Self::Output>) -> pullback::Cotangent<Self::Input> {
            seed
        }
    }
    impl Symbolic for Wrong {
        const TEXT: &'static str = ops::Transpose::<(), N<2>, N<3>>::STATEMENT;
        const PLAIN: bool = true;
        fn binding(&self) -> pullback::program::dynamic::Binding {
            // A trace may be made while one is made; it does not get in the way.
            let inner = Program::<V, V>::trace(|x| x + x).unwrap();
            assert_eq!(inner.as_dynamic().len(), 1);
            ops::transpose::<(), N<2>, N<3>, f32>().binding()
        }
    }
    type Matrix = Tensor<(N<2>, N<3>)>;
    let error = Program::<Matrix, Matrix>::trace(|x| x.apply(&Wrong)).unwrap_err();
    assert_eq!(error.fault().to_string(), "`transpose` gives [3, 2], its type says [2, 3]");
}

#[test]
fn index_data_goes_along() {
    type Whole = Tensor<(N<2>, N<5>), f64>;
    type Part = Tensor<(N<2>, N<3>), f64>;
    let at = IndexMap::<(N<3>,), (N<5>,)>::new(vec![4, 0, 4]).unwrap();
    let slice = ops::slice::<(N<2>,), N<3>, N<5>, f64>(at);
    let program = Program::<Whole, Part>::trace(|x| x.apply(&slice)).unwrap();
    let x = Whole::from_fn(|k| k as f64);
    assert_eq!(program.evaluate(x).unwrap().as_slice(), [4.0, 0.0, 4.0, 9.0, 5.0, 9.0]);
    fn vars<A: Traced>() -> &'static str {
        core::any::type_name::<A::Vars>()
    }
    assert!(vars::<Whole>().contains("Var<"));
}

#[test]
fn a_long_trace() {
    let program = Program::<V, V>::trace(|mut x| {
        for _ in 0..100_000 {
            x = x + x;
        }
        x
    })
    .unwrap();
    assert_eq!((program.as_dynamic().len(), program.as_dynamic().operations().len()), (100_000, 1));
}
