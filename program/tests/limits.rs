//! Limits hold before the work: what a few bytes ask for is counted before it is made, and refused with its place.
#![cfg(feature = "json")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use pullback_kernel::Rational;
use pullback_kernel::statement::Label;
use pullback_program::architecture::{Architecture, ArchitectureError, LayerFault};
use pullback_program::execute::{CompileError, Executable, Numerics};
use pullback_program::interchange::{Arrays, ArraysError};
use pullback_program::random::{self, Options};
use pullback_program::{Budget, DynProgram, EvaluateError, Limits, Resource, Standing, TransformError};

fn program(text: &str) -> DynProgram {
    DynProgram::from_json(text, &Limits::default()).unwrap()
}

/// An array of 2 GiB from one number.
#[test]
fn an_array_that_one_number_stands_for_is_refused_by_name() {
    let program = program(include_str!("hostile/eval_2_28.json"));
    let arrays = Arrays::from_json(include_str!("hostile/eval_2_28.in.json")).unwrap();
    let error = arrays.for_inputs::<f64>(&program).unwrap_err();
    let ArraysError::Limit { name, exceeded, .. } = &error else { panic!("{error}") };
    assert_eq!((name.as_str(), exceeded.resource), ("x", Resource::Memory));
    assert!(error.to_string().ends_with("takes 2 GiB of memory or more, and 128 MiB are allowed"), "{error}");
    // The plan asks for nothing but the places of its values, which the caller has.
    assert!(Executable::<f64>::new(&program, Numerics::default()).is_ok());
}

/// Each square doubles the digits of a rational.
#[test]
fn exact_numbers_that_grow_end_at_the_instruction_that_is_past_the_budget() {
    let program = program(include_str!("hostile/rational_blowup.json"));
    let arrays = Arrays::from_json(include_str!("hostile/rational_blowup.in.json")).unwrap();
    let x = arrays.for_inputs::<Rational>(&program).unwrap();
    let places: Vec<usize> = [1 << 20, 1 << 24, 1 << 30]
        .map(|work| match program.clone().within(Budget::default().with_work(work)).evaluate(&x) {
            Err(EvaluateError::Limit { instruction, operator, exceeded }) => {
                assert_eq!(
                    (operator.as_str(), exceeded.resource, exceeded.limit <= work),
                    ("square", Resource::Work, true)
                );
                instruction
            }
            other => panic!("{other:?}"),
        })
        .to_vec();
    assert!(places[0] < places[1] && places[1] < places[2] && places[2] < 24, "{places:?}");
    // In doubles there is nothing that grows.
    assert!(program.evaluate(&[vec![2.0 / 3.0]]).is_ok());
}

/// 147 bytes whose tables take 3.8 GB.
#[test]
fn the_tables_of_an_architecture_are_counted_before_they_are_made() {
    let architecture = Architecture::from_json(include_str!("hostile/memory_padding.architecture.json")).unwrap();
    let error = architecture.compile().unwrap_err();
    assert!(
        matches!(&error, ArchitectureError::Layer { kind: "pooling", fault: LayerFault::Large { .. }, .. }),
        "{error}"
    );
}

/// A statement whose counterexamples at sizes of four would take 64 GiB: it is proved at those that fit, and its program runs.
#[test]
fn a_statement_of_a_program_is_proved_within_a_budget() {
    let program = program(include_str!("hostile/abort.json"));
    let standing = program.operations()[0].operator().standing().clone();
    assert!(matches!(standing, Standing::Declared(Label::Subgradient, _)), "{standing}");
    assert_eq!(program.evaluate(&[vec![2.0]]), Ok(vec![vec![2.0]]));
    assert_eq!(program.evaluate(&[vec![-2.0]]), Ok(vec![vec![0.0]]));
    // The same with a rule that is wrong is refuted at a point that fits, and nothing is run.
    let text = include_str!("hostile/abort.json").replace("declares", "dx[j] = 2 * sum(i) dy[i]\\ndeclares");
    let text = text.replace("\"sha256\": \"6cb89da78a23f5cbc1cfa6132ec29afb09d6207e8c812ca0e6e46164c489e628\", ", "");
    let error = DynProgram::from_json(&text, &Limits::default()).unwrap_err().to_string();
    assert!(error.contains("the backward rule of `p` is refuted at"), "{error}");
}

/// The work of a run and the bytes of its tables are known before anything is planned.
#[test]
fn a_plan_is_refused_at_the_instruction_that_is_past_the_budget() {
    let sample = random::sample(3, &Options { instructions: 6, ..Options::default() }).unwrap();
    let cost = sample.program.cost();
    let planned = |budget: Budget| Executable::<f64>::new(&sample.program.clone().within(budget), Numerics::default());
    assert!(planned(Budget::UNLIMITED.with_work(cost)).is_ok());
    let error = planned(Budget::UNLIMITED.with_work(cost - 1)).unwrap_err();
    assert!(matches!(&error, CompileError::Limit { instruction: Some(_), .. }), "{error}");
    let error = planned(Budget::UNLIMITED.with_bytes(7)).unwrap_err();
    assert!(matches!(&error, CompileError::Limit { .. }), "{error}");
}

/// What a transform writes is read under the limits that the program was read under; what would not be is no result.
#[test]
fn what_a_transform_writes_is_accepted_and_the_rest_is_refused_when_transforming() {
    type Transform = fn(&DynProgram) -> Result<DynProgram, TransformError>;
    let transforms: [Transform; 5] = [
        DynProgram::reverse,
        DynProgram::with_reverse,
        DynProgram::forward_mode,
        DynProgram::with_forward_mode,
        DynProgram::pruned,
    ];
    let (mut written, mut refused) = (0, 0);
    for seed in 0..60 {
        let options = Options { instructions: 1 + seed as usize % 7, ..Options::default() };
        let Some(sample) = random::sample(seed, &options) else { continue };
        let text = sample.program.to_json().unwrap();
        // Limits that the program just has, and a few more of each: its derivatives fit or do not.
        let total: usize = sample.program.inputs().iter().map(|i| i.shape.elements()).sum::<usize>()
            + sample
                .program
                .instructions()
                .map(|i| {
                    let of = sample.program.operation_of(&i);
                    of.outputs().iter().map(|shape| shape.elements()).sum::<usize>()
                })
                .sum::<usize>();
        let size = sample.program.len().max(sample.program.inputs().len()).max(sample.program.outputs().len());
        for (spare, derivations) in [(1, 1), (2, 2), (4, 1), (8, 2)] {
            let limits = Limits { instructions: size * spare, total: total * spare, derivations, ..Limits::default() };
            let Ok(program) = DynProgram::from_json(&text, &limits) else { continue };
            for first in &transforms {
                let Ok(once) = first(&program) else {
                    refused += 1;
                    continue;
                };
                for result in transforms.iter().map(|second| second(&once)).chain([Ok(once.clone())]) {
                    match result {
                        Ok(result) => {
                            let text = result.to_json().unwrap();
                            let read = DynProgram::from_json(&text, &limits);
                            assert_eq!(
                                read.as_ref().ok(),
                                Some(&result),
                                "{:?}",
                                read.as_ref().err().map(ToString::to_string)
                            );
                            written += 1;
                        }
                        Err(_) => refused += 1,
                    }
                }
            }
        }
    }
    assert!(written > 1000 && refused > 1000, "{written} written, {refused} refused");
}
