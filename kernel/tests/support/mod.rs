//! An oracle for proofs: random points, exact or 256-bit numbers, gradients by dual numbers.
//!
//! It shares the reference evaluator with the search for counterexamples and nothing with the prover:
//! neither the normal form, nor the symbolic derivative, nor the positivity reasoning (the domain aside,
//! which says what is claimed). It draws its own points, and its elementary functions are its own.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use pullback_kernel::eval::{self, Dual, EvalError, Forward, Number, Point};
use pullback_kernel::statement::{Condition, DimId, Function, MapKind, Statement, TensorDecl};
use pullback_kernel::{Counterexample, Rational, Value, Wrong, load};

/// SplitMix64 (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
    /// A seed from a name, so that one statement's points do not depend on the others'.
    pub fn named(name: &str) -> Random {
        // FNV-1a.
        Random(name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)))
    }
}

/// A real in fixed point with 256 binary places: the tests' own elementary functions.
#[derive(Clone, PartialEq, Debug)]
pub struct Fixed(BigInt);

const PLACES: u64 = 256;
/// Below this a nonzero number may be a zero that was rounded.
const NOISE: u64 = PLACES - 100;

impl Fixed {
    fn one() -> BigInt {
        BigInt::one() << PLACES
    }
    fn is_noise(&self) -> bool {
        !self.0.is_zero() && self.0.bits() < NOISE
    }
    pub fn to_f64(&self) -> f64 {
        Rational::new(self.0.clone(), Self::one()).to_f64().unwrap_or(f64::NAN)
    }
    fn times(a: &BigInt, b: &BigInt) -> BigInt {
        (a * b) >> PLACES
    }
    fn exp(x: &BigInt) -> BigInt {
        // e^x = (e^(x / 2^s))^(2^s), the inner one by its series.
        let halvings = x.bits().saturating_sub(PLACES - 12);
        let extra = 32 + halvings;
        let small = (x << extra) >> halvings;
        let scale = PLACES + extra;
        let one = BigInt::one() << scale;
        let (mut sum, mut term, mut n) = (one.clone(), one, 1u32);
        while !term.is_zero() && n < 200 {
            term = ((&term * &small) >> scale) / n;
            sum += &term;
            n += 1;
            if term == BigInt::from(-1) {
                break;
            }
        }
        for _ in 0..halvings {
            sum = (&sum * &sum) >> scale;
        }
        sum >> extra
    }
    /// Cosine and sine: by their series at `x / 2^h`, and doubling `h` times.
    fn circular(x: &BigInt) -> (BigInt, BigInt) {
        let halvings = x.bits().saturating_sub(PLACES);
        let small = x >> halvings;
        let square = Self::times(&small, &small);
        let series = |first: BigInt, mut n: u32| {
            let (mut term, mut sum) = (first.clone(), first);
            while term.bits() > 1 {
                term = -Self::times(&term, &square) / ((n + 1) * (n + 2));
                sum += &term;
                n += 2;
            }
            sum
        };
        let (mut cos, mut sin) = (series(Self::one(), 0), series(small.clone(), 1));
        for _ in 0..halvings {
            let twice = Self::times(&cos, &sin) << 1;
            cos = Self::times(&cos, &cos) - Self::times(&sin, &sin);
            sin = twice;
        }
        (cos, sin)
    }
    /// `2 x / sqrt(pi) e^(-x^2) (1 + 2x^2/3 + (2x^2)^2/15 + ...)`.
    fn error_function(x: &BigInt) -> BigInt {
        if x.bits() > PLACES + 4 {
            return if x.is_positive() { Self::one() } else { -Self::one() };
        }
        let twice: BigInt = Self::times(x, x) << 1;
        let (mut sum, mut term, mut n) = (Self::one(), Self::one(), 1u32);
        while term.bits() > 1 {
            term = Self::times(&term, &twice) / (2 * n + 1);
            sum += &term;
            n += 1;
        }
        let pi: BigInt = Self::arctangent(&Self::one()) << 2;
        let root = (pi << PLACES).sqrt();
        let sum = (sum << PLACES) / Self::exp(&(twice >> 1));
        ((Self::times(&sum, x) << 1) << PLACES) / root
    }
    /// By `tan (atan x - y) = (x cos y - sin y) / (cos y + x sin y)` from a y that is close: cubic.
    fn arctangent(x: &BigInt) -> BigInt {
        let guess = Rational::new(x.clone(), Self::one()).to_f64().unwrap_or(0.0).atan();
        let mut y = Self::rational(&Rational::from_float(guess).unwrap_or_else(Rational::zero)).0;
        for _ in 0..3 {
            let (cos, sin) = Self::circular(&y);
            y += ((Self::times(x, &cos) - &sin) << PLACES) / (cos + Self::times(x, &sin));
        }
        y
    }
    fn log(x: &BigInt) -> BigInt {
        let guess = Rational::new(x.clone(), Self::one()).to_f64().unwrap_or(1.0).ln();
        let mut y = Self::rational(&Rational::from_float(guess).unwrap_or_else(Rational::zero)).0;
        // Halley's iteration, cubic.
        for _ in 0..3 {
            let e = Self::exp(&y);
            y += (((x - &e) << (PLACES + 1)) / (x + &e)).clone();
        }
        y
    }
}

