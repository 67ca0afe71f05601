//! Suite `claims`: what the kernel says of random and mutated statements, held to an interpreter that shares no code with it.
//!
//! | file | what it holds |
//! | --- | --- |
//! | [`generate`], [`mutate`](mod@mutate) | statements: partial functions, guards, `where`, `any`, maxima, and changes of these and of the library's |
//! | [`ball`], [`interpret`] | numbers that know what they don't know, with a derivative, and an evaluator of statements on them |
//! | [`judge`](mod@judge) | whether a claim holds at a point: inside of the domain, on a boundary, outside |
//!
//! A statement that is proved claims something at every point of its domain, one that is refuted at one; one that is undecided
//! claims nothing. The oracle has its own numbers, functions, derivatives and loops; what it takes from the kernel is the resolved
//! statement and what is claimed of it.
//! This module must never count a point as one that agrees where the numbers could not tell.

pub mod ball;
pub mod generate;
pub mod interpret;
pub mod judge;
pub mod mutate;

use pullback_kernel::statement::{Label, Statement};
use pullback_kernel::syntax::{Contract, ItemKind, Number};
use pullback_kernel::{Counterexample, Outcome as Verdict, Rational, Theorem, Wrong, parse, prove};
use pullback_program::STATEMENTS as LIBRARY;
use pullback_program::random::Random;

use crate::suite::{Event, Options, Outcome, Suite};
use ball::{Ball, Halt, Moving, Told};
use interpret::{Interpreter, Point};
use judge::{Claim, Place, draw, judge};
use mutate::{Part, mutate, resolve};

/// The suite.
pub const SUITE: Suite = Suite {
    name: "claims",
    about: "what is proved of random and mutated statements is so, inside of the domain, on boundaries and outside",
    draws: true,
    run,
};

/// Statements at scale 1.
const STATEMENTS: usize = 2_000;
/// Points at which a claim is judged.
const POINTS: usize = 10;
/// Draws of one statement, at most.
const DRAWS: usize = 400;

/// How many statements of a hundred must be proved and refuted, and how many points of a hundred statements lie where: a
/// generator that drifted would else leave little to compare.
const FLOORS: [(&str, usize); 6] = [
    ("proved", 35),
    ("refuted", 28),
    ("points inside", 180),
    ("points on a boundary", 15),
    ("points outside", 110),
    ("counterexamples recomputed", 25),
];

/// A statement with a rule, as text would give it: drawn, or the library's, and changed.
pub fn subject(random: &mut Random) -> Option<Statement> {
    (0..DRAWS).find_map(|_| one(random))
}

fn one(random: &mut Random) -> Option<Statement> {
    let library = random.below(3) == 0;
    let text = if library { LIBRARY[random.below(LIBRARY.len())].1.to_owned() } else { generate::statement(random) };
    let mut contract = parsed(&text)?;
    let forward = random.below(3);
    for _ in 0..forward {
        mutate(&mut contract, Part::Forward, random)?;
    }
    // The rule of its author, or a derived one.
    if !library || random.below(2) == 0 {
        let first = contract.items.iter().position(|i| matches!(i.kind, ItemKind::Saves(_) | ItemKind::Gradient(_)));
        let rule = first.unwrap_or(contract.items.len());
        let mut at = 0;
        contract.items.retain(|item| {
            at += 1;
            at <= rule || matches!(item.kind, ItemKind::Declares { .. })
        });
        let ruled = resolve(&contract, random)?.with_derived_rule();
        contract = parsed(&ruled.to_string())?;
    }
    let rule = [0, 0, 1, 1, 2][random.below(5)];
    for _ in 0..rule.max(usize::from(forward == 0)) {
        mutate(&mut contract, [Part::Rule, Part::Rule, Part::Any][random.below(3)], random)?;
    }
    let statement = resolve(&contract, random)?;
    (!statement.inputs().is_empty() && statement.gradients().is_some()).then_some(statement)
}

fn parsed(text: &str) -> Option<Contract> {
    let (mut contracts, errors) = parse(text);
    if errors.is_empty() { contracts.pop() } else { None }
}

/// What is claimed by a theorem.
fn claim(theorem: &Theorem) -> Claim<'_> {
    Claim { statement: theorem.statement(), domain: theorem.domain(), label: theorem.declaration().map(|d| d.label) }
}

/// Where the points of a claim lie, by [`Place`].
#[derive(Clone, Copy, Default, Debug)]
struct Places([usize; 4]);

impl Places {
    fn at(&self, place: Place) -> usize {
        self.0[place as usize]
    }
}

