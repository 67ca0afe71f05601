//! Statements made of statements: taped, pullback and pushforward of every statement in `contracts/`.
//!
//! What they compute is compared at points with the rule they come from and with dual numbers, in 256-bit numbers;
//! their own derived rules are proved like any other.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking, and this one reports counts")]

#[path = "support/library.rs"]
mod library;
mod support;

use pullback_kernel::eval::{self, Dual, Forward, Number, Point};
use pullback_kernel::statement::{Label, Statement, Tensor};
use pullback_kernel::{Outcome, Pullback, Rational, load, prove};
use support::{Fixed, Known, Oracle, Points};

fn library() -> Vec<Statement> {
    library::sources().iter().flat_map(|p| load(&std::fs::read_to_string(p).unwrap()).0).collect()
}

fn value(k: &Known<Fixed>, t: Tensor) -> Vec<Fixed> {
    match t {
        Tensor::Input(i) => k.point.inputs[i as usize].clone(),
        Tensor::Local(i) => k.values.locals[i as usize].clone(),
        Tensor::Output(i) => k.values.outputs[i as usize].clone(),
        _ => panic!("not a forward tensor"),
    }
}

/// The point of a derived statement: the data of the base, other inputs.
fn at(k: &Known<Fixed>, saved: &[Tensor], more: Vec<Vec<Fixed>>) -> Point<Fixed> {
    let inputs = saved.iter().map(|t| value(k, *t)).chain(more).collect();
    Point { inputs, ..k.point.clone() }
}

fn zero() -> Fixed {
    Fixed::rational(&Rational::from_integer(0.into()))
}

fn agree(what: &str, left: &[Fixed], right: &[Fixed]) {
    assert_eq!(left.len(), right.len(), "{what}");
    for (a, b) in left.iter().zip(right) {
        assert_ne!(a.same(b), Some(false), "{what}: {} and {}", a.to_f64(), b.to_f64());
    }
}

/// The pullback gives what the rule gives, and zero where it leaves an input out.
fn pulled(name: &str, base: &Statement, pullback: &Pullback, k: &Known<Fixed>, seeds: &dyn Fn(u32) -> bool) {
    let u: Vec<Vec<Fixed>> =
        (0u32..).zip(&k.cotangents).map(|(o, u)| if seeds(o) { u.clone() } else { vec![zero(); u.len()] }).collect();
    let expected = eval::backward(base, &k.point, &k.values, &u).unwrap();
    let point = at(k, &pullback.saved, pullback.seeds.iter().map(|s| u[*s as usize].clone()).collect());
    let got = eval::forward(&pullback.statement, &point).unwrap().outputs;
    for (i, expected) in (0u32..).zip(&expected) {
        let zeros = vec![zero(); expected.len()];
        let got = pullback.wanted.iter().position(|w| *w == i).map_or(&zeros, |at| &got[at]);
        agree(&format!("{name}: cotangent of input {i}"), got, expected);
    }
}

fn tangents(k: &Known<Fixed>, base: &Statement) -> Vec<Vec<Fixed>> {
    // Any direction: the inputs turned round.
    let _ = base;
    k.point.inputs.iter().map(|x| x.iter().rev().map(|v| v.add(&v.mul(v))).collect()).collect()
}

fn dual(k: &Known<Fixed>, v: &[Vec<Fixed>], base: &Statement) -> Forward<Dual<Fixed>> {
    let still = |x: &Fixed| Dual { value: x.clone(), tangent: zero() };
    let all = |t: &Vec<Fixed>| t.iter().map(still).collect::<Vec<_>>();
    let point = Point {
        sizes: k.point.sizes.clone(),
        maps: k.point.maps.clone(),
        params: all(&k.point.params),
        constants: k.point.constants.iter().map(all).collect(),
        inputs: k
            .point
            .inputs
            .iter()
            .zip(v)
            .map(|(x, v)| x.iter().zip(v).map(|(x, v)| Dual { value: x.clone(), tangent: v.clone() }).collect())
            .collect(),
    };
    eval::forward(base, &point).unwrap()
}