impl Number for Fixed {
    fn rational(q: &Rational) -> Self {
        Fixed((q.numer() << PLACES) / q.denom())
    }
    fn add(&self, o: &Self) -> Self {
        Fixed(&self.0 + &o.0)
    }
    fn neg(&self) -> Self {
        Fixed(-&self.0)
    }
    fn mul(&self, o: &Self) -> Self {
        Fixed(Self::times(&self.0, &o.0))
    }
    fn recip(&self) -> Result<Self, EvalError> {
        if self.0.is_zero() {
            return Err(EvalError::Undefined("1/0"));
        }
        if self.is_noise() || self.0.bits() > PLACES + 120 {
            return Err(EvalError::Unknown("one over something near zero, or something large"));
        }
        Ok(Fixed((BigInt::one() << (2 * PLACES)) / &self.0))
    }
    fn call(&self, f: Function) -> Result<Self, EvalError> {
        let x = &self.0;
        if matches!(f, Function::Rsqrt | Function::Sqrt | Function::Log) {
            if self.is_noise() {
                return Err(EvalError::Unknown("a root or logarithm near zero"));
            }
            if !x.is_positive() {
                return Err(EvalError::Undefined("a root or logarithm of it"));
            }
        }
        let one_more = x + Self::one();
        if f == Function::Log1p && !one_more.is_positive() {
            return Err(EvalError::Undefined("a root or logarithm of it"));
        }
        let bounded = matches!(
            f,
            Function::Exp
                | Function::Tanh
                | Function::Sin
                | Function::Cos
                | Function::Erf
                | Function::Erfc
                | Function::Expm1
                | Function::Atan
        );
        if bounded && x.bits() > PLACES + 10 {
            return Err(EvalError::Unknown("a function of a large number"));
        }
        Ok(Fixed(match f {
            Function::Exp => {
                let e = Self::exp(x);
                // Too small to be told from zero, and not zero.
                if e.is_zero() { BigInt::one() } else { e }
            }
            Function::Tanh => {
                let e = Self::exp(&(x << 1));
                ((&e - Self::one()) << PLACES) / (e + Self::one())
            }
            Function::Recip => return Number::recip(self),
            Function::Sqrt => (x << PLACES).sqrt(),
            Function::Rsqrt => (BigInt::one() << (2 * PLACES)) / (x << PLACES).sqrt(),
            Function::Log => Self::log(x),
            Function::Sin => Self::circular(x).1,
            Function::Cos => Self::circular(x).0,
            Function::Erf => Self::error_function(x),
            Function::Erfc => Self::one() - Self::error_function(x),
            Function::Atan => Self::arctangent(x),
            Function::Log1p => Self::log(&one_more),
            Function::Expm1 => Self::exp(x) - Self::one(),
            Function::Floor => (x >> PLACES) << PLACES,
            Function::Round => {
                let q = Rational::new(x.clone(), Self::one());
                let rounded = q.call(Function::Round)?;
                return Ok(Fixed::rational(&rounded));
            }
        }))
    }
    fn sign(&self) -> Option<Ordering> {
        (!self.is_noise()).then(|| self.0.cmp(&BigInt::zero()))
    }
}

