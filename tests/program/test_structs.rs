//! Structs of parameters stay structs.

use pullback::{Dim, Program, Scalar, Shape, Space, Tensor, Traced, Var, dims};

use crate::support::{Q, q, rational};

dims! { Batch = 2; Features = 3; Hidden = 4; Classes = 2 }

#[derive(Clone, Debug, Space, PartialEq)]
struct Dense<In: Dim, Out: Dim, T: Scalar = f32> {
    weight: Tensor<(In, Out), T>,
    bias: Tensor<(Out,), T>,
}

#[derive(Clone, Debug, Space, PartialEq)]
struct Model<T: Scalar>(Dense<Features, Hidden, T>, [Dense<Hidden, Hidden, T>; 2], Dense<Hidden, Classes, T>);

#[derive(Clone, Debug, Space)]
struct Nothing;

/// A name that is taken needs another.
#[derive(Clone, Debug, Space)]
#[space(vars = Bundled)]
struct Bundle<A>
where
    A: Space,
{
    r#type: A,
    rest: (Tensor<()>, Nothing),
}

#[expect(dead_code, reason = "its name is what the derive must not take")]
struct BundleVars;

/// A space of one's own, without variables.
#[derive(Clone, Debug, PartialEq)]
struct Counter(i64);

impl Space for Counter {
    const DIMENSION: usize = 0;
    fn zero() -> Self {
        Counter(0)
    }
    fn accumulate(&mut self, term: &Self) {
        self.0 += term.0;
    }
}

/// Still a space, with a field that is none of programs, and one that is generic.
#[derive(Clone, Debug, Space)]
struct Mixed<S: Shape> {
    counter: Counter,
    tensor: Tensor<S>,
}

static_assertions::assert_impl_all!(Bundle<Tensor<()>>: Traced);
static_assertions::assert_impl_all!(Mixed<(Batch,)>: Space);
static_assertions::assert_not_impl_any!(Mixed<(Batch,)>: Traced);
static_assertions::assert_not_impl_any!(Bundle<Counter>: Traced);
static_assertions::assert_impl_all!(DenseVars<Batch, Hidden, Q>: Copy, core::fmt::Debug);
static_assertions::assert_not_impl_any!(Var<(Batch,)>: Send, Sync);

fn dense<B: Dim, In: Dim, Out: Dim, T: Scalar>(layer: DenseVars<In, Out, T>, x: Var<(B, In)>) -> Var<(B, Out)> {
    x.matmul(layer.weight).bias_add(layer.bias)
}

fn model<B: Dim, T: Scalar>(ModelVars(first, inner, last): ModelVars<T>, x: Var<(B, Features)>) -> Var<(B, Classes)> {
    let mut x = dense(first, x);
    for layer in inner {
        x = dense(layer, x);
    }
    dense(last, x)
}

type Given<T> = (Model<T>, Tensor<(Batch, Features), T>);
type Logits<T> = Tensor<(Batch, Classes), T>;

#[test]
fn ports_are_called_by_their_paths() {
    let program = Program::<Given<f32>, Logits<f32>>::trace(|(parameters, x)| model(parameters, x)).unwrap();
    let names: Vec<&str> = program.as_dynamic().inputs().iter().map(|i| i.name.as_str()).collect();
    let expected = ["0.0.weight", "0.0.bias", "0.1.0.weight", "0.1.0.bias", "0.1.1.weight", "0.1.1.bias"];
    assert_eq!(names[..6], expected);
    assert_eq!(names[6..], ["0.2.weight", "0.2.bias", "1"]);
    let alone = Program::<Dense<Features, Hidden>, Dense<Features, Hidden>>::trace(|layer| layer).unwrap();
    assert_eq!(alone.to_string().lines().next().unwrap(), "%0 = input weight: [3, 4]");
    let tensor = Program::<Logits<f32>, Logits<f32>>::trace(|x| x).unwrap();
    assert_eq!(tensor.to_string(), "%0 = input input: [2, 2]\noutput output = %0\n");
}

#[test]
fn fields_come_back_in_their_places() {
    let program = Program::<Model<Q>, Model<Q>>::trace(|ModelVars(first, [a, b], last)| {
        let DenseVars { weight, bias } = first;
        ModelVars(DenseVars { weight: weight + weight, bias }, [b, a], last)
    })
    .unwrap();
    let point = rational::<Model<Q>>(2);
    let Model(first, [a, b], last) = point.clone();
    let doubled = Dense { weight: first.weight.map(|w: Q| w * q(2, 1)), bias: first.bias };
    assert_eq!(program.evaluate(point).unwrap(), Model(doubled, [b, a], last));
}

#[test]
fn gradients_are_structs() {
    let program = Program::<Given<Q>, Logits<Q>>::trace(|(parameters, x)| model(parameters, x)).unwrap();
    let (point, u) = (rational::<Given<Q>>(1), rational::<Logits<Q>>(2));
    let (gradient, _) = program.reverse().unwrap().evaluate((point.clone(), u.clone())).unwrap();
    let (_, at) = program.linearize(point).unwrap();
    let (pulled, _) = at.pullback(pullback::Cotangent::new(u.clone())).unwrap().into_inner();
    assert_eq!(gradient, pulled);
    // The bias of the last layer is added to every row.
    for k in 0..2 {
        assert_eq!(gradient.2.bias.as_slice()[k], u.as_slice()[k].clone() + u.as_slice()[2 + k].clone());
    }
}

#[test]
fn a_generic_field_and_a_raw_name() {
    type Pair = (Tensor<(Batch,)>, Tensor<(Hidden,)>);
    let program = Program::<Bundle<Pair>, Pair>::trace(|Bundled { r#type, rest: (_, NothingVars) }| r#type).unwrap();
    let names: Vec<&str> = program.as_dynamic().inputs().iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["type.0", "type.1", "rest.0"]);
}

#[test]
fn variables_are_printed_with_their_axes() {
    let mut shown = String::new();
    Program::<Dense<Features, Hidden>, ()>::trace(|layer| shown = format!("{layer:?}")).unwrap();
    assert_eq!(shown, "DenseVars { weight: Var(Features = 3, Hidden = 4) %0, bias: Var(Hidden = 4) %1 }");
}

#[test]
fn a_space_without_variables_still_adds() {
    let one = Mixed::<(Batch,)> { counter: Counter(1), tensor: Tensor::full(0.5) };
    let two = one.clone().add(&one);
    assert_eq!((two.counter, two.tensor), (Counter(2), Tensor::full(1.0)));
}
