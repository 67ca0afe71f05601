//! The suite, and that it sees what is not so: claims with a condition, a rule, a label taken away.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use pullback_kernel::{domain, load};

use super::*;

fn statement(text: &str) -> Statement {
    let (mut statements, errors) = load(text);
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    statements.remove(0)
}

#[test]
fn claims_hold_at_every_point() {
    let outcome = run(&Options::default(), &mut |_| {});
    assert!(outcome.holds(), "{:#?}\n{:#?}", outcome.failures, outcome.counts);
}

/// A domain without one of its conditions, a rule that another was proved in place of.
#[test]
fn an_unsound_kernel_is_seen() {
    let (mut conditions, mut caught, mut rules, mut seen) = (0, 0, 0, 0);
    for k in 0..600 {
        let random = &mut Random(k);
        let Some(statement) = subject(random) else { continue };
        match prove(&statement) {
            // What a function needs, and the domain does not say any more.
            Verdict::Proved(theorem) => {
                for at in 0..theorem.domain().len() {
                    if theorem.domain()[at].written {
                        continue;
                    }
                    let mut less = theorem.domain().to_vec();
                    less.remove(at);
                    conditions += 1;
                    caught += usize::from(judged(&Claim { domain: &less, ..claim(&theorem) }, 120, random).is_err());
                }
            }
            // A rule that was refuted, claimed all the same.
            Verdict::Refuted(_) => {
                let domain = domain(&statement);
                let label = statement.declaration().map(|d| d.label);
                rules += 1;
                let claim = Claim { statement: &statement, domain: &domain, label };
                seen += usize::from(judged(&claim, 60, random).is_err());
            }
            Verdict::Undecided(_) => {}
        }
    }
    assert!(conditions >= 60 && caught * 100 >= conditions * 80, "{caught} of {conditions} conditions");
    assert!(rules >= 90 && seen * 100 >= rules * 85, "{seen} of {rules} rules");
}

/// The faults that the review found, each as what was claimed then.
#[test]
fn what_was_claimed_once_is_seen() {
    let seen = |text: &str, domain: &dyn Fn(&Statement) -> Vec<pullback_kernel::statement::Condition>, label| {
        let statement = statement(text).with_derived_rule();
        let domain = domain(&statement);
        let claim = Claim { statement: &statement, domain: &domain, label };
        judged(&claim, 400, &mut Random(1)).err()
    };
    let none = |_: &Statement| Vec::new();
    let written = |s: &Statement| s.wheres().to_vec();
    // The domain without the values of `any`.
    let any = "contract c version 1 dims s.. input x[s..] any m[i..] = log(x[i..])
        output y[i..] = x[i..] + m[i..] - m[i..]";
    assert!(seen(any, &none, None).unwrap().contains("that is not positive"));
    assert_eq!(seen(any, &|s| domain(s), None), None);
    // A condition that vouched for itself.
    let vouches =
        "contract c version 1 dims n input x[n] where recip(x[i]) * x[i] * x[i] != 0 output z[i] = recip(x[i])";
    assert!(seen(vouches, &written, None).unwrap().starts_with("a condition of the domain has no value"));
    assert_eq!(seen(vouches, &|s| domain(s), None), None);
    // A composed relu had no label.
    let relu = "contract c version 1 dims n input x[n] output y[i] = max(x[i], 0) declares subgradient \"0 at 0\"";
    assert!(seen(relu, &none, None).unwrap().starts_with("a boundary that is not declared"));
    assert_eq!(seen(relu, &none, Some(Label::Subgradient)), None);
    // An `any` on which an output depends.
    let depends = "contract c version 1 dims n input x[n] any m[i: n] = x[i] output y[i] = x[i] + m[i]";
    assert!(seen(depends, &none, None).unwrap().contains("depends on the value of an `any`"));
    // No subgradient; nothing that is linear.
    let with_rule = |rule: &str, label: Label| {
        let text = format!(
            "contract c version 1 dims n input x[n] output y[i] = max(x[i], 0) saves x
             dx[i] = if x[i] > 0 then dy[i] else (if x[i] < 0 then 0 else {rule}) declares convention \"at 0\""
        );
        let statement = statement(&text);
        let claim = Claim { statement: &statement, domain: &[], label: Some(label) };
        judged(&claim, 400, &mut Random(1)).err()
    };
    assert!(with_rule("7 * dy[i]", Label::Subgradient).unwrap().starts_with("on a boundary"));
    assert_eq!(with_rule("0.5 * dy[i]", Label::Subgradient), None);
    assert!(with_rule("dy[i] + 1", Label::Convention).unwrap().contains("cotangents"));
    assert!(with_rule("dy[i]^2", Label::Convention).unwrap().contains("linear"));
}

/// A point that is no counterexample is not taken for one.
#[test]
fn a_wrong_counterexample_is_seen() {
    let wrong =
        statement("contract c version 1 dims n input x[n] output y[i] = x[i]^2 saves x dx[i] = 3 * x[i] * dy[i]");
    let right =
        statement("contract c version 1 dims n input x[n] output y[i] = x[i]^2 saves x dx[i] = 2 * x[i] * dy[i]");
    let positive = statement(
        "contract c version 1 dims n input x[n] where -x[i]^2 > 0 output y[i] = x[i]^2 saves x dx[i] = 3 * x[i] * dy[i]",
    );
    let Verdict::Refuted(c) = prove(&wrong) else { panic!("{wrong}") };
    assert_eq!(counterexample(&wrong, &c), Ok(true));
    assert!(counterexample(&right, &c).unwrap_err().starts_with("both are"));
    assert!(counterexample(&positive, &c).unwrap_err().contains("outside"));
    // Nor one on a boundary, nor one of linearity.
    let relu = |rule: &str, label: &str| {
        statement(&format!(
            "contract c version 1 dims n input x[n] output y[i] = max(x[i], 0) saves x
             dx[i] = if x[i] > 0 then dy[i] else (if x[i] < 0 then 0 else {rule}) declares {label}"
        ))
    };
    let steep = relu("7 * dy[i]", "subgradient");
    let Verdict::Refuted(c) = prove(&steep) else { panic!("{steep}") };
    assert!(matches!(c.wrong, Wrong::Outside { .. }), "{c}");
    assert_eq!(counterexample(&steep, &c), Ok(true));
    assert!(counterexample(&relu("0.5 * dy[i]", "subgradient"), &c).unwrap_err().contains("between"));
    let more = relu("dy[i] + 1", "convention as written");
    let Verdict::Refuted(c) = prove(&more) else { panic!("{more}") };
    assert!(matches!(c.wrong, Wrong::NotLinear { .. }), "{c}");
    assert_eq!(counterexample(&more, &c), Ok(true));
    assert!(counterexample(&relu("3 * dy[i]", "convention as written"), &c).unwrap_err().starts_with("both are"));
}
