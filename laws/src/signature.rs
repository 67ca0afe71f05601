//! Shapes as data, with sizes that may vary.

use core::str::FromStr;

use thiserror::Error;

use crate::draw::Draw;

/// The shapes of the arguments and of the output of a rule: `"m k, k n -> m n"`.
///
/// Arguments are separated by commas, axes by blanks; an axis is a number, a name, or a sum of those such as `a+b`.
/// An argument without axes is a single number.
/// Equal names are equal sizes, which the checks vary: one, primes, powers of two and their neighbours, not square.
/// They begin at one: an axis of two at least is `n+1`.
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
    /// There is no arrow, or several.
    #[error(
        "`{text}` has {arrows} `->` and should have one: write the arguments, an arrow, and the output, such as `m k, k n -> m n`"
    )]
    Arrow {
        /// The text.
        text: String,
        /// How many arrows there are.
        arrows: usize,
    },
    /// An axis is neither a number nor a name.
    #[error("`{0}` is no axis: write a number, a name, or a sum of those without blanks such as `a+b`")]
    Axis(String),
    /// An array that no check can hold.
    #[error(
        "`{0}` has more than 2²⁴ numbers at the least of its sizes: write a smaller shape, a law needs no large one"
    )]
    Large(String),
}

/// The most numbers of an array whose sizes are given.
const LARGEST: usize = 1 << 24;
/// The most numbers of all arrays together, where sizes are drawn.
const DRAWN: usize = 256;

impl FromStr for Signature {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Self, SignatureError> {
        let parts: Vec<&str> = text.split("->").collect();
        let [inputs, output] = parts[..] else {
            return Err(SignatureError::Arrow { text: text.to_owned(), arrows: parts.len() - 1 });
        };
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
    let axis = |axis: &str| match axis.split('+').map(&mut part).collect() {
        // Of a sum that is broken, all of it is shown.
        Err(SignatureError::Axis(_)) => Err(SignatureError::Axis(axis.to_owned())),
        other => other,
    };
    let axes: Vec<Axis> = shape.split_whitespace().map(axis).collect::<Result<_, _>>()?;
    match product(&axes, &[]) {
        Some(least) if least <= LARGEST => Ok(axes),
        _ => Err(SignatureError::Large(shape.trim().to_owned())),
    }
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

    /// Sizes for a case: all one first, then not square with a one among them and square ones, then what loops are unrolled by and its neighbours; empty ones now and then, where that is legal.
    ///
    /// All arrays together have a few hundred numbers at most.
    #[must_use]
    pub fn sizes(&self, case: usize, draw: &mut Draw, empty: bool) -> Vec<usize> {
        const ROUND: [&[usize]; 16] = [
            &[1],
            &[2, 3, 5],
            &[3, 1, 2],
            &[5, 2, 3],
            &[1, 7, 2],
            &[4, 4, 2],
            &[7, 3, 1],
            &[3, 5, 2],
            &[8, 2, 1],
            &[6, 6, 6],
            &[17, 3, 2],
            &[2, 16, 3],
            &[9, 4, 9],
            &[33, 2, 1],
            &[1, 12, 3],
            &[64, 3, 1],
        ];
        const ANY: [usize; 16] = [1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 11, 16, 17, 32];
        let mut sizes: Vec<usize> = match ROUND.get(case) {
            Some(round) => round.iter().copied().cycle().take(self.names.len()).collect(),
            None => self.names.iter().map(|_| ANY[draw.below(ANY.len())]).collect(),
        };
        // The greatest is halved until all fits.
        while self.numbers(&sizes).is_none_or(|numbers| numbers > DRAWN) {
            match sizes.iter_mut().max() {
                Some(greatest) if *greatest > 1 => *greatest = greatest.div_ceil(2),
                _ => break,
            }
        }
        if empty && case % 8 == 7 {
            let place = draw.below(sizes.len());
            if let Some(size) = sizes.get_mut(place) {
                *size = 0;
            }
        }
        sizes
    }

    /// How many numbers all arrays have together; nothing where that is no number of this machine.
    fn numbers(&self, sizes: &[usize]) -> Option<usize> {
        let shapes = self.inputs.iter().chain([&self.output]);
        shapes.map(|shape| product(shape, sizes)).try_fold(0_usize, |all, one| all.checked_add(one?))
    }
}

/// How many numbers an array of this shape has.
fn product(shape: &[Axis], sizes: &[usize]) -> Option<usize> {
    let axis = |axis: &Axis| axis.iter().try_fold(0_usize, |sum, part| sum.checked_add(size(*part, sizes)));
    shape.iter().map(axis).try_fold(1_usize, |all, one| all.checked_mul(one?))
}

fn size(part: Part, sizes: &[usize]) -> usize {
    match part {
        Part::Size(size) => size,
        Part::Named(name) => sizes.get(name).copied().unwrap_or(1),
    }
}

fn lengths(shape: &[Axis], sizes: &[usize]) -> Vec<usize> {
    shape.iter().map(|axis| axis.iter().fold(0, |sum, part| usize::saturating_add(sum, size(*part, sizes)))).collect()
}
