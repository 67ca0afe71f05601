//! Theorem 2: a program is a contract.

use pullback::laws;
use pullback::program::ProgramResidual;
use pullback::{
    Contract, ContractExt, Cotangent, Dual, Evidence, N, Over, Program, ProvedContract, Scalar, Space, Tensor, dims,
    ops, swap,
};

use crate::support::{Q, assert_close, float, q, rational};

dims! { Batch = 3; Features = 2; Hidden = 4 }

type X<T> = Tensor<(Batch, Features), T>;
type W<T> = Tensor<(Features, Hidden), T>;
type Y<T> = Tensor<(Batch, Hidden), T>;

fn product<T: Scalar>() -> Program<(X<T>, W<T>), Y<T>> {
    Program::<(X<T>, W<T>), Y<T>>::trace(|(x, w)| x.matmul(w).square()).unwrap()
}

/// Both contracts at one point: outputs and cotangents.
fn agree<F: Contract, G: Contract<Input = F::Input, Output = F::Output>>(f: &F, g: &G)
where
    F::Input: Over<Q>,
    F::Output: Over<Q>,
{
    let (x, u) = (rational::<F::Input>(2), rational::<F::Output>(5));
    let (left, left_at) = f.forward(x.clone()).unwrap();
    let (right, right_at) = g.forward(x).unwrap();
    assert_eq!(left.coordinates(), right.coordinates());
    let left = f.pullback(&left_at, Cotangent::new(u.clone())).into_inner();
    let right = g.pullback(&right_at, Cotangent::new(u)).into_inner();
    assert_eq!(left.coordinates(), right.coordinates());
}

#[test]
fn by_hand_and_traced() {
    agree(&ops::matmul::<Batch, Features, Hidden, Q>().then(ops::square()), &product::<Q>());
}

#[test]
fn programs_compose_with_contracts_and_programs() {
    let by_hand = || ops::matmul::<Batch, Features, Hidden, Q>().then(ops::square());
    let squared = Program::<Y<Q>, Y<Q>>::trace(|y| y.square()).unwrap();
    agree(&by_hand().then(ops::square()), &product::<Q>().then(ops::square()));
    agree(&by_hand().then(ops::square()), &product::<Q>().then(squared.clone()));
    agree(&by_hand().then(ops::square()), &by_hand().then(squared.clone()));
    agree(&by_hand().par(ops::square::<(Batch, Hidden), Q>()), &product::<Q>().par(squared.clone()));
    agree(&swap().then(by_hand()), &swap().then(product::<Q>()));
    agree(&ops::square::<(Batch, Hidden), Q>().fan_out(ops::square()), &squared.clone().fan_out(ops::square()));
    agree(&by_hand().checkpoint(), &product::<Q>().checkpoint());
    agree(&by_hand(), &product::<Q>().erase());
    let one = Program::<(X<Q>, W<Q>), Y<Q>>::trace(|input| squared.of(product::<Q>().of(input))).unwrap();
    agree(&by_hand().then(ops::square()), &one);
    assert_eq!(one.as_dynamic().len(), 3);
}

#[test]
fn evidence_is_of_the_certificate() {
    fn label<C: Contract>(_: &C) -> &'static str {
        C::Evidence::LABEL
    }
    fn needs_proof<C: ProvedContract>(_: &C) {}
    assert_eq!(label(&product::<f32>()), "unproved");
    let proved = product::<f32>().proved().unwrap();
    needs_proof(&proved);
    needs_proof(&proved.clone().then(ops::tanh()).checkpoint());
    assert_eq!(proved.as_program(), &product::<f32>());
    assert_eq!(format!("{proved:?}"), "Proved(Program(2 inputs, 2 instructions, 1 output))");
    let declared = Program::<Y<f32>, Y<f32>>::trace(|y| y.relu().tanh().abs()).unwrap();
    let obstacles = declared.proved().unwrap_err();
    let at: Vec<usize> = obstacles.iter().map(|o| o.instruction).collect();
    assert_eq!(at, [0, 2]);
}

