//! Programs to write and read.

use pullback_program::random::{self, Options};
use pullback_program::{Binding, Builder, DynProgram, Limits, Literal, Operation, Operator, Shape};

/// A statement that the library has not.
pub(crate) const OWN: &str = "contract doubled version 1\ndims s..\nparam c > 0\ninput x[s..]\noutput y[i..] = c * 2 * x[i..]\n\
                              dx[i..] = c * 2 * dy[i..]\n";

/// Random programs, from a seed on; every third is a reverse program, every third a forward program.
pub(crate) fn programs(seeds: std::ops::Range<u64>) -> impl Iterator<Item = DynProgram> {
    seeds.filter_map(|seed| {
        let options = Options { instructions: 1 + (seed % 8) as usize, ..Options::default() };
        let program = random::sample(seed, &options)?.program;
        match seed % 3 {
            0 => program.reverse().ok(),
            1 => program.with_forward_mode().ok(),
            _ => Some(program),
        }
    })
}

/// A program with a statement of the user's own, whose parameter is this.
pub(crate) fn own(c: Literal) -> DynProgram {
    let mut builder = Builder::new(Limits::default());
    let x = builder.input("x", Shape::new(&[2])).unwrap();
    let binding = Binding { dims: vec![vec![2]], params: vec![c], ..Binding::default() };
    let doubled = Operation::new(Operator::from_text(OWN).unwrap(), binding, &Limits::default()).unwrap();
    let y = builder.apply(doubled, &[x]).unwrap();
    builder.output("y", y[0]);
    builder.finish()
}

/// A document of these lines between the braces, after its version.
pub(crate) fn document(inputs: &str, statements: &str, operations: &str, instructions: &str, outputs: &str) -> String {
    format!(
        "{{\"version\": 1, \"inputs\": [{inputs}], \"statements\": [{statements}], \"operations\": [{operations}],\n\
         \"instructions\": [{instructions}], \"outputs\": [{outputs}]}}"
    )
}

/// A statement of the library, as a document names it.
pub(crate) fn library(name: &str) -> String {
    format!("{{\"name\": \"{name}\", \"sha256\": \"{}\"}}", Operator::library(name).unwrap().digest())
}