/// Numbers that the oracle compares.
pub trait Oracle: Number + std::fmt::Debug {
    /// Whether they are apart by more than rounding, however little.
    fn apart(&self, o: &Self) -> bool;
    /// Whether they are the same real; `None` if that cannot be told.
    fn same(&self, o: &Self) -> Option<bool>;
    fn float(&self) -> f64;
}

impl Oracle for Rational {
    fn apart(&self, o: &Self) -> bool {
        self != o
    }
    fn same(&self, o: &Self) -> Option<bool> {
        Some(self == o)
    }
    fn float(&self) -> f64 {
        self.to_f64().unwrap_or(f64::NAN)
    }
}

impl Oracle for Fixed {
    fn apart(&self, o: &Self) -> bool {
        let size = self.0.bits().max(o.0.bits()).max(PLACES) - PLACES;
        (&self.0 - &o.0).bits() > NOISE - 10 + size
    }
    fn same(&self, o: &Self) -> Option<bool> {
        let size = self.0.bits().max(o.0.bits()).max(PLACES) - PLACES;
        let apart = (&self.0 - &o.0).bits();
        if apart < PLACES - 80 + size {
            Some(true)
        } else if apart > PLACES - 50 {
            Some(false)
        } else {
            None
        }
    }
    fn float(&self) -> f64 {
        self.to_f64()
    }
}

/// The one statement of a source.
pub fn statement(source: &str) -> Statement {
    let (mut statements, errors) = load(source);
    assert!(errors.is_empty(), "{errors:#?}\n{source}");
    assert_eq!(statements.len(), 1, "{source}");
    statements.remove(0)
}

/// Units of work that one evaluation may take.
pub const STEPS: u64 = 100_000_000;

/// A point and cotangents, exact.
#[derive(Clone, Debug)]
pub struct Sample {
    pub point: Point<Rational>,
    pub cotangents: Vec<Vec<Rational>>,
}

pub fn convert<N: Number>(p: &Point<Rational>) -> Point<N> {
    Point {
        sizes: p.sizes.clone(),
        maps: p.maps.clone(),
        params: p.params.iter().map(N::rational).collect(),
        constants: numbers(&p.constants),
        inputs: numbers(&p.inputs),
    }
}

pub fn numbers<N: Number>(v: &[Vec<Rational>]) -> Vec<Vec<N>> {
    v.iter().map(|t| t.iter().map(N::rational).collect()).collect()
}

fn length(statement: &Statement, sizes: &[usize], axes: &[DimId]) -> usize {
    let _ = statement;
    axes.iter().map(|d| sizes[d.0 as usize]).product()
}

/// The places of the parts of a split: part after part.
pub fn part_table(statement: &Statement, sizes: &[usize], map: usize) -> Option<Vec<Option<usize>>> {
    let declared = &statement.maps()[map];
    let MapKind::Part { split, part } = declared.kind else { return None };
    let parts = &statement.splits()[split as usize].parts;
    let before: usize =
        parts[..part as usize].iter().map(|m| length(statement, sizes, &statement.maps()[m.0 as usize].from)).sum();
    Some((0..length(statement, sizes, &declared.from)).map(|k| Some(before + k)).collect())
}

