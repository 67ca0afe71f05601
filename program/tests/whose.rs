//! Whose statement a program applies, and what a derived program may claim.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use pullback_program::evidence::Certificate;
use pullback_program::program::StatementDraft;
use pullback_program::{Draft, DynProgram, Limits, Operation, Operator, Standing};
use support::{Net, dims};

const TANH: &str = "contract tanh version 1 dims s.. input x[s..] output y[i..] = x[i..]^2 saves x
    dx[i..] = 2 * x[i..] * dy[i..]";
const SQUARE: &str = "contract square version 1 dims s.. input x[s..] output y[i..] = x[i..]^2 saves x
    dx[i..] = 3 * x[i..] * dy[i..] declares surrogate \"trust me\"";

fn one(operator: std::sync::Arc<Operator>) -> DynProgram {
    let mut net = Net::new();
    let x = net.input("x", &[3]);
    let operation = Operation::new(operator, dims(&[&[3]]), &Limits::default()).unwrap();
    let y = net.builder.apply(operation, &[x]).unwrap()[0];
    net.finish(&[y])
}

fn obstacles(program: &DynProgram) -> Vec<String> {
    match program.certify() {
        Certificate::Proved => Vec::new(),
        Certificate::Obstacles(found) => found.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn a_name_of_the_library_is_not_taken_silently() {
    let mine = Operator::from_text(TANH).unwrap();
    let begin = &mine.digest().to_string()[..8];
    assert_eq!((mine.name(), mine.shown()), ("tanh", format!("tanh (yours, {begin}…)").as_str()));
    assert_eq!(Operator::library("tanh").unwrap().shown(), "tanh");
    // Another name tells whose it is.
    assert_eq!(Operator::from_text(&TANH.replace("tanh", "twice")).unwrap().shown(), "twice");
    let program = one(mine);
    // In what is printed, drawn, and said of errors; of what is derived from it too.
    assert!(program.to_string().contains(&format!("tanh (yours, {begin}…)")), "{program}");
    assert!(program.reverse().unwrap().to_string().contains(&format!("tanh_pullback (yours, {begin}…)")));
    let partial =
        Operator::from_text("contract log version 1 dims s.. input x[s..] output y[i..] = log(x[i..]) + 1").unwrap();
    let said = one(partial).evaluate(&[vec![-1.0, 1.0, 1.0]]).unwrap_err().to_string();
    assert!(said.contains("log (yours, "), "{said}");
}

/// The rule of a surrogate is what its author says, and a program made of it is no more.
#[test]
fn derived_programs_carry_the_labels_of_what_they_are_derived_from() {
    let square = Operator::from_text(SQUARE).unwrap();
    let shown = square.shown().to_owned();
    let program = one(square);
    assert_eq!(obstacles(&program), [format!("instruction 0 (`{shown}`) declares surrogate \"trust me\"")]);
    let reverse = program.reverse().unwrap();
    let of = "which declares surrogate \"trust me\"";
    assert!(
        obstacles(&reverse).iter().any(|o| o.ends_with(&format!("is the pullback of `{shown}`, {of}"))),
        "{:?}",
        obstacles(&reverse)
    );
    // To any order, in every direction.
    for derived in [
        program.forward_mode().unwrap(),
        reverse.forward_mode().unwrap(),
        reverse.reverse().unwrap(),
        program.forward_mode().unwrap().reverse().unwrap(),
    ] {
        assert!(obstacles(&derived).iter().any(|o| o.contains(of)), "{:?}", obstacles(&derived));
    }
    // What it is, of the last statement alone: a product, whose rule is proved.
    let pullback = reverse.operations().iter().find(|o| o.operator().derivation().is_some()).unwrap();
    assert_eq!(pullback.operator().own_standing(), &Standing::Proved);
    assert!(matches!(pullback.operator().standing().origin(), Standing::Declared(..)));
    // The twin: what is derived from what is proved is proved.
    let right =
        one(Operator::from_text(&SQUARE.replace("= 3", "= 2").replace("declares surrogate \"trust me\"", "")).unwrap());
    assert!(obstacles(&right.reverse().unwrap()).is_empty());
}

/// A second derivative of attention that computes its probabilities again is not less proved than the first: the programs of
/// its first derivatives have proved rules. The second reverse program saves what depends on the shift, so that it is about a
/// maximum and says so.
#[test]
fn attention_that_computes_again_is_proved_to_the_second_order() {
    let mut net = Net::new();
    let (q, k, v) = (net.input("q", &[2, 3]), net.input("k", &[4, 3]), net.input("v", &[4, 2]));
    let y = net.op("attention_recompute", &[&[], &[2], &[4], &[3], &[2]], &[q, k, v]);
    let program = net.finish(&[y]);
    let (reverse, forward) = (program.reverse().unwrap(), program.forward_mode().unwrap());
    for program in [&program, &reverse, &forward] {
        assert_eq!(obstacles(program), Vec::<String>::new());
    }
    let third = obstacles(&reverse.reverse().unwrap());
    assert!(
        third.iter().any(|o| o.contains("attention_recompute_taped_taped") && o.contains("convention as written")),
        "{third:?}"
    );
}

#[test]
fn a_statement_is_given_by_its_name_or_its_text() {
    let draft = |name: Option<&str>, digest: Option<String>, text: Option<&str>| Draft {
        statements: vec![StatementDraft { name: name.map(Into::into), digest, text: text.map(Into::into) }],
        ..Draft::default()
    };
    let verified = |draft: Draft| draft.verify(&Limits::default()).map(|_| ()).map_err(|faults| faults.to_string());
    let own = "contract cubed version 1 dims s.. input x[s..] output y[i..] = x[i..]^3";
    let digest = Operator::from_text(own).unwrap().digest().to_string();
    assert_eq!(verified(draft(Some("tanh"), None, None)), Ok(()));
    assert_eq!(verified(draft(None, None, Some(own))), Ok(()));
    assert_eq!(verified(draft(Some("cubed"), None, Some(own))), Ok(()));
    assert_eq!(verified(draft(None, Some(digest.clone()), Some(own))), Ok(()));
    let refused = |draft: Draft, why: &str| {
        let said = verified(draft).unwrap_err();
        assert!(said.contains(why), "{said}");
    };
    refused(draft(None, None, None), "a statement needs its `name`, if it is one of the library's, or its `text`");
    refused(draft(None, Some(digest.clone()), None), "a statement needs its `name`");
    refused(draft(Some("cubed"), None, None), "the library has no statement `cubed`");
    refused(draft(Some("tanh"), None, Some(own)), "the text is that of `cubed`, not of `tanh`");
    refused(draft(Some("tanh"), Some(digest), None), "the statement was changed");
    // What a machine writes says both.
    let mut net = Net::new();
    let x = net.input("x", &[3]);
    let y = net.op("tanh", &[&[3]], &[x]);
    let written = net.finish(&[y]).draft();
    assert!(written.statements[0].name.is_some() && written.statements[0].digest.is_some());
}
