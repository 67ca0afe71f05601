//! The search for a counterexample: small dimensions, a non-uniform cotangent, exact or interval numbers.
//!
//! The expected gradient comes from dual numbers run through the statement as written, so the search
//! trusts neither the normal form nor the symbolic derivative. It must never report a difference that
//! rounding could explain.

mod boundary;

pub(crate) use boundary::search as search_boundaries;

use crate::Rational;
use crate::budget::{Budget, Meter};
use crate::eval::{self, Dual, EvalError, Interval, Number, Point};
use crate::limits::{COORDINATES, ELEMENTS, EVALUATED, TRIALS};
use crate::source::Span;
use crate::statement::{Condition, DimId, MapKind, Sign, Statement, TensorDecl};

/// What asks for work here.
const SEARCH: &str = "the search for a counterexample";
/// What an element of a point costs to draw, in units of work.
const ELEMENT: u64 = 256;

/// A tensor of a counterexample.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// Its name.
    pub name: String,
    /// Its shape (a pack counts as one axis).
    pub shape: Vec<usize>,
    /// Its entries, flat in row-major order, as text: exact rationals, or decimals.
    pub entries: Vec<String>,
}

/// In what way the rule is wrong.
#[derive(Clone, PartialEq, Debug)]
pub enum Wrong {
    /// It gives another number than the adjoint of the derivative.
    Differs {
        /// The adjoint of the derivative, by dual numbers.
        expected: String,
        /// What the rule gives.
        claimed: String,
        /// Which input's cotangent.
        tensor: String,
        /// At which index.
        at: Vec<usize>,
    },
    /// On a boundary it is not between the rules of the two sides that meet there.
    Outside {
        /// What the two sides give.
        sides: (String, String),
        /// What the rule gives.
        claimed: String,
        /// Which input's cotangent.
        tensor: String,
        /// At which index.
        at: Vec<usize>,
    },
    /// Twice the cotangent does not give twice the number.
    NotLinear {
        /// What the rule gives at the cotangent.
        once: String,
        /// What it gives at twice the cotangent.
        twice: String,
        /// Which input's cotangent.
        tensor: String,
        /// At which index.
        at: Vec<usize>,
    },
    /// It has no value at a point of the domain.
    Undefined {
        /// What is undefined.
        what: String,
    },
}

/// A point of the domain at which a backward rule is not the adjoint of the derivative.
#[derive(Clone, PartialEq, Debug)]
pub struct Counterexample {
    /// Dimensions and their sizes.
    pub dims: Vec<(String, usize)>,
    /// Parameters.
    pub params: Vec<(String, String)>,
    /// Index maps as tables (`-` where undefined).
    pub maps: Vec<Value>,
    /// Constants.
    pub constants: Vec<Value>,
    /// Inputs.
    pub inputs: Vec<Value>,
    /// Cotangents of the outputs.
    pub cotangents: Vec<Value>,
    /// In what way it is wrong.
    pub wrong: Wrong,
    /// The clause at fault.
    pub span: Span,
    /// Whether the numbers are exact rationals.
    pub exact: bool,
}

impl std::fmt::Display for Counterexample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |v: &[(String, usize)]| v.iter().map(|(n, k)| format!("{n} = {k}")).collect::<Vec<_>>().join(", ");
        if !self.dims.is_empty() {
            writeln!(f, "dims       {}", list(&self.dims))?;
        }
        for (name, v) in &self.params {
            writeln!(f, "param      {name} = {v}")?;
        }
        let kinds = [
            ("map", &self.maps),
            ("constant", &self.constants),
            ("input", &self.inputs),
            ("cotangent", &self.cotangents),
        ];
        for (word, values) in kinds {
            for v in values {
                writeln!(f, "{word:<10} {} = {}", v.name, nested(&v.shape, &v.entries))?;
            }
        }
        let place = |tensor: &str, at: &[usize]| {
            let at = at.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            if at.is_empty() { tensor.to_owned() } else { format!("{tensor}[{at}]") }
        };
        match &self.wrong {
            Wrong::Outside { sides: (a, b), claimed, tensor, at } => {
                let place = place(tensor, at);
                writeln!(f, "the sides  {place} = {a} and {b}: this is a boundary")?;
                write!(f, "claimed    {place} = {claimed}")
            }
            Wrong::NotLinear { once, twice, tensor, at } => {
                let place = place(tensor, at);
                writeln!(f, "claimed    {place} = {once}")?;
                write!(f, "but        {place} = {twice} for twice the cotangent")
            }
            Wrong::Differs { expected, claimed, tensor, at } => {
                let place = place(tensor, at);
                writeln!(f, "expected   {place} = {expected}")?;
                write!(f, "claimed    {place} = {claimed}")
            }
            Wrong::Undefined { what } => write!(f, "claimed    no value: {what}"),
        }
    }
}