/// Sizes from 1 to 3 that splits and bijections allow, of a volume that can be looped over.
fn sizes(statement: &Statement, random: &mut Random) -> Option<Vec<usize>> {
    let n = statement.dims().len();
    let mut size: Vec<usize> =
        (0..n).map(|_| if n > 6 { 1 + random.below(2) } else { [1, 2, 2, 3, 3, 4][random.below(6)] }).collect();
    for _ in 0..3 {
        for split in statement.splits() {
            size[split.whole.0 as usize] =
                split.parts.iter().map(|m| length(statement, &size, &statement.maps()[m.0 as usize].from)).sum();
        }
        for map in statement.maps() {
            if map.kind == MapKind::Bijection {
                size[map.to.0 as usize] = length(statement, &size, &map.from);
            }
        }
    }
    let fits = statement.splits().iter().all(|s| {
        let parts = s.parts.iter().map(|m| length(statement, &size, &statement.maps()[m.0 as usize].from));
        parts.sum::<usize>() == size[s.whole.0 as usize]
    }) && statement
        .maps()
        .iter()
        .all(|m| m.kind != MapKind::Bijection || length(statement, &size, &m.from) == size[m.to.0 as usize]);
    let coordinates: usize = statement.inputs().iter().map(|t| length(statement, &size, &t.axes)).sum();
    (fits && size.iter().product::<usize>() <= 700 && coordinates <= 48).then_some(size)
}

fn tables(statement: &Statement, sizes: &[usize], random: &mut Random) -> Vec<Vec<Option<usize>>> {
    let mut out = Vec::new();
    for (k, map) in statement.maps().iter().enumerate() {
        let from = length(statement, sizes, &map.from);
        let to = sizes[map.to.0 as usize];
        out.push(match map.kind {
            MapKind::Total => (0..from).map(|_| Some(random.below(to))).collect(),
            MapKind::Partial => (0..from).map(|_| (!random.chance(4)).then(|| random.below(to))).collect(),
            MapKind::Bijection => {
                let mut order: Vec<_> = (0..from).map(Some).collect();
                random.shuffle(&mut order);
                order
            }
            MapKind::Part { .. } => part_table(statement, sizes, k).unwrap_or_default(),
        });
    }
    out
}

/// How a draw's numbers are spread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spread {
    Signed,
    Positive,
    Nonnegative,
    WithZeros,
}

fn value(random: &mut Random, spread: Spread) -> Rational {
    let zero = match spread {
        Spread::WithZeros => random.chance(3),
        Spread::Nonnegative => random.chance(2),
        _ => false,
    };
    if zero {
        return Rational::zero();
    }
    let magnitude = Rational::new((1 + random.below(11)).into(), [2, 3, 4, 5][random.below(4)].into());
    let negative = matches!(spread, Spread::Signed | Spread::WithZeros) && random.chance(2);
    if negative { -magnitude } else { magnitude }
}

/// A random draw, in or out of the domain.
fn draw(statement: &Statement, random: &mut Random) -> Option<Sample> {
    let sizes = sizes(statement, random)?;
    let maps = tables(statement, &sizes, random);
    let spreads = [Spread::Signed, Spread::Positive, Spread::Nonnegative, Spread::WithZeros];
    let tensors = |decls: &[TensorDecl], random: &mut Random| -> Vec<Vec<Rational>> {
        let spread = spreads[random.below(spreads.len())];
        decls.iter().map(|d| (0..length(statement, &sizes, &d.axes)).map(|_| value(random, spread)).collect()).collect()
    };
    let constants = tensors(statement.constants(), random);
    let inputs = tensors(statement.inputs(), random);
    let params = statement
        .params()
        .iter()
        .map(|p| value(random, if p.sign.is_some() { Spread::Positive } else { Spread::Signed }))
        .collect();
    let outputs: Vec<TensorDecl> = statement.outputs().iter().map(|o| o.tensor.clone()).collect();
    let mut cotangents: Vec<Vec<Rational>> = Vec::new();
    for o in &outputs {
        cotangents.push((0..length(statement, &sizes, &o.axes)).map(|_| value(random, Spread::Signed)).collect());
    }
    Some(Sample { point: Point { sizes, maps, params, constants, inputs }, cotangents })
}

/// A point of the domain with what every right rule gives there.
pub struct Known<N> {
    pub point: Point<N>,
    pub cotangents: Vec<Vec<N>>,
    pub values: Forward<N>,
    pub expected: Vec<Vec<N>>,
}

