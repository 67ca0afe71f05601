//! Every suite, at the recorded size and with another seed. `SEED` and `SCALE` in the environment ask for others, `SUITE` for one.
#![allow(clippy::print_stdout, reason = "it reports counts and the worst of what is measured")]

use std::time::Instant;

use pullback_evidence::{Event, Options, SEED, SUITES};

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn every_suite_holds_with_the_recorded_counts() {
    let scale = number("SCALE").map_or(1, |scale| scale as usize);
    let seeds = number("SEED").map_or(vec![SEED, 7], |seed| vec![seed]);
    for seed in seeds {
        let wanted = std::env::var("SUITE").ok();
        for suite in SUITES.iter().filter(|suite| wanted.as_ref().is_none_or(|wanted| suite.name == wanted)) {
            let since = Instant::now();
            let (mut steps, mut done) = (0, 0);
            let outcome = (suite.run)(&Options { seed, scale, ..Options::default() }, &mut |event| match event {
                Event::Steps(n) => steps = n,
                Event::Step => done += 1,
            });
            println!("{} {seed}: {:?}", suite.name, since.elapsed());
            outcome.counts.iter().for_each(|count| println!("  {count:?}"));
            outcome.measures.iter().for_each(|measure| println!("  {measure:?}"));
            let messages: Vec<String> = outcome.failures.iter().map(|f| format!("{}: {}", f.name, f.message)).collect();
            assert!(
                outcome.holds(),
                "{} failures\n{}",
                messages.len(),
                messages.iter().take(3).cloned().collect::<String>()
            );
            // The progress bar ends where the work does.
            assert_eq!((steps, outcome.counts.is_empty()), (done, false), "{}", suite.name);
        }
    }
}