#[test]
fn the_laws_of_contracts_hold() {
    let (f, on_duals) = (product::<Q>(), product::<Q>().over::<(X<Dual<Q>>, W<Dual<Q>>), Y<Dual<Q>>>());
    let (x, u, v) = (rational::<(X<Q>, W<Q>)>(1), rational::<Y<Q>>(2), rational::<(X<Q>, W<Q>)>(3));
    laws::adjoint::<Q, _, _>(&f, &on_duals, &x, &u, &v).unwrap();
    laws::coordinatewise::<Q, _, _>(&f, &on_duals, &x, &u).unwrap();
    laws::primal::<Q, _, _>(&f, &on_duals, &x, &v).unwrap();
}

#[test]
fn domains_are_the_contracts() {
    type V = Tensor<(N<2>,), f64>;
    let program = Program::<V, V>::trace(|x| x.log().sqrt()).unwrap();
    let conditions: Vec<(usize, String)> = program.domain().into_iter().map(|c| (c.instruction, c.condition)).collect();
    assert_eq!(conditions, [(0, "x[i..] > 0".to_owned()), (1, "x[i..] > 0".to_owned())]);
    assert!(program.forward(V::full(2.0)).is_ok());
    let error = program.forward(V::full(-1.0)).unwrap_err();
    assert_eq!(error.to_string(), "log: the condition `x[i..] > 0` does not hold");
    assert_eq!(program.forward(V::full(0.5)).unwrap_err().contract(), "sqrt");
    let masked = ops::softmax_masked::<(), N<2>, f64>(V::from_fn(|k| k as f64 - 1.0), V::zeros());
    let error = Program::<V, V>::trace(|x| x.apply(&masked)).unwrap().forward(V::full(1.0)).unwrap_err();
    assert_eq!(error.to_string(), "softmax_masked: the condition `weight[i.., j] >= 0` does not hold");
    // Through a combinator.
    assert_eq!(ops::tanh().then(program).forward(V::full(-1.0)).unwrap_err().contract(), "log");
}

#[test]
fn a_value_that_rationals_can_not_say_is_an_error_forward() {
    type S = Tensor<(), Q>;
    let program = Program::<S, S>::trace(|x| x.exponential()).unwrap();
    let error = program.forward(S::scalar(q(1, 1))).unwrap_err();
    assert_eq!(error.contract(), "exponential");
    let (y, at) = program.forward(S::scalar(q(0, 1))).unwrap();
    assert_eq!(y.to_scalar(), q(1, 1));
    assert_eq!(program.pullback(&at, Cotangent::new(S::scalar(q(3, 1)))).into_inner().to_scalar(), q(3, 1));
}

#[test]
fn tapes_are_a_space() {
    let f = product::<Q>();
    let input = rational::<(X<Q>, W<Q>)>(2);
    let (_, tape) = f.forward(input).unwrap();
    let u = Cotangent::new(rational::<Y<Q>>(3));
    let once = f.pullback(&tape, u.clone()).into_inner();
    let mut sum = ProgramResidual::<Q>::zero();
    sum.accumulate(&tape);
    let (dx, _) = f.pullback(&sum, u.clone()).into_inner();
    assert_eq!(dx, once.0);
    // The rule of this program is linear in each of two saved values.
    sum.accumulate(&tape);
    let (dx, _) = f.pullback(&sum, u.clone()).into_inner();
    assert_eq!(dx, once.0.map(|x: Q| x * q(4, 1)));
    // The tape of another program leaves it alone.
    let (_, other) = Program::<X<Q>, X<Q>>::trace(|x| x.square()).unwrap().forward(rational(1)).unwrap();
    sum.accumulate(&other);
    assert_eq!(f.pullback(&sum, u.clone()).into_inner().0, dx);
    assert_eq!(f.pullback(&ProgramResidual::zero(), u).into_inner(), Space::zero());
    assert_eq!(f.tape_report().elements, 6 + 8 + 12);
}

#[test]
fn the_scalar_is_that_of_the_first_tensor() {
    let made = Program::<(), (Tensor<(N<2>,), f64>, ())>::trace(|()| (pullback::Var::ones(), ())).unwrap();
    assert_eq!(made.forward(()).unwrap().0.0.as_slice(), [1.0, 1.0]);
    let dropped = Program::<((), Tensor<(N<2>,), f64>), ()>::trace(|_| ()).unwrap();
    let input = ((), float::<Tensor<(N<2>,), f64>>(1));
    let (_, at) = dropped.forward(input.clone()).unwrap();
    let ((), dx) = dropped.pullback(&at, Cotangent::new(())).into_inner();
    assert_close(&dx, &Tensor::zeros());
}