fn nested(shape: &[usize], entries: &[String]) -> String {
    match shape.split_first() {
        None => entries.first().cloned().unwrap_or_default(),
        Some((n, rest)) if *n > 0 => {
            let step = entries.len() / n;
            let parts: Vec<String> = entries.chunks(step.max(1)).map(|c| nested(rest, c)).collect();
            format!("[{}]", parts.join(", "))
        }
        Some(_) => "[]".into(),
    }
}

/// Numbers that the search can compare and show.
trait Shown: Number {
    fn differ(&self, o: &Self) -> bool;
    fn show(&self) -> String;
    /// With as many digits as tell it from another number.
    fn show_beside(&self, _: &Self) -> String {
        self.show()
    }
    const EXACT: bool;
}

impl Shown for Rational {
    fn differ(&self, o: &Self) -> bool {
        self != o
    }
    fn show(&self) -> String {
        self.to_string()
    }
    const EXACT: bool = true;
}

impl Shown for Interval {
    fn differ(&self, o: &Self) -> bool {
        // A reader is shown the middles, which say little of wide intervals.
        let narrow = |v: &Interval| v.high - v.low <= 1e-3 * v.middle().abs().max(1.0);
        self.apart(o) && narrow(self) && narrow(o)
    }
    fn show(&self) -> String {
        let text = format!("{:.6}", self.middle());
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
    fn show_beside(&self, o: &Self) -> String {
        // As many digits as tell them apart.
        if self.show() == o.show() { format!("{:?}", self.middle()) } else { self.show() }
    }
    const EXACT: bool = false;
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        // SplitMix64 (Steele, Lea, Flood 2014).
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n.max(1)
    }
}

/// The product of sizes, if it is a number.
fn product(sizes: impl Iterator<Item = usize>) -> Option<usize> {
    sizes.into_iter().try_fold(1usize, |n, size| n.checked_mul(size))
}

/// The sum of sizes, if it is a number.
fn total(sizes: impl Iterator<Item = usize>) -> Option<usize> {
    sizes.into_iter().try_fold(0usize, |n, size| n.checked_add(size))
}

/// The elements of the tables and arrays of a point of these sizes, counted before they are made; `None` if they are too many.
fn elements(statement: &Statement, sizes: &[usize]) -> Option<u64> {
    let length = |axes: &[DimId]| product(axes.iter().map(|d| sizes[d.0 as usize]));
    let inputs = || statement.inputs().iter().map(|t| length(&t.axes));
    // What is computed is not counted: each element of it takes an evaluated expression.
    let all = statement.maps().iter().map(|m| length(&m.from));
    let all = all.chain(statement.constants().iter().map(|t| length(&t.axes))).chain(inputs());
    let all = all.chain(statement.outputs().iter().map(|o| length(&o.tensor.axes)));
    let within = |lengths: Option<Vec<usize>>, limit: usize| total(lengths?.into_iter()).filter(|n| *n <= limit);
    within(inputs().collect(), COORDINATES)?;
    within(all.collect(), ELEMENTS).map(|n| n as u64)
}

/// Sizes that satisfy the splits and bijections; `None` if this draw does not.
fn sizes(statement: &Statement, random: &mut Random, large: bool) -> Option<Vec<usize>> {
    let n = statement.dims().len();
    let mut size: Vec<Option<usize>> = vec![None; n];
    let mut constraints: Vec<(DimId, Vec<DimId>, bool)> = Vec::new();
    for s in statement.splits() {
        let parts = s.parts.iter().map(|m| statement.maps()[m.0 as usize].from[0]).collect();
        constraints.push((s.whole, parts, true));
    }
    for m in statement.maps() {
        if m.kind == MapKind::Bijection {
            constraints.push((m.to, m.from.clone(), false));
        }
    }
    let many = n > 5;
    let mut draw = |k: usize| {
        let _ = k;
        match (large, many) {
            (true, _) => [3, 2, 4, 3][random.below(4) as usize],
            (false, true) => [2, 1, 2, 2][random.below(4) as usize],
            (false, false) => [2, 3, 2, 1, 3][random.below(5) as usize],
        }
    };
    // Sources first, then what they determine; what is left over is drawn.
    for _ in 0..=n {
        let mut changed = false;
        for (to, from, sum) in &constraints {
            if size[to.0 as usize].is_none() && from.iter().all(|d| size[d.0 as usize].is_some()) {
                let parts = from.iter().filter_map(|d| size[d.0 as usize]);
                size[to.0 as usize] = Some(if *sum { total(parts) } else { product(parts) }?);
                changed = true;
            }
        }
        if !changed {
            let target = |d: usize| {
                constraints.iter().any(|(to, from, _)| to.0 as usize == d && !from.contains(&DimId(d as u32)))
            };
            let next =
                (0..n).find(|d| size[*d].is_none() && !target(*d)).or_else(|| (0..n).find(|d| size[*d].is_none()));
            match next {
                Some(d) => size[d] = Some(draw(d)),
                None => break,
            }
        }
    }
    let size: Vec<usize> = size.into_iter().collect::<Option<_>>()?;
    let holds = constraints.iter().all(|(to, from, sum)| {
        let parts = from.iter().map(|d| size[d.0 as usize]);
        Some(size[to.0 as usize]) == if *sum { total(parts) } else { product(parts) }
    });
    holds.then_some(size)
}

