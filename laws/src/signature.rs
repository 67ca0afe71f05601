//! Shapes as data, with sizes that may vary.

use core::str::FromStr;

use thiserror::Error;

use crate::draw::Draw;

/// The shapes of the arguments and of the output of a rule: `"m k, k n -> m n"`.
///
/// Arguments are separated by commas, axes by blanks; an axis is a number, a name, or a sum of those such as `a+b`.
/// An argument without axes is a single number.
/// Equal names are equal sizes, which the checks vary: one, primes, not square.
///
/// # Example
///
/// ```
/// use pullback_laws::Signature;
///
/// let matmul: Signature = "m k, k n -> m n".parse()?;
/// assert_eq!(matmul.names(), ["m", "k", "n"]);
/// assert_eq!(matmul.inputs(&[2, 3, 5]), [vec![2, 3], vec![3, 5]]);
/// assert_eq!(matmul.output(&[2, 3, 5]), [2, 5]);
/// assert!("m k, k n".parse::<Signature>().is_err());
/// # Ok::<(), pullback_laws::SignatureError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    names: Vec<String>,
    inputs: Vec<Vec<Axis>>,
    output: Vec<Axis>,
}

/// An axis: the sum of its parts.
type Axis = Vec<Part>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Size(usize),
    Named(usize),
}

/// A text is no signature.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// There is no arrow.
    #[error("`{0}` has no `->`: write the arguments, an arrow, and the output, such as `m k, k n -> m n`")]
    Arrow(String),
    /// An axis is neither a number nor a name.
    #[error("`{0}` is no axis: write a number, a name, or a sum of those such as `a+b`")]
    Axis(String),
}

impl FromStr for Signature {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Self, SignatureError> {
        let (inputs, output) = text.split_once("->").ok_or_else(|| SignatureError::Arrow(text.to_owned()))?;
        let mut names = vec![];
        let inputs = inputs.split(',').map(|shape| axes(shape, &mut names)).collect::<Result<_, _>>()?;
        let output = axes(output, &mut names)?;
        Ok(Signature { names, inputs, output })
    }
}

fn axes(shape: &str, names: &mut Vec<String>) -> Result<Vec<Axis>, SignatureError> {
    let mut part = |text: &str| {
        if let Ok(size) = text.parse() {
            return Ok(Part::Size(size));
        }
        let starts = text.starts_with(|letter: char| letter.is_alphabetic());
        if !starts || !text.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
            return Err(SignatureError::Axis(text.to_owned()));
        }
        let known = names.iter().position(|name| name == text);
        Ok(Part::Named(known.unwrap_or_else(|| {
            names.push(text.to_owned());
            names.len() - 1
        })))
    };
    shape.split_whitespace().map(|axis| axis.split('+').map(&mut part).collect()).collect()
}

impl Signature {
    /// The names of the sizes that may vary, in the order in which they occur.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// The shapes of the arguments, for a size of each name; a size that is not given is one.
    #[must_use]
    pub fn inputs(&self, sizes: &[usize]) -> Vec<Vec<usize>> {
        self.inputs.iter().map(|shape| lengths(shape, sizes)).collect()
    }

    /// The shape of the output.
    #[must_use]
    pub fn output(&self, sizes: &[usize]) -> Vec<usize> {
        lengths(&self.output, sizes)
    }

    /// Sizes for a case: all one first, then not square with a one among them, then primes; empty ones now and then, where that is legal.
    #[must_use]
    pub fn sizes(&self, case: usize, draw: &mut Draw, empty: bool) -> Vec<usize> {
        const ROUND: [&[usize]; 8] =
            [&[1], &[2, 3, 5], &[3, 1, 2], &[5, 2, 3], &[1, 7, 2], &[2, 2, 3], &[7, 3, 1], &[3, 5, 2]];
        let mut sizes: Vec<usize> = match ROUND.get(case) {
            Some(round) => round.iter().copied().cycle().take(self.names.len()).collect(),
            None => self.names.iter().map(|_| [1, 2, 3, 5, 7][draw.below(5)]).collect(),
        };
        if empty && case % 8 == 7 {
            let place = draw.below(sizes.len());
            if let Some(size) = sizes.get_mut(place) {
                *size = 0;
            }
        }
        sizes
    }
}

fn lengths(shape: &[Axis], sizes: &[usize]) -> Vec<usize> {
    let size = |part: &Part| match part {
        Part::Size(size) => *size,
        Part::Named(name) => sizes.get(*name).copied().unwrap_or(1),
    };
    shape.iter().map(|axis| axis.iter().map(size).sum()).collect()
}