#[test]
fn the_statements_of_a_statement_compute_what_it_says() {
    for base in library() {
        let base = if base.gradients().is_some() { base } else { base.with_derived_rule() };
        let name = base.name().text.clone();
        let points = Points::draw(&base, 3);
        assert!(points.len() > 0, "{name}: no points");
        let outputs = base.outputs().len() as u32;
        let inputs = base.inputs().len() as u32;
        for k in points.precise() {
            if let Some(p) = base.pullback(&|_| true, &|_| true).unwrap() {
                pulled(&name, &base, &p, k, &|_| true);
            }
            for one in 0..outputs {
                if let Some(p) = base.pullback(&|o| o == one, &|_| true).unwrap() {
                    assert!(p.seeds.iter().all(|s| *s == one));
                    pulled(&name, &base, &p, k, &|o| o == one);
                }
            }
            for one in 0..inputs {
                if let Some(p) = base.pullback(&|_| true, &|i| i == one).unwrap() {
                    assert_eq!(p.wanted, [one]);
                }
            }
            // The tape is the outputs and the saved locals.
            let taped = base.taped().unwrap();
            let got = eval::forward(&taped, &k.point).unwrap().outputs;
            let locals = base.saved_locals();
            assert_eq!(got.len(), base.outputs().len() + locals.len(), "{name}");
            for (o, got) in got.iter().enumerate() {
                let expected = match locals.get(o.wrapping_sub(base.outputs().len())) {
                    Some(local) => value(k, *local),
                    None => k.values.outputs[o].clone(),
                };
                agree(&format!("{name}: taped output {o}"), got, &expected);
            }
            // Its rule is the old one for the old cotangents.
            if let (Some(old), Some(new)) =
                (base.pullback(&|_| true, &|_| true).unwrap(), taped.pullback(&|o| o < outputs, &|_| true).unwrap())
            {
                assert_eq!((&old.saved, &old.seeds, &old.wanted), (&new.saved, &new.seeds, &new.wanted), "{name}");
            }
            if base.declaration().is_some_and(|d| d.label == Label::Surrogate) || inputs == 0 {
                continue;
            }
            let v = tangents(k, &base);
            let expected = dual(k, &v, &base).outputs;
            let Some(push) = base.pushforward(&|_| true, &|_| true).unwrap() else {
                let still = |y: &eval::Dual<_>| eval::Number::sign(&y.tangent) == Some(std::cmp::Ordering::Equal);
                assert!(expected.iter().flatten().all(still), "{name} moves and has no pushforward");
                continue;
            };
            let point = at(k, &push.saved, push.moving.iter().map(|i| v[*i as usize].clone()).collect());
            let got = eval::forward(&push.statement, &point).unwrap().outputs;
            for (o, expected) in (0u32..).zip(&expected) {
                let expected: Vec<Fixed> = expected.iter().map(|d| d.tangent.clone()).collect();
                let zeros = vec![zero(); expected.len()];
                let got = push.wanted.iter().position(|w| *w == o).map_or(&zeros, |at| &got[at]);
                agree(&format!("{name}: tangent of output {o}"), got, &expected);
            }
        }
    }
}

/// Every statement derived from one that is smooth has a rule that the kernel proves, and no derived rule is refuted.
#[test]
fn derived_statements_are_proved() {
    let mut undecided = Vec::new();
    let mut proved = 0;
    for base in library() {
        let all = |_| true;
        let mut derived: Vec<(String, Statement)> = Vec::new();
        if let Some(p) = base.pullback(&all, &all).unwrap() {
            if let Some(q) = p.statement.pullback(&all, &all).unwrap() {
                derived.push((format!("{} pullback pullback", base.name()), q.statement));
            }
            derived.push((format!("{} pullback", base.name()), p.statement));
        }
        if let Some(p) = base.pushforward(&all, &all).unwrap() {
            derived.push((format!("{} pushforward", base.name()), p.statement));
        }
        if let Ok(t) = base.taped() {
            derived.push((format!("{} taped", base.name()), t));
        }
        for (name, statement) in derived {
            match prove(&statement) {
                Outcome::Proved(_) => proved += 1,
                Outcome::Undecided(d) => undecided.push(format!("{name}: {d}")),
                Outcome::Refuted(c) => panic!("{name}: {c}\n{statement}"),
            }
        }
    }
    println!("{proved} proved, undecided: {undecided:#?}");
    assert!(undecided.is_empty());
}
