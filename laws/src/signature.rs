//! Shapes as data, with sizes that may vary.

use core::str::FromStr;

use thiserror::Error;

use crate::draw::Draw;

/// The shapes of the arguments and of the outputs of a rule: `"m k, k n -> m n"`.
///
/// Arguments are separated by commas, and so are outputs; axes are separated by blanks.
/// An axis is a number, a name, or made of those by `+`, `-`, `*`, `/` and parentheses: `"m*n, 2 -> m n/2"`.
/// An argument without axes is a single number.
/// Equal names are equal sizes, which the checks vary: one, primes, powers of two and their neighbours, not square.
/// They begin at one, and only sizes are taken at which each axis is a positive whole number: an axis of two at least is `n+1`, and one that is halved is even.
///
/// # Example
///
/// ```
/// use pullback_laws::Signature;
///
/// let matmul: Signature = "m k, k n -> m n".parse()?;
/// assert_eq!(matmul.names(), ["m", "k", "n"]);
/// assert_eq!(matmul.inputs(&[2, 3, 5]), [vec![2, 3], vec![3, 5]]);
/// assert_eq!(matmul.outputs(&[2, 3, 5]), [[2, 5]]);
/// let halves: Signature = "m*n -> m n/2, m * n / 2".parse()?;
/// assert_eq!(halves.outputs(&[3, 4]), [vec![3, 2], vec![6]]);
/// assert!("m k, k n".parse::<Signature>().is_err());
/// # Ok::<(), pullback_laws::SignatureError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    names: Vec<String>,
    inputs: Vec<Vec<Axis>>,
    outputs: Vec<Vec<Axis>>,
}

/// The size of an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Axis {
    Size(usize),
    /// By its place among the names.
    Named(usize),
    Made(Box<Axis>, Operation, Box<Axis>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Plus,
    Minus,
    Times,
    Over,
}

impl Axis {
    /// Its size; nothing where it is no whole number of this machine.
    fn size(&self, sizes: &[usize]) -> Option<usize> {
        match self {
            Axis::Size(size) => Some(*size),
            Axis::Named(name) => Some(sizes.get(*name).copied().unwrap_or(1)),
            Axis::Made(left, operation, right) => {
                let (left, right) = (left.size(sizes)?, right.size(sizes)?);
                match operation {
                    Operation::Plus => left.checked_add(right),
                    Operation::Minus => left.checked_sub(right),
                    Operation::Times => left.checked_mul(right),
                    Operation::Over => (right > 0 && left % right == 0).then(|| left / right),
                }
            }
        }
    }

    /// The first of its names that a greater size may help.
    fn first_name(&self) -> Option<usize> {
        match self {
            Axis::Size(_) => None,
            Axis::Named(name) => Some(*name),
            Axis::Made(left, _, right) => left.first_name().or_else(|| right.first_name()),
        }
    }
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
    /// An axis that can't be read.
    #[error("`{0}` is no axis: write a number, a name, or what is made of those by + - * / such as `a+b` or `m*n`")]
    Axis(String),
    /// Axes that are never whole numbers together.
    #[error("no sizes were found at which each axis of `{0}` is a positive whole number")]
    Nowhere(String),
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
/// How often a size is made greater for each axis to be a whole number.
const GROWN: usize = 512;

impl FromStr for Signature {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Self, SignatureError> {
        let parts: Vec<&str> = text.split("->").collect();
        let [inputs, outputs] = parts[..] else {
            return Err(SignatureError::Arrow { text: text.to_owned(), arrows: parts.len() - 1 });
        };
        let mut names = vec![];
        let mut shapes = |text: &str| text.split(',').map(|shape| axes(shape, &mut names)).collect::<Result<_, _>>();
        let (inputs, outputs) = (shapes(inputs)?, shapes(outputs)?);
        let signature = Signature { names, inputs, outputs };
        let Some(least) = signature.whole(vec![1; signature.names.len()]) else {
            return Err(SignatureError::Nowhere(text.trim().to_owned()));
        };
        let texts = parts.iter().flat_map(|part| part.split(','));
        let is_large = |shape: &[Axis]| product(shape, &least).is_none_or(|numbers| numbers > LARGEST);
        let large = signature.shapes().zip(texts).find(|(shape, _)| is_large(shape)).map(|(_, text)| text.trim());
        match large {
            Some(text) => Err(SignatureError::Large(text.to_owned())),
            None => Ok(signature),
        }
    }
}

/// The axes of a shape.
fn axes(shape: &str, names: &mut Vec<String>) -> Result<Vec<Axis>, SignatureError> {
    let mut reader = Reader { text: shape, at: 0, names };
    let mut axes = vec![];
    while reader.peek().is_some() {
        axes.push(reader.sum().ok_or_else(|| SignatureError::Axis(reader.word()))?);
    }
    Ok(axes)
}

/// Reads axes; where it stops, the text is none.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    names: &'a mut Vec<String>,
}

