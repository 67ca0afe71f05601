//! A law that does not hold, and where.

use core::fmt;

use thiserror::Error;

use crate::approximate::{Approximate, magnitude};
use crate::flat::{Refusal, Shaped};
use crate::options::{Options, OptionsError};

/// An equation that contracts must satisfy: a name and the equation itself.
///
/// All of them are in [`LAWS`](crate::LAWS), and each is a constant here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Law {
    /// The name of the function that checks it.
    pub name: &'static str,
    /// The equation; the module's page explains the letters.
    pub equation: &'static str,
}

/// A law that a contract does not satisfy at some point, or a check that could not be made.
///
/// It prints the law and its equation, the shapes, the seed, the point, both sides, and the first coordinate in which they differ.
///
/// # Example
///
/// ```
/// use pullback_laws::{Options, Rule, View, equations};
///
/// // A bias that was meant for the forward function.
/// let off = Rule::new(" -> ".parse()?, |x: &[View<'_, f64>]| x[0].to_vec(), |_, u| vec![u[0] + 0.5]);
/// let violation = equations::zero_to_zero(&off.at(&[]), &[3.0]).unwrap_err();
/// assert_eq!(
///     violation.named("off").with_seed(7).to_string(),
///     "off does not satisfy the law `zero_to_zero`
///   equation  K(r, 0) = 0
///   takes     []
///   gives     []
///   seed      7
///   at        x = [3.0]
///   left      K(r, 0) = [0.5]
///   right     0 = [0.0]
///   differ    at coordinate 0: 0.5 and 0.0, by 0.5"
/// );
/// # Ok::<(), pullback_laws::SignatureError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{0}")]
pub struct LawViolation(Box<Details>);

/// How it does not hold.
#[derive(Clone, Debug, PartialEq)]
enum Found {
    Differ {
        left: Side,
        right: Side,
        index: usize,
        /// The argument or output of the first difference and its coordinate there, where there are several.
        within: Option<(&'static str, usize, usize)>,
        difference: String,
    },
    Outside(Refusal),
    Accepted(Side),
    Undecided {
        points: usize,
        why: &'static str,
    },
    /// The law was asked for and says nothing of this rule, or says nothing at any point.
    Silent {
        why: &'static str,
    },
    Panicked(String),
    Options(OptionsError),
}

#[derive(Clone, Debug, PartialEq)]
struct Side {
    what: String,
    coordinates: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
struct Details {
    law: Law,
    contract: Option<String>,
    takes: String,
    gives: String,
    seed: Option<u64>,
    case: Option<usize>,
    /// What leads back to it.
    again: Option<String>,
    /// What may be done about it, beside mending the rule.
    help: Option<String>,
    at: Vec<Side>,
    found: Found,
}

/// What options that fit no rule break: it is no law of rules.
const OPTIONS: Law = Law { name: "options", equation: "what is asked for can be tried" };

impl LawViolation {
    /// The law; one that is called `options` and is not in [`LAWS`](crate::LAWS), where nothing could be tried.
    #[must_use]
    pub fn law(&self) -> Law {
        self.0.law
    }

    /// The name of the contract, if [`named`](LawViolation::named) gave one.
    #[must_use]
    pub fn contract(&self) -> Option<&str> {
        self.0.contract.as_deref()
    }

    /// The seed of the point, if [`with_seed`](LawViolation::with_seed) gave one.
    #[must_use]
    pub fn seed(&self) -> Option<u64> {
        self.0.seed
    }

    /// The first coordinate in which the two sides differ; nothing where a side has no value.
    #[must_use]
    pub fn index(&self) -> Option<usize> {
        match &self.0.found {
            Found::Differ { index, .. } => Some(*index),
            _ => None,
        }
    }

    /// The refusal, where the law could not be tried because the point is outside of the domain.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match &self.0.found {
            Found::Outside(refusal) => Some(refusal),
            _ => None,
        }
    }