fn tables(statement: &Statement, sizes: &[usize], random: &mut Random) -> Vec<Vec<Option<usize>>> {
    let mut out = Vec::new();
    for map in statement.maps() {
        let from: usize = map.from.iter().map(|d| sizes[d.0 as usize]).product();
        let to = sizes[map.to.0 as usize];
        out.push(match map.kind {
            MapKind::Total => (0..from).map(|_| Some(random.below(to as u64) as usize)).collect(),
            MapKind::Partial => {
                (0..from).map(|_| (random.below(4) > 0).then(|| random.below(to as u64) as usize)).collect()
            }
            MapKind::Bijection => {
                let mut order: Vec<usize> = (0..from).collect();
                for i in (1..from).rev() {
                    order.swap(i, random.below(i as u64 + 1) as usize);
                }
                order.into_iter().map(Some).collect()
            }
            MapKind::Part { split, part } => {
                let parts = &statement.splits()[split as usize].parts;
                let before: usize = parts[..part as usize]
                    .iter()
                    .map(|m| sizes[statement.maps()[m.0 as usize].from[0].0 as usize])
                    .sum();
                (0..from).map(|k| Some(before + k)).collect()
            }
        });
    }
    out
}

/// How the numbers of a trial are drawn.
fn number(random: &mut Random, mode: u64, sign: Option<Sign>) -> Rational {
    let magnitude = |random: &mut Random| {
        let n = 1 + random.below(if mode % 3 == 2 { 7 } else { 3 });
        let d = 1 + random.below(2 + mode % 2);
        Rational::new(n.into(), d.into())
    };
    match sign {
        Some(Sign::Positive) => return magnitude(random),
        Some(Sign::NonNegative) if random.below(3) > 0 => return magnitude(random),
        Some(Sign::NonNegative) => return Rational::from_integer(0.into()),
        _ => {}
    }
    let m = magnitude(random);
    match mode % 4 {
        // Positive only: for domains.
        1 => m,
        // With zeros.
        2 if sign.is_none() && random.below(3) == 0 => Rational::from_integer(0.into()),
        _ if random.below(2) == 0 => -m,
        _ => m,
    }
}

/// A point drawn at random: exact rationals, to be read in any number type.
fn draw(statement: &Statement, seed: u64, meter: &Meter) -> Option<(Point<Rational>, Vec<Vec<Rational>>)> {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(seed));
    let mut drawn = (0..8).filter_map(|_| sizes(statement, &mut random, seed % 5 == 4));
    let (sizes, elements) = drawn.find_map(|sizes| elements(statement, &sizes).map(|n| (sizes, n)))?;
    meter.spend(SEARCH, elements.saturating_mul(ELEMENT)).ok()?;
    let maps = tables(statement, &sizes, &mut random);
    let mode = seed;
    let length = |axes: &[DimId]| axes.iter().map(|d| sizes[d.0 as usize]).product::<usize>();
    let tensors = |decls: &[TensorDecl], random: &mut Random| -> Vec<Vec<Rational>> {
        decls.iter().map(|d| (0..length(&d.axes)).map(|_| number(random, mode, None)).collect()).collect()
    };
    let params = statement.params().iter().map(|p| number(&mut random, mode, p.sign)).collect();
    let constants = tensors(statement.constants(), &mut random);
    let inputs = tensors(statement.inputs(), &mut random);
    // A point with one entry zero, the rest as drawn: where a rule divides by an input.
    let mut inputs: Vec<Vec<Rational>> = inputs;
    if mode % 4 == 3 && mode % 8 == 7 {
        for t in &mut inputs {
            t.iter_mut().for_each(|x| *x = Rational::from_integer(0.into()));
        }
    }
    let cotangents = statement
        .outputs()
        .iter()
        .map(|o| {
            (0..length(&o.tensor.axes))
                .map(|k| {
                    let n = 2 + random.below(5) as i64 + k as i64;
                    Rational::new((if random.below(2) == 0 { n } else { -n }).into(), (1 + random.below(2)).into())
                })
                .collect()
        })
        .collect();
    Some((Point { sizes, maps, params, constants, inputs }, cotangents))
}