impl Reader<'_> {
    /// What follows after blanks.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, of: &[(char, Operation)]) -> Option<Operation> {
        let next = self.peek()?;
        let (_, operation) = of.iter().find(|(sign, _)| *sign == next)?;
        self.at += next.len_utf8();
        Some(*operation)
    }

    fn sum(&mut self) -> Option<Axis> {
        let mut left = self.term()?;
        while let Some(operation) = self.take(&[('+', Operation::Plus), ('-', Operation::Minus)]) {
            left = Axis::Made(Box::new(left), operation, Box::new(self.term()?));
        }
        Some(left)
    }

    fn term(&mut self) -> Option<Axis> {
        let mut left = self.atom()?;
        while let Some(operation) = self.take(&[('*', Operation::Times), ('/', Operation::Over)]) {
            left = Axis::Made(Box::new(left), operation, Box::new(self.atom()?));
        }
        Some(left)
    }

    fn atom(&mut self) -> Option<Axis> {
        let first = self.peek()?;
        if first == '(' {
            self.at += 1;
            let inner = self.sum()?;
            if self.peek() != Some(')') {
                return None;
            }
            self.at += 1;
            return Some(inner);
        }
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = &rest[..length];
        if let Ok(size) = word.parse() {
            self.at += length;
            return Some(Axis::Size(size));
        }
        if !first.is_alphabetic() {
            return None;
        }
        self.at += length;
        let known = self.names.iter().position(|name| name == word);
        Some(Axis::Named(known.unwrap_or_else(|| {
            self.names.push(word.to_owned());
            self.names.len() - 1
        })))
    }

    /// The word that reading stopped in, or the last one.
    fn word(&self) -> String {
        let start = self.text[..self.at].trim_end().rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let inside = self.text[self.at..].find(char::is_whitespace).unwrap_or(self.text.len() - self.at);
        self.text[start..self.at + inside].trim().to_owned()
    }
}

impl Signature {
    /// The names of the sizes that may vary, in the order in which they occur.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// The shapes of the arguments, for a size of each name; a size that is not given is one, and an axis that is no whole number has size zero.
    #[must_use]
    pub fn inputs(&self, sizes: &[usize]) -> Vec<Vec<usize>> {
        self.inputs.iter().map(|shape| lengths(shape, sizes)).collect()
    }

    /// The shapes of the outputs, likewise.
    #[must_use]
    pub fn outputs(&self, sizes: &[usize]) -> Vec<Vec<usize>> {
        self.outputs.iter().map(|shape| lengths(shape, sizes)).collect()
    }

    fn shapes(&self) -> impl Iterator<Item = &Vec<Axis>> {
        self.inputs.iter().chain(&self.outputs)
    }

    /// These sizes, or greater ones at which each axis is a positive whole number.
    fn whole(&self, mut sizes: Vec<usize>) -> Option<Vec<usize>> {
        for _ in 0..GROWN {
            // A zero that is written is meant.
            let is_broken = |axis: &&Axis| match axis.size(&sizes) {
                Some(size) => size == 0 && axis.first_name().is_some(),
                None => true,
            };
            let broken = self.shapes().flatten().find(is_broken);
            match broken {
                None => return Some(sizes),
                Some(axis) => sizes[axis.first_name()?] += 1,
            }
        }
        None
    }

    /// The least sizes that are tried.
    pub(crate) fn least(&self) -> Vec<usize> {
        let ones = vec![1; self.names.len()];
        self.whole(ones.clone()).unwrap_or(ones)
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
        let mut fits = self.whole(sizes.clone());
        while fits.as_ref().is_none_or(|sizes| self.numbers(sizes).is_none_or(|numbers| numbers > DRAWN)) {
            match sizes.iter_mut().max() {
                Some(greatest) if *greatest > 1 => *greatest = greatest.div_ceil(2),
                _ => break,
            }
            fits = self.whole(sizes.clone());
        }
        let sizes = fits.unwrap_or_else(|| self.least());
        if empty && case % 8 == 7 {
            let mut emptied = sizes.clone();
            let place = draw.below(sizes.len());
            if let Some(size) = emptied.get_mut(place) {
                *size = 0;
            }
            if self.numbers(&emptied).is_some() {
                return emptied;
            }
        }
        sizes
    }

    /// How many numbers all arrays have together; nothing where that is no number of this machine.
    fn numbers(&self, sizes: &[usize]) -> Option<usize> {
        self.shapes().map(|shape| product(shape, sizes)).try_fold(0_usize, |all, one| all.checked_add(one?))
    }
}

/// How many numbers an array of this shape has.
fn product(shape: &[Axis], sizes: &[usize]) -> Option<usize> {
    shape.iter().map(|axis| axis.size(sizes)).try_fold(1_usize, |all, one| all.checked_mul(one?))
}

fn lengths(shape: &[Axis], sizes: &[usize]) -> Vec<usize> {
    shape.iter().map(|axis| axis.size(sizes).unwrap_or(0)).collect()
}