/// Judges a claim at as many points.
///
/// # Errors
///
/// The difference, and the point.
fn judged(claim: &Claim<'_>, points: usize, random: &mut Random) -> Result<Places, String> {
    let mut places = Places::default();
    for _ in 0..points {
        let Some(point) = draw(claim.statement, random) else { continue };
        let place = judge(claim, &point, random).map_err(|difference| {
            let values = |t: &Vec<Moving>| t.iter().map(|m| m.value.middle()).collect::<Vec<_>>();
            let inputs: Vec<_> = point.inputs.iter().map(values).collect();
            format!(
                "{difference}\nsizes {:?}, maps {:?}, params {:?}, constants {:?}, inputs {inputs:?}, cotangents {:?}\n{}",
                point.sizes, point.maps, point.params, point.constants, point.cotangents, claim.statement
            )
        })?;
        places.0[place as usize] += 1;
    }
    Ok(places)
}

/// A value, or none where it can't be told.
fn told<T>(value: Told<T>) -> Result<Option<T>, String> {
    match value {
        Ok(value) => Ok(Some(value)),
        Err(Halt::Unknown(_)) => Ok(None),
        Err(Halt::Undefined(what)) => Err(what.to_owned()),
    }
}

/// Whether a counterexample is one: whether that could be told.
///
/// # Errors
///
/// How it is none.
fn counterexample(statement: &Statement, c: &Counterexample) -> Result<bool, String> {
    let point = point_of(statement, c).ok_or("its data do not fit the statement")?;
    let domain = pullback_kernel::domain(statement);
    let mut run = Interpreter::new(statement, &point);
    match told(run.outside(&domain))? {
        None => return Ok(false),
        Some(Some(_)) => return Err("it lies outside of the domain".into()),
        Some(None) => {}
    }
    if told(run.forward())?.is_none() {
        return Ok(false);
    }
    let on_a_boundary = run.touched;
    let rule = run.backward();
    let (tensor, at) = match &c.wrong {
        Wrong::Undefined { .. } => {
            return match rule {
                Err(Halt::Undefined(_)) => Ok(true),
                Err(Halt::Unknown(_)) => Ok(false),
                Ok(_) => Err("it is said to have no value there, and has one".into()),
            };
        }
        Wrong::Differs { tensor, at, .. } | Wrong::Outside { tensor, at, .. } | Wrong::NotLinear { tensor, at, .. } => {
            (tensor, at)
        }
    };
    let Some(rule) = told(rule)? else { return Ok(false) };
    let gradients = statement.gradients().unwrap_or_default();
    let which = gradients.iter().position(|g| g.tensor.name.text == *tensor).ok_or("it names no input")?;
    let axes = &gradients[which].tensor.axes;
    let flat = at.iter().zip(axes).fold(0, |flat, (k, d)| flat * point.sizes[d.0 as usize] + k);
    let claimed = rule[which][flat].value;
    let expected = match &c.wrong {
        Wrong::NotLinear { .. } => {
            let mut twice = point.clone();
            twice.cotangents.iter_mut().flatten().for_each(|u| *u = Ball::exact(2.0 * u.middle()));
            let Some(twice) = told(Interpreter::new(statement, &twice).backward())? else { return Ok(false) };
            let half = told(twice[which][flat].times(Moving::still(Ball::exact(0.5))))?;
            half.ok_or("half of it has no value")?.value
        }
        _ if on_a_boundary => {
            return match told(judge::between(statement, &point, &rule))? {
                // Sides are looked at from nearby, and what differs by less than that changes is not seen.
                Some(true) if near(&c.wrong) => Ok(false),
                Some(true) => Err("the rule lies between those of the sides, along every coordinate".into()),
                Some(false) => Ok(true),
                None => Ok(false),
            };
        }
        Wrong::Outside { .. } => return Err("it is said to lie on a boundary, and does not".into()),
        _ => match told(derivative(statement, &point, (which, flat)))? {
            Some(derivative) => derivative,
            None => return Ok(false),
        },
    };
    if expected.apart(claimed) {
        return Ok(true);
    }
    // What is within rounding of each other may differ all the same.
    let close = (expected.middle() - claimed.middle()).abs() <= 1e-9 * expected.middle().abs().max(1.0);
    if expected.is_sharp() && claimed.is_sharp() && c.exact && close {
        return Err(format!("both are {:e}", expected.middle()));
    }
    Ok(false)
}

/// Whether what is claimed is so near to what was expected that slopes a little aside can't tell them apart.
fn near(wrong: &Wrong) -> bool {
    let middle = |text: &str| rational(text).map(Ball::middle).or_else(|| text.parse().ok());
    let close = |a: &str, b: &str| match (middle(a), middle(b)) {
        (Some(a), Some(b)) => (a - b).abs() <= 10.0 * judge::TOLERANCE * a.abs().max(b.abs()).max(1.0),
        _ => true,
    };
    match wrong {
        Wrong::Differs { expected, claimed, .. } => close(expected, claimed),
        Wrong::Outside { sides, claimed, .. } => close(&sides.0, claimed) || close(&sides.1, claimed),
        Wrong::NotLinear { .. } | Wrong::Undefined { .. } => false,
    }
}

/// How the outputs, paired with the cotangents, change with one coordinate.
fn derivative(statement: &Statement, point: &Point, (input, flat): (usize, usize)) -> Told<Ball> {
    let mut moving = point.clone();
    moving.inputs[input][flat].derivative = Ball::ONE;
    let outputs = Interpreter::new(statement, &moving).forward()?;
    judge::paired(&judge::each(&outputs, |m| m.derivative), &point.cotangents)
}

