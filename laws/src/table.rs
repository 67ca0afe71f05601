//! The table of laws: when each applies to a rule, and how it is tried at a point.
//!
//! A law is a row; nothing else decides which laws there are.

use pullback_scalar::Scalar;

use crate::approximate::{Approximate, digits};
use crate::copies::{ROUND, copies, has_copies};
use crate::equations::{self, Outcome};
use crate::evidence::{Declared, Evidence};
use crate::flat::{Flat, Moving};
use crate::options::Options;
use crate::place::{At, caught};
use crate::points::{Points, direction, domains, general_turn};
use crate::suite::Subject;
use crate::violation::{Law, LawViolation};

/// A law of the suite: when it applies, and how it is tried.
pub(crate) struct Entry<T: Scalar> {
    pub(crate) law: Law,
    pub(crate) applies: fn(&Subject<'_, T>, &Options) -> Result<(), &'static str>,
    pub(crate) check: fn(&At<'_, '_, T>) -> Result<Outcome, LawViolation>,
}

const HELD: Result<Outcome, LawViolation> = Ok(Outcome::Held);
const CORNER: Result<Outcome, LawViolation> = Ok(Outcome::Undecided("the function has a corner there"));

fn held(result: Result<(), LawViolation>) -> Result<Outcome, LawViolation> {
    result.map(|()| Outcome::Held)
}

fn always<T: Scalar>(_: &Subject<'_, T>, _: &Options) -> Result<(), &'static str> {
    Ok(())
}

fn has_output<T: Scalar>(subject: &Subject<'_, T>, _: &Options) -> Result<(), &'static str> {
    let gives = subject.rule.dimensions().1;
    if gives == 0 { Err("the output has no coordinates: `discarding_is_zero` says it all") } else { Ok(()) }
}

fn is_adjoint<T: Scalar>(subject: &Subject<'_, T>, options: &Options) -> Result<(), &'static str> {
    if subject.rule.evidence() == Evidence::Declared(Declared::Surrogate) {
        return Err("the rule is declared a surrogate: another map than the adjoint, on purpose");
    }
    if subject.rule.arguments().iter().all(|length| *length == 0) {
        return Err("it takes no number");
    }
    has_output(subject, options)
}

/// The places of any two arguments of equal length.
fn twins<T: Scalar>(rule: &dyn Flat<T>) -> impl Iterator<Item = (usize, usize)> + use<T> {
    let lengths = rule.arguments();
    let pairs: Vec<(usize, usize)> = (0..lengths.len())
        .flat_map(|other| (0..other).map(move |one| (one, other)))
        .filter(|&(one, other)| lengths[one] == lengths[other] && lengths[one] > 0)
        .collect();
    pairs.into_iter()
}

/// The laws of a rule by itself; those of wholes are in their own table.
pub(crate) fn table<T: Approximate>() -> Vec<Entry<T>> {
    let alone: Vec<Entry<T>> = vec![
        Entry {
            law: equations::shape::SHAPE,
            applies: always,
            check: |at| held(equations::shape(at.subject.rule, &at.points.x, &at.points.u)),
        },
        Entry {
            law: equations::shape::DEFINED,
            applies: always,
            check: |at| held(equations::defined(at.subject.rule, &at.points.x, &at.points.u)),
        },
        Entry {
            law: equations::shape::REFUSED,
            applies: |subject, options| {
                if !domains(subject.rule, options).into_iter().any(|domain| !domain.outside::<T>().is_empty()) {
                    return Err("the domain is everything");
                }
                if subject.rule.refuses() { Ok(()) } else { Err("the forward function has no way to refuse its input") }
            },
            check: |at| {
                let all = domains(at.subject.rule, at.options).into_iter().enumerate();
                for (place, domain) in all.filter(|(place, _)| at.is_probed(*place)) {
                    for outside in domain.outside::<T>() {
                        let mut x = at.points.x.clone();
                        x[place] = outside;
                        equations::refused(at.subject.rule, &x)?;
                    }
                }
                HELD
            },
        },
        Entry {
            law: equations::shape::VALUE,
            applies: |subject, _| subject.plain.map(|_| ()).ok_or("no plain function was given"),
            check: |at| match at.subject.plain {
                Some(plain) => held(equations::value(at.subject.rule, plain, &at.points.x)),
                None => Ok(Outcome::Elsewhere),
            },
        },
        Entry {
            law: equations::linear::HOMOGENEOUS,
            applies: has_output,
            check: |at| held(equations::homogeneous(at.subject.rule, &at.points.x, &at.points.u)),
        },
        Entry {
            law: equations::linear::ADDITIVE,
            applies: has_output,
            check: |at| held(equations::additive(at.subject.rule, &at.points.x, &at.points.u, &at.points.w)),
        },
        Entry {
            law: equations::linear::ZERO_TO_ZERO,
            applies: has_output,
            check: |at| held(equations::zero_to_zero(at.subject.rule, &at.points.x)),
        },
        Entry {
            law: equations::adjoint::PRIMAL,
            applies: has_duals,
            check: |at| match at.subject.moving {
                Some(moving) => held(equations::primal(at.subject.rule, moving, &at.points.x, &at.points.v)),
                None => Ok(Outcome::Elsewhere),
            },
        },
        Entry {
            law: equations::measured::TANGENT,
            applies: |subject, options| {
                if T::TOLERANCE == 0.0 {
                    return Err("over exact scalars the dual numbers are the derivative");
                }
                has_output(subject, options).and_then(|()| has_duals(subject, options))
            },
            check: |at| {
                let trial = at.trial(equations::measured::TANGENT);
                match (at.subject.moving, trial.inside(at.slopes())?.first()) {
                    (Some(moving), Some(slope)) => {
                        let Points { x, u, .. } = &at.points;
                        equations::measured::tangent_measured(at.subject.rule, moving, x, u, slope)
                    }
                    _ => Ok(Outcome::Elsewhere),
                }
            },
        },
        Entry { law: equations::adjoint::ADJOINT, applies: is_adjoint, check: adjoint },
        Entry {
            law: equations::adjoint::EXACT,
            applies: |subject, options| is_adjoint(subject, options).and_then(|()| is_exact(subject, options)),
            check: |at| match (at.subject.exact, &at.exact) {
                _ if at.at_corner() => CORNER,
                (Some((rule, moving)), Some(Points { x, u, v, .. })) => {
                    let (law, probed) = (equations::adjoint::EXACT, at.probed());
                    if at.is_large() {
                        equations::adjoint::along(law, rule, moving, x, u, v)?;
                    }
                    held(equations::adjoint::each_coordinate(law, rule, moving, x, u, &probed))
                }
                _ => Ok(Outcome::Elsewhere),
            },
        },
        Entry {
            law: equations::rounded::ROUNDED,
            applies: is_exact,
            check: |at| match (at.subject.exact, &at.exact) {
                (Some((rule, _)), Some(exact)) => {
                    let (x, u) = (&at.points.x, &at.points.u);
                    held(equations::rounded(at.subject.rule, rule, (x, &exact.x), (u, &exact.u)))
                }
                _ => Ok(Outcome::Elsewhere),
            },
        },
        Entry {
            law: equations::corner::CONVENTION,
            applies: |subject, options| {
                is_adjoint(subject, options)?;
                match subject.rule.evidence() {
                    Evidence::Proved => Err("the rule is proved: its domain has no corner"),
                    Evidence::Declared(Declared::Convention) if subject.stated.is_none() => {
                        Err("the convention was declared in words only: `declares` says it in numbers")
                    }
                    Evidence::Declared(_) => Ok(()),
                }
            },
            check: |at| {
                let Points { x, u, .. } = &at.points;
                let stated = at.subject.stated.map(|stated| stated(x, u));
                let slopes = at.trial(equations::corner::CONVENTION).inside(at.slopes())?;
                equations::corner::convention_measured(&at.inside(), (x, u), (slopes, &at.moving()), stated.as_deref())
            },
        },
        Entry {
            law: equations::duplicated::DUPLICATED,
            applies: |subject, options| {
                is_adjoint(subject, options)?;
                if subject.rule.evidence() == Evidence::Proved {
                    return Err("the rule is proved: its domain has no corner");
                }
                has_copies(subject.rule, options).then_some(()).ok_or("no two of its numbers may be equal")
            },
            check: duplicated,
        },
        Entry {
            law: equations::residual::DETERMINISTIC,
            applies: always,
            check: |at| {
                let Points { x, u, .. } = &at.points;
                held(equations::residual::repeats(at.subject.rule, x, u, at.options.varies))
            },
        },
        Entry {
            law: equations::residual::REUSABLE,
            applies: always,
            check: |at| {
                let Points { x, u, .. } = &at.points;
                held(equations::residual::used_twice(at.subject.rule, x, u, at.options.varies))
            },
        },
        Entry {
            law: equations::residual::INTERLEAVED,
            applies: always,
            check: |at| {
                let Points { x, y, u, w, .. } = &at.points;
                held(equations::interleaved(at.subject.rule, x, u, y, w))
            },
        },
        Entry {
            law: equations::residual::RECOMPUTABLE,
            applies: always,
            check: |at| held(equations::recomputable(at.subject.rule, &at.points.x, &at.points.u, &at.points.y)),
        },
        Entry {
            law: equations::usage::RESIDUAL_SUFFICES,
            applies: always,
            check: |at| held(equations::residual_suffices(at.subject.rule, &at.points.x, &at.points.u)),
        },
        Entry {
            law: equations::usage::UNCHANGED,
            applies: always,
            check: |at| held(equations::unchanged(at.subject.rule, &at.points.x, &at.points.u)),
        },
        Entry {
            law: equations::usage::ONE_STORAGE,
            applies: |subject, _| {
                if !subject.rule.shares_storage() {
                    return Err("the rule does not see the storage of its arguments");
                }
                twins(subject.rule).next().map(|_| ()).ok_or("no two arguments have the same length")
            },
            check: |at| {
                twins(at.subject.rule)
                    .try_for_each(|twins| equations::one_storage(at.subject.rule, &at.points.x, &at.points.u, twins))?;
                HELD
            },
        },
        Entry {
            law: equations::usage::TRACKED,
            applies: |subject, _| {
                if !subject.rule.tracks() {
                    return Err("the rule is not told which arguments are tracked");
                }
                if subject.rule.arguments().len() > 1 { Ok(()) } else { Err("there is one argument only") }
            },
            check: |at| held(equations::tracked(at.subject.rule, &at.points.x, &at.points.u)),
        },
        Entry {
            law: equations::usage::MOVED,
            applies: always,
            check: |at| held(equations::moved(at.subject.rule, &at.points.x, &at.points.u)),
        },
    ];
    alone.into_iter().chain(WHOLES.map(whole)).collect()
}

fn has_duals<T: Scalar>(subject: &Subject<'_, T>, _: &Options) -> Result<(), &'static str> {
    subject.moving.map(|_| ()).ok_or("the rule was not given at dual numbers")
}

fn is_exact<T: Scalar>(subject: &Subject<'_, T>, _: &Options) -> Result<(), &'static str> {
    subject.exact.map(|_| ()).ok_or("the rule was not given over the rationals")
}

fn adjoint<T: Approximate>(at: &At<'_, '_, T>) -> Result<Outcome, LawViolation> {
    let Points { x, u, v, .. } = &at.points;
    let rule = at.subject.rule;
    // Where dual numbers overflow and the function does not, they are no derivative.
    let overflows =
        |moving: &dyn Moving<T>| moving.push(x, v).is_ok_and(|pushed| !pushed.tangent.iter().all(T::is_finite));
    let Some(moving) = at.subject.moving.filter(|moving| !overflows(*moving)) else {
        let slopes = at.trial(equations::adjoint::ADJOINT).inside(at.slopes())?;
        return equations::measured::adjoint_measured(&at.inside(), (x, u), (slopes, &at.moving()));
    };
    if at.at_corner() {
        return CORNER;
    }
    // One evaluation for each coordinate is for arrays that are small.
    if at.options.constants.is_empty() && !at.is_large() {
        equations::coordinatewise(rule, moving, x, u)?;
    } else {
        for (v, _) in at.directions() {
            equations::adjoint(rule, moving, x, u, &v)?;
        }
    }
    held(equations::adjoint(rule, moving, x, u, v))
}

/// What numbers that are made equal are multiplied by once a round: so much that one is nothing beside them.
///
/// A rule that takes a difference of great numbers, as `exp(a - log(exp(a) + exp(b)))`, loses there what tells equal numbers from a single one.
/// Steps are a part of the numbers, so the derivative along them is measured as well as anywhere.
fn magnitude<T: Approximate>(turn: usize) -> Option<T> {
    let digits = digits::<T>().filter(|_| turn % ROUND == 1)?;
    Some(T::from_ratio(2, 1).powi(digits as i32 + 4))
}

fn duplicated<T: Approximate>(at: &At<'_, '_, T>) -> Result<Outcome, LawViolation> {
    let Points { x, u, v, .. } = &at.points;
    // Where more meets than the numbers that are repeated, the law may say nothing.
    let Some(turn) = general_turn(at.options, at.case) else { return Ok(Outcome::Elsewhere) };
    let Some(from) = copies(at.subject.rule, at.options, at.case, turn) else { return Ok(Outcome::Elsewhere) };
    // The coordinates that are their own, one after the other.
    let own: Vec<usize> = (0..x.len()).filter(|&place| from[place] == place).collect();
    if own.len() == x.len() {
        return Ok(Outcome::Elsewhere);
    }
    let places: Vec<usize> = from.iter().map(|from| own.partition_point(|own| own < from)).collect();
    let moving = at.moving();
    let moving: Vec<bool> = own.iter().map(|&place| moving[place]).collect();
    let of = |list: &[T]| -> Vec<T> { own.iter().map(|&place| list[place].clone()).collect() };
    let repeated = |z: &[T]| -> Vec<T> { places.iter().map(|&place| z[place].clone()).collect() };
    let rule = at.inside();
    let has_value = |z: &[T]| rule.run(&repeated(z)).is_ok_and(|run| run.value.iter().all(T::is_finite));
    let z = of(x);
    let holds = |z: &[T]| match direction(z, &of(v), &moving, at.case) {
        Some(v) => equations::duplicated::duplicated_along(&rule, &places, z, u, v),
        None => Ok(Outcome::Elsewhere),
    };
    if let Some(factor) = magnitude::<T>(turn) {
        let great = |(z, moving): (&T, &bool)| if *moving { z.clone() * factor.clone() } else { z.clone() };
        let great: Vec<T> = z.iter().zip(&moving).map(great).collect();
        // Nobody said that it takes such numbers: where it panics there, it does not.
        match caught(|| has_value(&great).then(|| holds(&great))) {
            Ok(Some(found)) => return found,
            Ok(None) => {}
            Err(_) => return Ok(Outcome::Undecided("the function does not take such great numbers")),
        }
    }
    if has_value(&z) {
        holds(&z)
    } else {
        Ok(Outcome::Undecided("the function is not defined where the numbers are equal"))
    }
}

/// The laws that say how a whole is made of parts.
const WHOLES: [Law; 13] = [
    equations::composition::SAME_CONTRACT,
    equations::composition::COMPOSITE,
    equations::composition::ASSOCIATIVE,
    equations::composition::LEFT_UNIT,
    equations::composition::RIGHT_UNIT,
    equations::composition::RECOMPUTED,
    equations::product::COMPONENTWISE,
    equations::product::FANNED_OUT,
    equations::product::SHARING_ADDS,
    equations::product::DISCARDING_IS_ZERO,
    equations::product::SHARED_ARGUMENT,
    equations::iteration::REPEATED,
    equations::iteration::ROW_BY_ROW,
];

fn whole<T: Approximate>(law: Law) -> Entry<T> {
    // The functions of an entry know no law: each is made for one place in the list.
    fn made_so<T: Scalar, const PLACE: usize>(subject: &Subject<'_, T>, _: &Options) -> Result<(), &'static str> {
        let said = subject.wholes.iter().any(|whole| whole.law() == WHOLES[PLACE]);
        if said { Ok(()) } else { Err("nobody said that the rule is made so") }
    }
    fn check<T: Approximate, const PLACE: usize>(at: &At<'_, '_, T>) -> Result<Outcome, LawViolation> {
        for whole in at.subject.wholes.iter().filter(|whole| whole.law() == WHOLES[PLACE]) {
            whole.check(at.subject, &at.points)?;
        }
        HELD
    }
    macro_rules! place {
        ($($place:literal)*) => {
            match WHOLES.iter().position(|other| *other == law) {
                $(Some($place) => Entry { law, applies: made_so::<T, $place>, check: check::<T, $place> },)*
                _ => Entry { law, applies: |_, _| Err("it is about several rules"), check: |_| Ok(Outcome::Elsewhere) },
            }
        };
    }
    place!(0 1 2 3 4 5 6 7 8 9 10 11 12)
}