fn convert<N: Number>(p: &Point<Rational>) -> Point<N> {
    let all = |v: &Vec<Vec<Rational>>| v.iter().map(|t| t.iter().map(N::rational).collect()).collect();
    Point {
        sizes: p.sizes.clone(),
        maps: p.maps.clone(),
        params: p.params.iter().map(N::rational).collect(),
        constants: all(&p.constants),
        inputs: all(&p.inputs),
    }
}

/// What one trial says.
enum Trial<N> {
    /// Nothing wrong here.
    Agrees,
    /// Not a point of the domain, or the numbers cannot tell.
    Nothing(EvalError),
    Differs {
        input: usize,
        flat: usize,
        expected: N,
        claimed: N,
    },
    Outside {
        input: usize,
        flat: usize,
        sides: (N, N),
        claimed: N,
    },
    NotLinear {
        input: usize,
        flat: usize,
        once: N,
        twice: N,
    },
    Undefined(EvalError),
}

/// One evaluation of a trial, within a bound of its own: one that takes long does not take what the others could have.
fn bounded<T>(meter: &Meter, evaluation: impl FnOnce(&Meter) -> Result<T, EvalError>) -> Result<T, EvalError> {
    let limit = EVALUATED.min(meter.left());
    let own = Meter::new(Budget::UNLIMITED.with_work(limit));
    let result = evaluation(&own);
    meter.spend(SEARCH, own.spent().min(limit))?;
    result
}

fn trial<N: Shown>(
    statement: &Statement,
    domain: &[Condition],
    point: &Point<N>,
    cotangents: &[Vec<N>],
    meter: &Meter,
) -> Trial<N> {
    let values = match bounded(meter, |own| eval::forward_with(statement, point, eval::Boundary::Unknown, own)) {
        Ok(v) => v,
        Err(e) => return Trial::Nothing(e),
    };
    match bounded(meter, |own| eval::outside_within(statement, domain, point, &values, own)) {
        Ok(None) => {}
        Ok(Some(_)) => return Trial::Nothing(EvalError::Undefined("a point outside of the domain")),
        Err(e) => return Trial::Nothing(e),
    }
    let claimed = match bounded(meter, |own| eval::backward_within(statement, point, &values, cotangents, own)) {
        Ok(c) => c,
        Err(e @ EvalError::Undefined(_)) => return Trial::Undefined(e),
        Err(e) => return Trial::Nothing(e),
    };
    let zero = N::rational(&Rational::from_integer(0.into()));
    let one = N::rational(&Rational::from_integer(1.into()));
    let still = |v: &Vec<N>| v.iter().map(|x| Dual { value: x.clone(), tangent: zero.clone() }).collect::<Vec<_>>();
    let mut dual = Point {
        sizes: point.sizes.clone(),
        maps: point.maps.clone(),
        params: still(&point.params),
        constants: point.constants.iter().map(still).collect(),
        inputs: point.inputs.iter().map(still).collect(),
    };
    for (input, claims) in claimed.iter().enumerate() {
        for (flat, claimed) in claims.iter().enumerate() {
            dual.inputs[input][flat].tangent = one.clone();
            let outputs = match bounded(meter, |own| eval::forward_with(statement, &dual, eval::Boundary::Unknown, own))
            {
                Ok(f) => f.outputs,
                Err(e) => return Trial::Nothing(e),
            };
            dual.inputs[input][flat].tangent = zero.clone();
            let mut expected = zero.clone();
            for (y, dy) in outputs.iter().flatten().zip(cotangents.iter().flatten()) {
                expected = expected.add(&y.tangent.mul(dy));
            }
            if expected.differ(claimed) {
                return Trial::Differs { input, flat, expected, claimed: claimed.clone() };
            }
        }
    }
    Trial::Agrees
}

