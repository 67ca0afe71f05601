//! Suite `architectures`: random layers, compiled, lowered and by the loops of their definitions, with their gradients.

use std::collections::BTreeMap;

use pullback_program::architecture::agreement::levels;
use pullback_program::architecture::random::{self, KINDS, Options};
use serde::Serialize;

use super::suites::{Context, Failure, SuiteResult};

/// Architectures of each kind of layer.
const EACH: usize = 12;

/// Draws of one architecture, at most.
const DRAWS: u64 = 64;

/// How often a kind of layer was met, for the report.
#[derive(Serialize)]
struct Kind {
    layer: &'static str,
    met: usize,
}

/// Runs the suite.
pub(crate) fn run(context: &mut Context<'_>) -> SuiteResult {
    let mut result = SuiteResult::default();
    let (mut agree, mut exact, mut lowered, mut tied) = (0, 0, 0, 0);
    let mut met: BTreeMap<&'static str, usize> = KINDS.iter().map(|kind| (*kind, 0)).collect();
    let each = EACH * context.scale;
    context.console.begin(Some(each * KINDS.len()));
    for (k, kind) in (0..each).flat_map(|_| KINDS).enumerate() {
        context.console.advance();
        let options = Options { kind: Some(kind), rational: k % 3 == 0, declared: k % 4 == 0, ..Options::default() };
        let seed = context.seed.wrapping_add(k as u64);
        // Some wishes can't be met at once: another draw can.
        let Some(sample) = (0..DRAWS).find_map(|draw| random::sample(seed.wrapping_add(draw << 32), &options)) else {
            continue;
        };
        match levels(&sample, seed) {
            Ok(agreed) => {
                agree += 1;
                exact += usize::from(agreed.exact);
                lowered += usize::from(agreed.lowered);
                tied += usize::from(agreed.tied);
            }
            Err(error) => {
                let message = format!("{error}\n{:?}", sample.architecture);
                result.failures.push(Failure::Law { name: format!("architecture {seed}"), message });
            }
        }
        for layer in random::layers(&sample.architecture.layer) {
            *met.entry(layer.kind()).or_default() += 1;
        }
    }
    if let Some((kind, _)) = met.iter().find(|(_, times)| **times == 0) {
        result.failures.push(Failure::Internal { error: format!("no architecture had the layer `{kind}`") });
    }
    if exact == 0 || lowered == 0 {
        result.failures.push(Failure::Internal { error: "no architecture was compared in all ways".into() });
    }
    result.counts = vec![
        ("agree", agree),
        ("agree exactly", exact),
        ("in the core", lowered),
        ("at a tie", tied),
        ("kinds of layers", met.values().filter(|times| **times > 0).count()),
    ];
    met.iter().for_each(|(layer, met)| result.push(&Kind { layer, met: *met }));
    result
}
