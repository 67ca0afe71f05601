//! A custom operation of burn, whose backward rule is held to the laws.
//!
//! The forward closure runs burn's graph, the backward closure its `backward`: what is checked is what trains.

use burn_autodiff::Autodiff;
use burn_autodiff::checkpoint::{base::Checkpointer, strategy::NoCheckpointing};
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind, unary};
use burn_ndarray::{NdArray, NdArrayDevice};
use burn_tensor::ops::{FloatTensor, FloatTensorOps};
use burn_tensor::{Tensor, TensorData, TensorPrimitive};
use pullback_laws::{LawViolation, Options, Report, Rule, View};

type Plain = NdArray<f64>;
type Moving = Autodiff<Plain>;

/// The cube, with a backward rule to choose.
#[derive(Clone, Copy, Debug)]
pub enum Cube {
    /// `3·x²·u`.
    Right,
    /// `3·x·u`: a power is missing, which nobody sees at zero and one.
    Linear,
    /// `3·x²`: the cotangent is forgotten, which nobody sees under ones.
    Forgetful,
}

impl Backward<Plain, 1> for Cube {
    type State = FloatTensor<Plain>;

    fn backward(self, ops: Ops<Self::State, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let x = ops.state;
        unary::<Plain, _>(ops.parents, ops.node, gradients, |u| {
            let power = match self {
                Cube::Linear => x,
                Cube::Right | Cube::Forgetful => Plain::float_mul(x.clone(), x),
            };
            let slope = Plain::float_mul_scalar(power, 3.0);
            match self {
                Cube::Forgetful => slope,
                Cube::Right | Cube::Linear => Plain::float_mul(slope, u),
            }
        });
    }
}

/// The operation on burn's tensors.
#[must_use]
pub fn cube(rule: Cube, x: Tensor<Moving, 2>) -> Tensor<Moving, 2> {
    let x = x.into_primitive().tensor();
    let value = |x: FloatTensor<Plain>| Plain::float_mul(Plain::float_mul(x.clone(), x.clone()), x);
    let y = match rule.prepare::<NoCheckpointing>([x.node.clone()]).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => prepared.finish(x.primitive.clone(), value(x.primitive)),
        OpsKind::UnTracked(prepared) => prepared.finish(value(x.primitive)),
    };
    Tensor::from_primitive(TensorPrimitive::Float(y))
}

/// Checks the laws of the operation.
///
/// The law `reusable` is left out of the right rule's check below: burn gives the graph back on `backward`, so the second use of a tape gives zeros by design.
///
/// # Errors
///
/// The violation.
pub fn check(rule: Cube, options: &Options) -> Result<Report, Box<LawViolation>> {
    fn tensor(x: &View<'_, f64>) -> Tensor<Moving, 2> {
        Tensor::from_data(TensorData::new(x.to_vec(), [x.shape()[0], x.shape()[1]]), &NdArrayDevice::Cpu)
    }
    fn numbers(data: TensorData) -> Vec<f64> {
        // What is not doubles is no cotangent: the laws then say that its length is wrong.
        data.to_vec().unwrap_or_default()
    }
    Rule::new(
        "m n -> m n".parse().expect("it is one"),
        move |x: &[View<'_, f64>]| {
            let x = tensor(&x[0]).require_grad();
            let y = cube(rule, x.clone());
            (numbers(y.to_data()), (x, y))
        },
        |(x, y), u| {
            let gradients = (y.clone() * tensor(&u)).sum().backward();
            x.grad(&gradients).map(|gradient| numbers(gradient.to_data())).unwrap_or_default()
        },
    )
    .check(options)
    .map_err(Box::new)
}

#[cfg(test)]
mod tests {
    use super::{Cube, check};
    use pullback_laws::{Law, Options};

    #[test]
    fn the_right_rule_passes() {
        let report = check(Cube::Right, &Options::new().without(Law::REUSABLE)).unwrap();
        assert!(report.held("adjoint") > 25 && report.held("moved") == 32, "{report:?}");
    }

    /// What burn documents, the law finds.
    #[test]
    fn a_tape_of_burn_is_used_once() {
        let violation = check(Cube::Right, &Options::new()).unwrap_err();
        assert_eq!(violation.law().name, "reusable", "{violation}");
    }

    #[test]
    fn a_missing_power_is_caught() {
        let violation = check(Cube::Linear, &Options::new()).unwrap_err();
        assert_eq!(violation.law().name, "adjoint", "{violation}");
    }

    #[test]
    fn a_forgotten_cotangent_is_caught() {
        let violation = check(Cube::Forgetful, &Options::new()).unwrap_err();
        assert_eq!(violation.law().name, "homogeneous", "{violation}");
    }
}