/// Looks for a point at which the backward rule is wrong, as long as the meter allows.
pub(crate) fn search(statement: &Statement, domain: &[Condition], meter: &Meter) -> Option<Counterexample> {
    let mut transcendental = false;
    for seed in 1..=TRIALS {
        if meter.left() == 0 {
            break;
        }
        let Some((point, cotangents)) = draw(statement, seed, meter) else { continue };
        match trial::<Rational>(statement, domain, &point, &cotangents, meter) {
            Trial::Nothing(EvalError::Inexact(_)) => transcendental = true,
            found => {
                if let Some(c) = report(statement, &point, &cotangents, found) {
                    return Some(c);
                }
            }
        }
        if transcendental {
            let p: Point<Interval> = convert(&point);
            let u: Vec<Vec<Interval>> = cotangents.iter().map(|t| t.iter().map(Interval::rational).collect()).collect();
            let found = trial(statement, domain, &p, &u, meter);
            if let Some(c) = report(statement, &point, &cotangents, found) {
                return Some(c);
            }
        }
    }
    None
}

fn report<N: Shown>(
    statement: &Statement,
    point: &Point<Rational>,
    cotangents: &[Vec<Rational>],
    found: Trial<N>,
) -> Option<Counterexample> {
    let gradients = statement.gradients()?;
    let text = |v: &[Rational]| v.iter().map(Rational::to_string).collect::<Vec<_>>();
    let shape = |axes: &[DimId]| axes.iter().map(|d| point.sizes[d.0 as usize]).collect::<Vec<_>>();
    let place = |input: usize, flat: usize| {
        let g = &gradients[input];
        let mut at = Vec::new();
        let mut rest = flat;
        for n in shape(&g.tensor.axes).iter().rev() {
            at.insert(0, rest % n);
            rest /= n;
        }
        let span = g.clauses.first().map_or(statement.span(), |c| c.span);
        (g.tensor.name.text.clone(), at, span)
    };
    let (wrong, span) = match found {
        Trial::Agrees | Trial::Nothing(_) => return None,
        Trial::Undefined(e) => (Wrong::Undefined { what: e.to_string() }, statement.span()),
        Trial::Differs { input, flat, expected, claimed } => {
            let (tensor, at, span) = place(input, flat);
            (
                Wrong::Differs {
                    expected: expected.show_beside(&claimed),
                    claimed: claimed.show_beside(&expected),
                    tensor,
                    at,
                },
                span,
            )
        }
        Trial::Outside { input, flat, sides, claimed } => {
            let (tensor, at, span) = place(input, flat);
            let nearer = if claimed.show() == sides.0.show() { &sides.0 } else { &sides.1 };
            let claimed = claimed.show_beside(nearer);
            let sides = (sides.0.show_beside(&sides.1), sides.1.show_beside(&sides.0));
            (Wrong::Outside { sides, claimed, tensor, at }, span)
        }
        Trial::NotLinear { input, flat, once, twice } => {
            let (tensor, at, span) = place(input, flat);
            (Wrong::NotLinear { once: once.show(), twice: twice.show(), tensor, at }, span)
        }
    };
    let tensors = |decls: &[TensorDecl], data: &[Vec<Rational>]| -> Vec<Value> {
        let one = |(d, v): (&TensorDecl, &Vec<Rational>)| Value {
            name: d.name.text.clone(),
            shape: shape(&d.axes),
            entries: text(v),
        };
        decls.iter().zip(data).map(one).collect()
    };
    let maps = statement
        .maps()
        .iter()
        .zip(&point.maps)
        .filter(|(m, _)| !matches!(m.kind, MapKind::Part { .. }))
        .map(|(m, t)| Value {
            name: m.name.text.clone(),
            shape: shape(&m.from),
            entries: t.iter().map(|k| k.map_or("-".into(), |k| k.to_string())).collect(),
        })
        .collect();
    Some(Counterexample {
        dims: statement.dims().iter().zip(&point.sizes).map(|(d, n)| (d.name.text.clone(), *n)).collect(),
        params: statement
            .params()
            .iter()
            .zip(&point.params)
            .map(|(p, v)| (p.name.text.clone(), v.to_string()))
            .collect(),
        maps,
        constants: tensors(statement.constants(), &point.constants),
        inputs: tensors(statement.inputs(), &point.inputs),
        cotangents: statement
            .outputs()
            .iter()
            .zip(cotangents)
            .map(|(o, v)| Value {
                name: format!("d{}", o.tensor.name.text),
                shape: shape(&o.tensor.axes),
                entries: text(v),
            })
            .collect(),
        wrong,
        span,
        exact: N::EXACT,
    })
}
