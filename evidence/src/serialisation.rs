//! Suite `serialisation`: the smooth tensor graphs, written to JSON and read back.
//!
//! What is read is the same program, is written as the same bytes, and has the same values and gradients to the bit.

use pullback_program::random::Random;
use pullback_program::{DynProgram, Limits};

use crate::graphs::{self, GRAPHS, Graph, like};
use crate::suite::{Event, Options, Outcome, Suite};

/// The suite.
pub const SUITE: Suite = Suite {
    name: "serialisation",
    about: "graphs that are written and read back are the same, with the same results to the bit",
    draws: true,
    run,
};

fn run(options: &Options, watch: &mut dyn FnMut(Event)) -> Outcome {
    let mut outcome = Outcome::default();
    let wanted = GRAPHS * options.scale;
    let (mut comparisons, mut bytes) = (0, 0);
    watch(Event::Steps(wanted));
    for graph in graphs::all(options) {
        let compared = graph.and_then(|graph| compare(&graph).map_err(|message| format!("{}: {message}", graph.name)));
        match compared {
            Ok(length) => {
                comparisons += 1;
                bytes += length;
            }
            Err(message) => outcome.fail("graph", message),
        }
        watch(Event::Step);
    }
    outcome.count("comparisons", comparisons, wanted);
    outcome.count("bytes", bytes, None);
    outcome
}

/// Writes a graph and reads it back; how many bytes that were.
fn compare(graph: &Graph) -> Result<usize, String> {
    let text = graph.program.to_json().map_err(|error| error.to_string())?;
    let read = DynProgram::from_json(&text, &Limits::default()).map_err(|error| error.to_string())?;
    if read != graph.program {
        return Err(format!("another program was read back\n{read}\n{}", graph.program));
    }
    let again = read.to_json().map_err(|error| error.to_string())?;
    if again != text {
        return Err("it is written as other bytes when it was read back".to_owned());
    }
    let (before, after) = (results(&graph.program, graph)?, results(&read, graph)?);
    match before.iter().zip(&after).position(|(a, b)| a != b) {
        None if before.len() == after.len() => Ok(text.len()),
        _ => Err("other results when it was read back".to_owned()),
    }
}

/// The bits of a program's values and gradients.
fn results(program: &DynProgram, graph: &Graph) -> Result<Vec<u64>, String> {
    let words = |error: pullback_program::EvaluateError| error.to_string();
    let (values, tape) = program.linearize(&graph.inputs).map_err(words)?;
    let u = like(&mut Random(!graph.seed), &values);
    let pulled = program.pullback(&tape, &u).map_err(words)?;
    Ok(values.iter().chain(&pulled).flatten().map(|x| x.to_bits()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results that differ in one bit of one number are seen.
    #[test]
    fn another_point_has_other_bits() {
        let graph = graphs::all(&Options::default()).next().expect("a graph").expect("a program");
        let mut moved = graph.clone();
        moved.inputs[0][0] = f64::from_bits(moved.inputs[0][0].to_bits() + 1);
        assert!(compare(&graph).is_ok());
        assert_ne!(results(&graph.program, &graph), results(&moved.program, &moved));
    }
}