/// `-3/2`
fn rational(text: &str) -> Option<Ball> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let part = |text: &str| Number::new(text).map(|n| n.value().clone());
    let value: Rational = match text.split_once('/') {
        Some((n, d)) => part(n)? / part(d)?,
        None => part(text)?,
    };
    Some(Ball::rational(&if negative { -value } else { value }))
}

fn point_of(statement: &Statement, c: &Counterexample) -> Option<Point> {
    let sizes: Vec<usize> = c.dims.iter().map(|d| d.1).collect();
    // The parts of splits follow from the sizes, and the rest of what is drawn is replaced.
    let mut maps = Vec::new();
    for map in statement.maps() {
        use pullback_kernel::statement::MapKind;
        maps.push(match map.kind {
            MapKind::Part { split, part } => {
                let size = |m: &pullback_kernel::statement::MapId| -> usize {
                    statement.maps()[m.0 as usize].from.iter().map(|d| sizes[d.0 as usize]).product()
                };
                let parts = &statement.splits()[split as usize].parts;
                let before: usize = parts[..part as usize].iter().map(size).sum();
                (before..before + size(&parts[part as usize])).map(Some).collect()
            }
            _ => {
                let table = c.maps.iter().find(|m| m.name == map.name.text)?;
                table.entries.iter().map(|e| e.parse().ok()).collect()
            }
        });
    }
    let values = |list: &[pullback_kernel::Value], name: &str| -> Option<Vec<Ball>> {
        list.iter().find(|v| v.name == name)?.entries.iter().map(|e| rational(e)).collect()
    };
    let named = |name: &str| values(&c.inputs, name);
    let still = |v: Vec<Ball>| v.into_iter().map(Moving::still).collect();
    Some(Point {
        maps,
        params: c.params.iter().map(|p| rational(&p.1)).collect::<Option<_>>()?,
        constants: statement.constants().iter().map(|t| values(&c.constants, &t.name.text)).collect::<Option<_>>()?,
        inputs: statement.inputs().iter().map(|t| named(&t.name.text).map(still)).collect::<Option<_>>()?,
        cotangents: statement
            .outputs()
            .iter()
            .map(|o| values(&c.cotangents, &format!("d{}", o.tensor.name)))
            .collect::<Option<_>>()?,
        sizes,
    })
}

fn run(options: &Options, watch: &mut dyn FnMut(Event)) -> Outcome {
    let mut outcome = Outcome::default();
    let total = STATEMENTS * options.scale;
    watch(Event::Steps(total));
    let (mut statements, mut proved, mut refuted, mut undecided, mut recomputed) = (0, 0, 0, 0, 0);
    let mut places = Places::default();
    for k in 0..total {
        // Each has its own numbers, so that one can be drawn again alone.
        let seed = Random(options.seed ^ (k as u64).wrapping_mul(0xd6e8_feb8_6659_fd93)).next_u64();
        let random = &mut Random(seed);
        watch(Event::Step);
        let Some(statement) = subject(random) else {
            outcome.fail(format!("statement {k}"), "none could be drawn");
            continue;
        };
        statements += 1;
        match prove(&statement) {
            Verdict::Proved(theorem) if theorem.declaration().is_some_and(|d| d.label == Label::Unproved) => {}
            Verdict::Proved(theorem) => {
                proved += 1;
                match judged(&claim(&theorem), POINTS, random) {
                    Ok(found) => places.0.iter_mut().zip(found.0).for_each(|(sum, n)| *sum += n),
                    Err(difference) => outcome.fail(format!("statement {k}: proved"), difference),
                }
            }
            Verdict::Refuted(c) => {
                refuted += 1;
                match counterexample(&statement, &c) {
                    Ok(told) => recomputed += usize::from(told),
                    Err(how) => {
                        outcome.fail(
                            format!("statement {k}: refuted"),
                            format!("no counterexample: {how}\n{c}\n{statement}"),
                        );
                    }
                }
            }
            Verdict::Undecided(_) => undecided += 1,
        }
    }
    outcome.count("statements", statements, total);
    let counts = [
        ("proved", proved),
        ("refuted", refuted),
        ("undecided", undecided),
        ("points inside", places.at(Place::Inside)),
        ("points on a boundary", places.at(Place::Boundary)),
        ("points outside", places.at(Place::Outside)),
        ("points that can't be told", places.at(Place::Untold)),
        ("counterexamples recomputed", recomputed),
    ];
    for (name, found) in counts {
        outcome.count(name, found, None);
        if let Some((_, floor)) = FLOORS.iter().find(|(of, _)| *of == name)
            && found * 100 < floor * total
        {
            outcome
                .fail(name, format!("{found} {name} of {total} statements, where {floor} in a hundred are recorded"));
        }
    }
    outcome
}

#[cfg(test)]
mod tests;