/// The adjoint of the derivative at a point, by dual numbers; only between the boundaries.
pub fn adjoint<N: Number>(
    statement: &Statement,
    point: &Point<N>,
    cotangents: &[Vec<N>],
) -> Result<Vec<Vec<N>>, EvalError> {
    let one = |i: usize, flat: usize| adjoint_at(statement, point, cotangents, i, flat);
    let input = |(i, input): (usize, &Vec<N>)| (0..input.len()).map(|flat| one(i, flat)).collect();
    point.inputs.iter().enumerate().map(input).collect()
}

/// One coordinate of [`adjoint`].
pub fn adjoint_at<N: Number>(
    statement: &Statement,
    point: &Point<N>,
    cotangents: &[Vec<N>],
    input: usize,
    flat: usize,
) -> Result<N, EvalError> {
    let mut dual = still(point);
    dual.inputs[input][flat].tangent = N::rational(&Rational::one());
    let values = eval::forward_off_boundary(statement, &dual, STEPS)?;
    Ok(paired(&values.outputs, cotangents))
}

fn still<N: Number>(point: &Point<N>) -> Point<Dual<N>> {
    let zero = N::rational(&Rational::zero());
    let all = |v: &Vec<N>| v.iter().map(|x| Dual { value: x.clone(), tangent: zero.clone() }).collect::<Vec<_>>();
    Point {
        sizes: point.sizes.clone(),
        maps: point.maps.clone(),
        params: all(&point.params),
        constants: point.constants.iter().map(all).collect(),
        inputs: point.inputs.iter().map(all).collect(),
    }
}

fn paired<N: Number>(outputs: &[Vec<Dual<N>>], cotangents: &[Vec<N>]) -> N {
    let mut sum = N::rational(&Rational::zero());
    for (y, dy) in outputs.iter().flatten().zip(cotangents.iter().flatten()) {
        sum = sum.add(&y.tangent.mul(dy));
    }
    sum
}

/// The sample in this number type, if it lies in the domain, off the boundaries, and the type can tell.
pub fn known<N: Number>(statement: &Statement, domain: &[Condition], sample: &Sample) -> Result<Known<N>, EvalError> {
    let point: Point<N> = convert(&sample.point);
    let cotangents: Vec<Vec<N>> = numbers(&sample.cotangents);
    let values = eval::forward_off_boundary(statement, &point, STEPS)?;
    if eval::outside(statement, domain, &point, &values)?.is_some() {
        return Err(EvalError::Undefined("a point outside of the domain"));
    }
    let expected = adjoint(statement, &point, &cotangents)?;
    Ok(Known { point, cotangents, values, expected })
}

/// What the oracle says of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// It agreed at all points (that could be told).
    Equal,
    /// It gave another value at a point of the domain, or none.
    Differs,
}

/// Points of a statement, kept for many rules over one forward part.
pub struct Points {
    samples: Vec<(Option<Known<Rational>>, Known<Fixed>)>,
}

impl Points {
    /// Up to `count` points of the domain; fewer if it is hard to hit.
    pub fn draw(statement: &Statement, count: usize) -> Points {
        let domain = pullback_kernel::domain(statement);
        let mut random = Random::named(&statement.name().text);
        let mut samples = Vec::new();
        for _ in 0..count * 60 {
            if samples.len() == count {
                break;
            }
            let Some(sample) = draw(statement, &mut random) else { continue };
            // Where all sizes are one, hardly any two rules differ.
            if sample.point.sizes.iter().all(|n| *n == 1) && !sample.point.sizes.is_empty() && !random.chance(8) {
                continue;
            }
            if let Ok(precise) = known::<Fixed>(statement, &domain, &sample) {
                samples.push((known::<Rational>(statement, &domain, &sample).ok(), precise));
            }
        }
        Points { samples }
    }

    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// The points in 256-bit numbers.
    pub fn precise(&self) -> impl Iterator<Item = &Known<Fixed>> {
        self.samples.iter().map(|s| &s.1)
    }

    /// The largest size of a dimension (that is no pack) in them.
    pub fn largest(&self, statement: &Statement) -> usize {
        let sizes = |s: &(Option<Known<Rational>>, Known<Fixed>)| {
            let dims = statement.dims().iter().zip(s.1.point.sizes.clone());
            dims.filter(|d| !d.0.pack).map(|d| d.1).max().unwrap_or(0)
        };
        self.samples.iter().map(sizes).max().unwrap_or(0)
    }

