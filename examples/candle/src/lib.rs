//! A custom operation of candle, whose backward rule is held to the laws.
//!
//! The forward closure runs candle's graph, the backward closure its `backward`: what is checked is what trains.

use candle_core::{CpuStorage, CustomOp1, DType, Device, Layout, Result, Shape, Tensor, Var, bail};
use pullback_laws::{LawViolation, Options, Report, Rule, View};

/// `x·σ(x)`, with a backward rule to choose.
#[derive(Clone, Copy, Debug)]
pub enum Silu {
    /// The derivative.
    Right,
    /// `σ(x)` from the output, as `y / x`: right but at zero, where it is 0/0.
    Divides,
    /// The term from `σ'` is missing.
    Partial,
}

impl CustomOp1 for Silu {
    fn name(&self) -> &'static str {
        "silu"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (CpuStorage::F64(numbers), Some((from, to))) = (storage, layout.contiguous_offsets()) else {
            bail!("silu takes contiguous doubles")
        };
        let values = numbers[from..to].iter().map(|x| x / (1.0 + (-x).exp())).collect();
        Ok((CpuStorage::F64(values), layout.shape().clone()))
    }

    fn bwd(&self, x: &Tensor, y: &Tensor, gradient: &Tensor) -> Result<Option<Tensor>> {
        let s = match self {
            Silu::Divides => (y / x)?,
            Silu::Right | Silu::Partial => (x.neg()?.exp()? + 1.0)?.recip()?,
        };
        let slope = match self {
            Silu::Partial => s,
            Silu::Right | Silu::Divides => ((&s * x)? * (1.0 - &s)?)?.add(&s)?,
        };
        Ok(Some((slope * gradient)?))
    }
}

/// Checks the laws of the operation.
///
/// # Errors
///
/// The violation.
pub fn check(silu: Silu) -> std::result::Result<Report, Box<LawViolation>> {
    let run = move |x: &View<'_, f64>| -> Result<(Var, Tensor)> {
        let x = Var::from_tensor(&Tensor::from_slice(x, x.shape(), &Device::Cpu)?)?;
        let y = x.apply_op1(silu)?;
        Ok((x, y))
    };
    let pull = |x: &Var, y: &Tensor, u: &View<'_, f64>| -> Result<Vec<f64>> {
        let loss = (y * Tensor::from_slice(u, y.shape(), &Device::Cpu)?)?.sum_all()?;
        let gradient = loss.backward()?.get(x).map_or_else(|| Tensor::zeros_like(x), |g| Ok(g.clone()))?;
        gradient.to_dtype(DType::F64)?.flatten_all()?.to_vec1()
    };
    let signature = "m n -> m n".parse().expect("it is one");
    Rule::new(
        signature,
        move |x: &[View<'_, f64>]| -> Result<_> {
            let (x, y) = run(&x[0])?;
            Ok((y.flatten_all()?.to_vec1()?, (x, y)))
        },
        // An error of candle is no cotangent: the laws then say that its length is wrong.
        move |(x, y), u| pull(x, y, &u).unwrap_or_default(),
    )
    .check(&Options::new())
    .map_err(Box::new)
}

#[cfg(test)]
mod tests {
    use super::{Silu, check};

    #[test]
    fn the_right_rule_passes() {
        let report = check(Silu::Right).unwrap();
        assert!(report.held("adjoint") > 25 && report.held("interleaved") == 32, "{report:?}");
    }

    /// Random reals are never zero: it takes a point that looks for trouble.
    #[test]
    fn a_rule_that_divides_by_zero_is_caught() {
        let violation = check(Silu::Divides).unwrap_err();
        assert_eq!(violation.law().name, "defined", "{violation}");
        assert!(violation.to_string().contains("NaN"), "{violation}");
    }

    #[test]
    fn a_missing_term_is_caught() {
        let violation = check(Silu::Partial).unwrap_err();
        assert_eq!(violation.law().name, "adjoint", "{violation}");
    }
}