    /// Whether nothing was found wrong, and nothing could be decided either.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        matches!(self.0.found, Found::Undecided { .. } | Found::Silent { .. } | Found::Options(_))
    }

    /// Why nothing could be tried, where it is because of the options.
    #[must_use]
    pub fn options_error(&self) -> Option<&OptionsError> {
        match &self.0.found {
            Found::Options(error) => Some(error),
            _ => None,
        }
    }

    /// What the rule said when it panicked, where it did.
    #[must_use]
    pub fn panic(&self) -> Option<&str> {
        match &self.0.found {
            Found::Panicked(message) => Some(message),
            _ => None,
        }
    }

    fn new(law: Law, (takes, gives): (String, String), at: Vec<Side>, found: Found) -> Self {
        LawViolation(Box::new(Details {
            law,
            contract: None,
            takes,
            gives,
            seed: None,
            case: None,
            again: None,
            help: None,
            at,
            found,
        }))
    }

    /// The law could not be decided at any of the points that it was tried at.
    pub(crate) fn undecided(law: Law, spaces: (String, String), points: usize, why: &'static str) -> Self {
        LawViolation::new(law, spaces, vec![], Found::Undecided { points, why })
    }

    /// The law was asked for, and nothing could be tried.
    pub(crate) fn silent(law: Law, spaces: (String, String), why: &'static str) -> Self {
        LawViolation::new(law, spaces, vec![], Found::Silent { why })
    }

    /// The options fit no such rule.
    pub(crate) fn options(error: OptionsError, spaces: (String, String)) -> Self {
        LawViolation::new(OPTIONS, spaces, vec![], Found::Options(error))
    }

    /// The rule panicked.
    pub(crate) fn panicked<T: Approximate>(
        law: Law,
        about: &dyn Shaped,
        at: &[(&'static str, &[T])],
        message: String,
    ) -> Self {
        Place { law, about, at }.violation(Found::Panicked(message))
    }

    /// The number of the case that [`check`](crate::Subject::check) found it in.
    #[must_use]
    pub fn case(&self) -> Option<usize> {
        self.0.case
    }

    /// The same, with the seed and the number of its case, and the options that reproduce it.
    #[must_use]
    pub(crate) fn in_case(mut self, options: &Options, case: usize, alone: bool) -> Self {
        self.0.seed = Some(options.seed);
        self.0.case = Some(case);
        self.0.again = Some(options.again(self.0.law, case, alone));
        if !alone {
            self.0.help = Some(
                "tried once more at the same point, the law held: the rule depends on what ran before, so all points are tried again".to_owned(),
            );
        }
        self
    }

    /// The same, with advice.
    #[must_use]
    pub(crate) fn helped(mut self, help: Option<String>) -> Self {
        self.0.help = self.0.help.or(help);
        self
    }

    /// The same, of the contract with this name.
    #[must_use]
    pub fn named(mut self, contract: impl Into<String>) -> Self {
        self.0.contract = Some(contract.into());
        self
    }

    /// The same, at the point that was drawn from this seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.0.seed = Some(seed);
        self
    }
}

/// A list longer than this would bury the message that it stands in.
const SHOWN: usize = 24;

impl fmt::Display for Side {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} = [", self.what)?;
        for (index, coordinate) in self.coordinates.iter().take(SHOWN).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(formatter, "{comma}{coordinate}")?;
        }
        if self.coordinates.len() > SHOWN {
            write!(formatter, ", … {} more", self.coordinates.len() - SHOWN)?;
        }
        formatter.write_str("]")
    }
}

impl fmt::Display for Details {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contract = self.contract.as_deref().unwrap_or("the contract");
        match self.found {
            Found::Options(_) => writeln!(formatter, "{contract} can't be checked with these options")?,
            _ => writeln!(formatter, "{contract} does not satisfy the law `{}`", self.law.name)?,
        }
        writeln!(formatter, "  equation  {}", self.law.equation)?;
        writeln!(formatter, "  takes     {}", self.takes)?;
        writeln!(formatter, "  gives     {}", self.gives)?;
        if let Some(seed) = self.seed {
            writeln!(formatter, "  seed      {seed}")?;
        }
        for side in &self.at {
            writeln!(formatter, "  at        {side}")?;
        }
        match &self.found {
            Found::Differ { left, right, index, within, difference } => {
                let missing = || "nothing".to_string();
                let one = left.coordinates.get(*index).cloned().unwrap_or_else(missing);
                let other = right.coordinates.get(*index).cloned().unwrap_or_else(missing);
                writeln!(formatter, "  left      {left}")?;
                writeln!(formatter, "  right     {right}")?;
                write!(formatter, "  differ    at coordinate {index}")?;
                if let Some((what, which, at)) = within {
                    write!(formatter, ", which is {at} of {what} {which}")?;
                }
                write!(formatter, ": {one} and {other}, by {difference}")
            }
            Found::Outside(error) => write!(formatter, "  outside   {error}"),
            Found::Accepted(value) => write!(formatter, "  accepted  {value}, and the point is outside of the domain"),
            Found::Undecided { points, why } => {
                write!(formatter, "  undecided at each of {points} points: {why}; this is no success")
            }
            Found::Silent { why } => write!(formatter, "  untried   {why}; this is no success"),
            Found::Panicked(message) => write!(formatter, "  panicked  {message}"),
            Found::Options(error) => write!(formatter, "  options   {error}"),
        }?;
        if let Some(help) = &self.help {
            write!(formatter, "\n  help      {help}")?;
        }
        if let Some(again) = &self.again {
            write!(formatter, "\n  again     {again}")?;
        }
        Ok(())
    }
}

