//! Whatever it is given, the command ends with a verdict or a diagnostic.

use proptest::prelude::*;

use crate::support::{Run, STATEMENTS, folder, run_with};

fn ends_well(run: &Run) -> Result<(), TestCaseError> {
    prop_assert!(matches!(run.code, Some(0..=2)), "{:?}", run);
    prop_assert!(!run.stderr.contains("panicked") && !run.stdout.contains("\"internal\""), "{:?}", run);
    if run.code == Some(2) {
        let first = run.objects().into_iter().find(|o| o.get("error").is_some());
        let first = first.ok_or_else(|| TestCaseError::fail("no diagnostic"))?;
        prop_assert!(first["line"].is_u64() && first["column"].is_u64(), "{}", first);
    }
    Ok(())
}

fn prove(bytes: Vec<u8>) -> Result<(), TestCaseError> {
    let here = folder();
    ends_well(&run_with(here.path(), &["prove", "--json", "--work", "500M", "-"], bytes.clone()))?;
    let text = run_with(here.path(), &["prove", "--work", "500M", "-"], bytes);
    prop_assert!(matches!(text.code, Some(0..=2)) && !text.stderr.contains("panicked"), "{:?}", text);
    prop_assert!(!(text.stdout.clone() + &text.stderr).contains(|c: char| c.is_control() && c != '\n'), "{:?}", text);
    Ok(())
}

/// All statements of these tests in one text.
fn sample() -> Vec<u8> {
    let mut names: Vec<_> =
        std::fs::read_dir(STATEMENTS).expect("the statements").map(|e| e.expect("an entry").path()).collect();
    names.sort();
    names.into_iter().flat_map(|path| std::fs::read(path).expect("a statement")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbage_is_no_statement(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prove(bytes)?;
    }

    #[test]
    fn words_of_the_language_in_any_order(words in proptest::collection::vec(
        prop::sample::select(vec![
            "contract", "version", "1", "dims", "n", "s..", "input", "x", "[", "]", "(", ")", "output", "y", "=", "sum",
            "max", "i", "j", "*", "+", "/", "^", "exp", "saves", "dx", "dy", "if", "then", "else", ">", "0", "let", "any",
            "map", "->", ":", "split", "where", "declares", "convention", "\"", "|", "//", "\n", ",",
        ]),
        0..80,
    )) {
        prove(words.join(" ").into_bytes())?;
    }

    #[test]
    fn statements_with_a_few_bytes_changed(
        at in 0_usize..2000, length in 0_usize..600,
        changes in proptest::collection::vec((0_usize..600, any::<u8>()), 0..4),
    ) {
        let sample = sample();
        let start = at.min(sample.len());
        let mut bytes = sample[start..(start + length).min(sample.len())].to_vec();
        for (place, byte) in changes {
            if let Some(old) = bytes.get_mut(place) {
                *old = byte;
            }
        }
        prove(bytes)?;
    }

    #[test]
    fn deep_nesting(depth in 1_usize..200_000, open in prop::sample::select(vec!["(", "-", "exp(", "sum(k) ", "x[f("])) {
        let inside = open.repeat(depth.min(900_000 / open.len()));
        prove(format!("contract deep version 1 dims n input x[n] output y[i] = {inside}").into_bytes())?;
    }
}