    /// Compares a rule of the same forward part with the adjoint at every point.
    /// Gives the number of points that could be told, too.
    pub fn judge(&self, statement: &Statement) -> (Truth, usize) {
        let mut told = 0;
        for (exact, precise) in &self.samples {
            let verdict = match exact.as_ref().and_then(|k| agrees(statement, k)) {
                Some(v) => Some(v),
                None => agrees(statement, precise),
            };
            match verdict {
                Some(false) => return (Truth::Differs, told + 1),
                Some(true) => told += 1,
                None => {}
            }
        }
        (Truth::Equal, told)
    }

    /// Whether a rule is linear in the cotangent at every point: `K(2u) = 2 K(u)` and `K(0) = 0`.
    pub fn is_linear(&self, statement: &Statement) -> bool {
        self.samples.iter().all(|(_, k)| {
            let scaled = |by: i64| {
                let by = Fixed::rational(&Rational::from_integer(by.into()));
                let u: Vec<Vec<Fixed>> = k.cotangents.iter().map(|t| t.iter().map(|x| x.mul(&by)).collect()).collect();
                let v = eval::backward(statement, &k.point, &k.values, &u).unwrap();
                v.into_iter().flatten().collect::<Vec<_>>()
            };
            let (none, once, thrice) = (scaled(0), scaled(1), scaled(3));
            let three = Fixed::rational(&Rational::from_integer(3.into()));
            none.iter().all(|x| x.0.is_zero())
                && once.iter().zip(&thrice).all(|(a, b)| a.mul(&three).same(b) == Some(true))
        })
    }
}

/// Whether the rule gives what it should; `None` if this number type cannot tell.
pub fn agrees<N: Oracle>(statement: &Statement, k: &Known<N>) -> Option<bool> {
    let claimed = match eval::backward(statement, &k.point, &k.values, &k.cotangents) {
        Ok(c) => c,
        Err(EvalError::Undefined(_)) => return Some(false),
        Err(_) => return None,
    };
    let mut all = true;
    for (a, b) in claimed.iter().flatten().zip(k.expected.iter().flatten()) {
        all &= a.same(b)?;
    }
    Some(all)
}

/// A counterexample as data again.
pub fn sample_of(statement: &Statement, c: &Counterexample) -> Sample {
    let rational = |s: &String| s.parse::<Rational>().unwrap_or_else(|_| panic!("not a rational: {s}"));
    let named = |list: &[Value], name: &str| -> Vec<Rational> {
        let v = list.iter().find(|v| v.name == name).unwrap_or_else(|| panic!("{name} is missing"));
        v.entries.iter().map(rational).collect()
    };
    let sizes: Vec<usize> = c.dims.iter().map(|d| d.1).collect();
    let maps = (0..statement.maps().len())
        .map(|k| {
            part_table(statement, &sizes, k).unwrap_or_else(|| {
                let name = &statement.maps()[k].name.text;
                let table = c.maps.iter().find(|m| m.name == *name).unwrap();
                table.entries.iter().map(|e| e.parse().ok()).collect()
            })
        })
        .collect();
    let tensors = |decls: &[TensorDecl], values: &[Value]| decls.iter().map(|d| named(values, &d.name.text)).collect();
    Sample {
        cotangents: statement
            .outputs()
            .iter()
            .map(|o| named(&c.cotangents, &format!("d{}", o.tensor.name.text)))
            .collect(),
        point: Point {
            maps,
            params: c.params.iter().map(|p| rational(&p.1)).collect(),
            constants: tensors(statement.constants(), &c.constants),
            inputs: tensors(statement.inputs(), &c.inputs),
            sizes,
        },
    }
}

