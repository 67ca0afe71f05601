//! What follows for a statement from what was derived about it: `Adjoint.v`, `Joint.v` and `Immaterial.v` of the model.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::reading::{Asked, Needed, Origin, Reading};
use super::rules::{Along, Claim, Core, Proven};
use super::term::Term;
use crate::statement::Statement;

/// Which theorem, and what it follows from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// The rule is the adjoint of the derivative.
    Adjoint {
        /// The derivative of the pairing along all inputs.
        derivative: Proven,
        /// That derivative is the sum of the tangents with the claimed cotangents.
        equation: Proven,
        /// The derivative of the pairing along all `any`, and that it is zero; if there are any.
        immaterial: Option<(Proven, Proven)>,
        /// The facts that are obligations, in any order.
        obligations: Vec<Proven>,
    },
    /// Two statements are equal.
    Equal {
        /// For each output, that its elements are those of the other statement's.
        equations: Vec<Proven>,
        /// The facts that are obligations, in any order.
        obligations: Vec<Proven>,
    },
    /// The outputs do not depend on the values of `any`.
    Immaterial {
        /// The derivative of the pairing along all `any`.
        derivative: Proven,
        /// That derivative is zero.
        equation: Proven,
    },
}

/// What was proved of a statement, for all sizes, maps, data and inputs of the domain.
///
/// Nothing but [`Core::conclude`] makes one.
#[derive(Clone, Debug)]
pub struct Theorem {
    statement: Arc<Statement>,
    other: Option<Arc<Statement>>,
    immaterial: bool,
    domain: Vec<Asked>,
}

impl Theorem {
    /// The statement.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }
    /// The statement that it is equal to, if that is what was proved.
    pub fn equal_to(&self) -> Option<&Statement> {
        self.other.as_deref()
    }
    /// Whether what was proved is only that its outputs do not depend on its `any`.
    pub fn is_immaterial(&self) -> bool {
        self.immaterial
    }
    /// What is assumed: what the statement asks for, and what the proof rests on beside it.
    pub fn domain(&self) -> &[Asked] {
        &self.domain
    }
}

/// What a conclusion lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// The core is about no statement, or about two where one is asked for, or there is no rule.
    Statement,
    /// The derivative along the inputs is not of the pairing, or not everywhere.
    Derivative,
    /// The equation is not the one that is needed.
    Equation,
    /// That the outputs do not depend on the `any`.
    Immaterial,
    /// An obligation, by its number.
    Obligation(usize),
    /// What was derived rests on an assumption about an `any`, or about a tangent, or, where the domain alone may be used,
    /// on one that leaves out a step, a kink or a tie.
    Assumption,
}

fn must(holds: bool, missing: Missing) -> Result<(), Missing> {
    if holds { Ok(()) } else { Err(missing) }
}

impl Core {
    /// The theorem that follows.
    ///
    /// # Errors
    ///
    /// [`Missing`] if it does not follow from what is given.
    pub fn conclude(&self, conclusion: &Conclusion) -> Result<Theorem, Missing> {
        let reading = self.reading().ok_or(Missing::Statement)?;
        let mut used = BTreeSet::new();
        match conclusion {
            Conclusion::Adjoint { derivative, equation, immaterial, obligations } => {
                let claimed = reading.claimed.ok_or(Missing::Statement)?;
                let moved = self.derivative(reading, 0, *derivative, &mut used).ok_or(Missing::Derivative)?;
                must(self.claim(*equation) == Some(Claim::Eq(moved, claimed)), Missing::Equation)?;
                used.extend(self.uses(*equation));
                self.no_tangents(reading)?;
                match immaterial {
                    Some((d, e)) => self.immaterial(reading, *d, *e, &mut used)?,
                    None => must(reading.anys.is_empty(), Missing::Immaterial)?,
                }
                self.rests_on_none(reading, &used, |a| self.reads_any(reading, a))?;
                self.obligations(reading, obligations, &mut used)?;
            }
            Conclusion::Equal { equations, obligations } => {
                must(reading.other.is_some(), Missing::Statement)?;
                let [ours, theirs] = &reading.outputs;
                let pairs: Vec<_> = ours.iter().zip(theirs).map(|(a, b)| Some(Claim::Eq(a.body, b.body))).collect();
                let given: Vec<_> = equations.iter().map(|p| self.claim(*p)).collect();
                must(pairs == given && ours.len() == theirs.len(), Missing::Equation)?;
                used.extend(equations.iter().flat_map(|p| self.uses(*p)));
                self.rests_on_none(reading, &used, |a| a.is_avoided() || self.reads_any(reading, a))?;
                self.obligations(reading, obligations, &mut used)?;
            }
            Conclusion::Immaterial { derivative, equation } => {
                must(reading.other.is_none(), Missing::Statement)?;
                self.immaterial(reading, *derivative, *equation, &mut used)?;
            }
        }
        let given = (0u32..).zip(&reading.assumptions).filter(|(_, a)| a.asked.origin == Origin::Given);
        let given: BTreeSet<u32> = given.map(|(k, _)| k).collect();
        self.rests_on_none(reading, &given, |a| self.reads_any(reading, a))?;
        used.extend(given);
        let domain = used.iter().filter_map(|k| reading.assumptions.get(*k as usize)).map(|a| a.asked.clone());
        Ok(Theorem {
            statement: reading.statement.clone(),
            other: reading.other.clone(),
            immaterial: matches!(conclusion, Conclusion::Immaterial { .. }),
            domain: domain.collect(),
        })
    }