/// What a trial of a law reports about itself when it fails.
pub(crate) struct Place<'a, T> {
    pub(crate) law: Law,
    /// The rule, whose shapes are shown.
    pub(crate) about: &'a dyn Shaped,
    /// The points, by name.
    pub(crate) at: &'a [(&'static str, &'a [T])],
}

impl<T: Approximate> Place<'_, T> {
    fn violation(&self, found: Found) -> LawViolation {
        let at = self.at.iter().flat_map(|(what, coordinates)| self.apart_by_argument(what, coordinates)).collect();
        LawViolation::new(self.law, self.about.spaces(), at, found)
    }

    /// A point, with each argument or output by itself where there are several.
    fn apart_by_argument(&self, what: &'static str, coordinates: &[T]) -> Vec<Side> {
        let lengths = match what {
            "u" | "w" => self.about.outputs(),
            _ => self.about.arguments(),
        };
        if lengths.len() < 2 || lengths.iter().sum::<usize>() != coordinates.len() {
            return vec![side(what, coordinates)];
        }
        let mut rest = coordinates;
        let mut one = |(place, length): (usize, usize)| {
            let (own, others) = rest.split_at(length);
            rest = others;
            Side { what: format!("{what}{}", subscript(place)), ..side(what, own) }
        };
        lengths.into_iter().enumerate().map(&mut one).collect()
    }

    /// Which argument a coordinate of all of them belongs to, and which of its own it is; likewise of outputs.
    fn within(&self, length: usize, index: usize) -> Option<(&'static str, usize, usize)> {
        let of = |what: &'static str, lengths: Vec<usize>| {
            if lengths.len() < 2 || lengths.iter().sum::<usize>() != length {
                return None;
            }
            let mut start = 0;
            lengths.into_iter().enumerate().find_map(|(place, own)| {
                let at = index.checked_sub(start).filter(|at| *at < own);
                start += own;
                at.map(|at| (what, place, at))
            })
        };
        of("argument", self.about.arguments()).or_else(|| of("output", self.about.outputs()))
    }

    #[cold]
    pub(crate) fn differ(
        &self,
        (left_name, left): (&'static str, &[T]),
        (right_name, right): (&'static str, &[T]),
        index: usize,
    ) -> LawViolation {
        let difference = match (left.get(index), right.get(index)) {
            (Some(left), Some(right)) => magnitude(&(left.clone() - right.clone())).show(),
            _ => "their lengths".to_string(),
        };
        let within = self.within(left.len(), index);
        let (left, right) = (side(left_name, left), side(right_name, right));
        self.violation(Found::Differ { left, right, index, within, difference })
    }

    #[cold]
    pub(crate) fn apart(&self, left: (&'static str, f64), right: (&'static str, f64)) -> LawViolation {
        let difference = (left.1 - right.1).abs().show();
        let (left, right) = (side(left.0, &[left.1]), side(right.0, &[right.1]));
        self.violation(Found::Differ { left, right, index: 0, within: None, difference })
    }

    #[cold]
    pub(crate) fn accepted(&self, (what, value): (&'static str, &[T])) -> LawViolation {
        self.violation(Found::Accepted(side(what, value)))
    }

    #[cold]
    pub(crate) fn outside(&self, error: Refusal) -> LawViolation {
        self.violation(Found::Outside(error))
    }
}

fn side<T: Approximate>(what: &'static str, coordinates: &[T]) -> Side {
    Side { what: what.to_owned(), coordinates: coordinates.iter().map(Approximate::show).collect() }
}

/// A number written below the line.
fn subscript(number: usize) -> String {
    let below = |digit: char| char::from_u32(0x2080 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit);
    number.to_string().chars().map(below).collect()
}