/// Checks a counterexample by evaluating it again: the point lies in the domain, the adjoint by dual
/// numbers is what it expects, the rule gives what it claims, and the two differ.
/// Gives whether that could be told: its numbers may be too large or too small for fixed point.
pub fn recheck(statement: &Statement, c: &Counterexample) -> Result<bool, String> {
    let sample = sample_of(statement, c);
    match recheck_in::<Rational>(statement, c, &sample) {
        Err(EvalError::Inexact(_) | EvalError::Unknown(_) | EvalError::Limit(_)) if !c.exact => {}
        Err(e) => return Err(e.to_string()),
        Ok(r) => return r,
    }
    match recheck_in::<Fixed>(statement, c, &sample) {
        Err(EvalError::Inexact(_) | EvalError::Unknown(_) | EvalError::Limit(_)) => Ok(false),
        Err(e) => Err(e.to_string()),
        Ok(r) => r,
    }
}

fn recheck_in<N: Oracle>(
    statement: &Statement,
    c: &Counterexample,
    sample: &Sample,
) -> Result<Result<bool, String>, EvalError> {
    let domain = pullback_kernel::domain(statement);
    let point: Point<N> = convert(&sample.point);
    let cotangents: Vec<Vec<N>> = numbers(&sample.cotangents);
    let values = match eval::forward_off_boundary(statement, &point, STEPS) {
        Err(EvalError::Unknown(_)) => return recheck_on_boundary(statement, &point, &cotangents),
        values => values?,
    };
    if let Some(c) = eval::outside(statement, &domain, &point, &values)? {
        return Ok(Err(format!("outside of the domain: {}", statement.show_condition(c))));
    }
    let claims = match (eval::backward(statement, &point, &values, &cotangents), &c.wrong) {
        (Err(EvalError::Undefined(_)), Wrong::Undefined { .. }) => return Ok(Ok(true)),
        (r, Wrong::Undefined { what }) => return Ok(Err(format!("said to be undefined ({what}), but {r:?}"))),
        (r, _) => r?,
    };
    let Wrong::Differs { expected, claimed, tensor, at } = &c.wrong else { return Ok(Ok(true)) };
    let gradients = statement.gradients().unwrap_or_default();
    let which = gradients.iter().position(|g| g.tensor.name.text == *tensor).unwrap();
    let shape = gradients[which].tensor.axes.iter().map(|d| point.sizes[d.0 as usize]);
    let flat = at.iter().zip(shape).fold(0, |f, (i, n)| f * n + i);
    let (right, rule) = (&adjoint_at(statement, &point, &cotangents, which, flat)?, &claims[which][flat]);
    let fits = |text: &str, v: &N| {
        let said: f64 = match text.parse::<Rational>() {
            Ok(q) => q.to_f64().unwrap_or(f64::NAN),
            Err(_) => text.parse().unwrap_or(f64::NAN),
        };
        // The middle of a wide interval is shown.
        let close = if c.exact { 1e-12 } else { 1e-2 };
        (said - v.float()).abs() <= close * v.float().abs().max(1.0)
    };
    Ok(if !right.apart(rule) {
        // Both are next to nothing, or the counterexample is none.
        let nothing = 1e-25;
        if !c.exact && right.float().abs() < nothing && rule.float().abs() < nothing {
            Ok(false)
        } else {
            Err(format!("no difference: {right:?} and {rule:?}"))
        }
    } else if !fits(expected, right) || !fits(claimed, rule) {
        Err(format!("{expected} and {claimed} are reported, {} and {} found", right.float(), rule.float()))
    } else {
        Ok(true)
    })
}