    /// What the pairing moves with, everywhere, along all inputs or all `any`.
    fn derivative(&self, reading: &Reading, along: u32, p: Proven, used: &mut BTreeSet<u32>) -> Option<Term> {
        used.extend(self.uses(p));
        match self.claim(p)? {
            Claim::Deriv(d, g, s, ds) if (d, g, s) == (Along(along), self.terms().num(1), reading.pairing) => Some(ds),
            _ => None,
        }
    }

    /// A value along which the derivative is zero does not matter, whatever it is: no assumption reads it.
    ///
    /// The derivative is that of the pairing, for all cotangents, so of each element of each output.
    fn immaterial(&self, reading: &Reading, d: Proven, e: Proven, all: &mut BTreeSet<u32>) -> Result<(), Missing> {
        let mut used = BTreeSet::new();
        let moved = self.derivative(reading, 1, d, &mut used).ok_or(Missing::Immaterial)?;
        must(self.claim(e) == Some(Claim::Eq(moved, self.terms().num(0))), Missing::Immaterial)?;
        used.extend(self.uses(e));
        self.rests_on_none(reading, &used, |a| a.is_avoided() || self.reads_any(reading, a))?;
        self.no_tangents(reading)?;
        all.extend(used);
        Ok(())
    }

    /// Every obligation was derived, from the domain. What an `any` needs may rest on what another one is, nothing else may.
    fn obligations(&self, reading: &Reading, given: &[Proven], used: &mut BTreeSet<u32>) -> Result<(), Missing> {
        let from = |p: &&Proven, no: &dyn Fn(&Needed) -> bool| {
            self.rests_on_none(reading, &self.uses(**p).collect(), no).is_ok()
        };
        let domain: Vec<&Proven> = given.iter().filter(|p| from(p, &Needed::is_avoided)).collect();
        let strict = domain.iter().filter(|p| from(p, &|a| self.reads_any(reading, a)));
        let strict: HashSet<Claim> = strict.filter_map(|p| self.claim(**p)).collect();
        let all: HashSet<Claim> = domain.iter().filter_map(|p| self.claim(**p)).collect();
        for (k, needed) in reading.obligations.iter().enumerate() {
            let shown = if needed.asked.origin == Origin::Any { &all } else { &strict };
            must(shown.contains(&needed.claim), Missing::Obligation(k))?;
        }
        used.extend(domain.iter().flat_map(|p| self.uses(**p)));
        Ok(())
    }

    /// Tangents are read by the pairings of tangents only. They are made so; here it is seen.
    fn no_tangents(&self, reading: &Reading) -> Result<(), Missing> {
        let tangents = || self.context().directions.iter().flatten().map(|(_, h)| *h);
        let none = |t: Term| !self.terms().reads_any_of(t, tangents());
        let moving = self.context().directions.iter().flatten().map(|(x, _)| *x);
        let facts = reading.assumptions.iter().all(|a| match a.claim {
            Claim::Fact(_, g, e) => none(g) && none(e),
            _ => false,
        });
        let rule = reading.inputs.iter().filter_map(|i| i.cotangent.as_ref()).all(|dx| none(dx.body));
        let distinct: HashSet<u32> = tangents().chain(moving).collect();
        let count = 2 * self.context().directions.iter().map(Vec::len).sum::<usize>();
        must(none(reading.pairing) && facts && rule && distinct.len() == count, Missing::Assumption)
    }

    fn rests_on_none(
        &self,
        reading: &Reading,
        uses: &BTreeSet<u32>,
        which: impl Fn(&Needed) -> bool,
    ) -> Result<(), Missing> {
        let harmless = |n: &u32| reading.assumptions.get(*n as usize).is_some_and(|a| !which(a));
        must(uses.iter().all(harmless), Missing::Assumption)
    }

    fn reads_any(&self, reading: &Reading, a: &Needed) -> bool {
        match a.claim {
            Claim::Fact(_, g, e) => {
                [g, e].into_iter().any(|t| self.terms().reads_any_of(t, reading.anys.iter().copied()))
            }
            _ => true,
        }
    }
}