/// A counterexample on a boundary: the rule is not linear in the cotangent there, or is no convex combination of the
/// adjoints at two points next to it, on both sides of some coordinate.
fn recheck_on_boundary<N: Oracle>(
    statement: &Statement,
    point: &Point<N>,
    cotangents: &[Vec<N>],
) -> Result<Result<bool, String>, EvalError> {
    let values = eval::forward(statement, point)?;
    let claims = match eval::backward(statement, point, &values, cotangents) {
        Err(EvalError::Undefined(_)) => return Ok(Ok(true)),
        claims => claims?,
    };
    let two = N::rational(&Rational::from_integer(2.into()));
    let twice: Vec<Vec<N>> = cotangents.iter().map(|t| t.iter().map(|u| u.mul(&two)).collect()).collect();
    let doubled = eval::backward(statement, point, &values, &twice)?;
    if claims.iter().flatten().zip(doubled.iter().flatten()).any(|(once, twice)| once.mul(&two).apart(twice)) {
        return Ok(Ok(true));
    }
    let near = Rational::new(1.into(), (1i64 << 40).into());
    let claims: Vec<f64> = claims.iter().flatten().map(Oracle::float).collect();
    for (t, k) in point.inputs.iter().enumerate().flat_map(|(t, v)| (0..v.len()).map(move |k| (t, k))) {
        let beside = |step: &Rational| -> Result<Vec<f64>, EvalError> {
            let mut beside = point.clone();
            beside.inputs[t][k] = beside.inputs[t][k].add(&N::rational(step));
            let places = point.inputs.iter().enumerate().flat_map(|(t, v)| (0..v.len()).map(move |k| (t, k)));
            places.map(|(t, k)| adjoint_at(statement, &beside, cotangents, t, k).map(|a| a.float())).collect()
        };
        let (Ok(above), Ok(below)) = (beside(&near), beside(&-near.clone())) else { continue };
        let size = above.iter().chain(&below).fold(1.0f64, |m, x| m.max(x.abs()));
        let steps = || above.iter().zip(&below).map(|(a, b)| a - b);
        let norm: f64 = steps().map(|d| d * d).sum();
        let along: f64 = steps().zip(claims.iter().zip(&below)).map(|(d, (c, b))| d * (c - b)).sum();
        let weight = if norm > 1e-12 * size * size { (along / norm).clamp(0.0, 1.0) } else { 0.0 };
        let apart = steps().zip(claims.iter().zip(&below)).map(|(d, (c, b))| (c - b - weight * d).abs());
        if apart.fold(0.0f64, f64::max) > 1e-6 * size {
            return Ok(Ok(true));
        }
    }
    Ok(Err("on a boundary, and the rule lies between its sides".into()))
}

#[test]
fn the_tests_own_functions_agree_with_the_platform() {
    let functions = [
        (Function::Exp, f64::exp as fn(f64) -> f64),
        (Function::Tanh, f64::tanh),
        (Function::Sin, f64::sin),
        (Function::Cos, f64::cos),
        (Function::Log, f64::ln),
        (Function::Sqrt, f64::sqrt),
        (Function::Rsqrt, |x| 1.0 / x.sqrt()),
        (Function::Recip, |x| 1.0 / x),
        (Function::Round, f64::round_ties_even),
        (Function::Floor, f64::floor),
        (Function::Atan, f64::atan),
        (Function::Log1p, f64::ln_1p),
        (Function::Expm1, f64::exp_m1),
        (Function::Erf, |x| x.call(Function::Erf).unwrap()),
        (Function::Erfc, |x| x.call(Function::Erfc).unwrap()),
    ];
    for (f, g) in functions {
        for n in -40i64..40 {
            let q = Rational::new(n.into(), 7.into());
            let x = f64::rational(&q);
            if n <= 0 && matches!(f, Function::Log | Function::Sqrt | Function::Rsqrt | Function::Recip) {
                continue;
            }
            if n <= -7 && f == Function::Log1p {
                continue;
            }
            let v = Fixed::rational(&q).call(f).unwrap().to_f64();
            assert!((v - g(x)).abs() <= 1e-14 * v.abs().max(1.0), "{f:?}({x}) = {v}, not {}", g(x));
        }
    }
    // exp(log x) = x, sin^2 + cos^2 = 1, to the precision that is asked of them.
    let x = Fixed::rational(&Rational::new(22.into(), 7.into()));
    let back = x.call(Function::Log).unwrap().call(Function::Exp).unwrap();
    assert_eq!(back.same(&x), Some(true));
    let (s, c) = (x.call(Function::Sin).unwrap(), x.call(Function::Cos).unwrap());
    assert_eq!(s.mul(&s).add(&c.mul(&c)).same(&Fixed(Fixed::one())), Some(true));
}
