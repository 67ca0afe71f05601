//! Pictures of programs: the program, and beside it the reverse program that pulls back through it.
//!
//! | file | what it does |
//! | --- | --- |
//! | `scene` | what there is to draw: nodes, edges, saved values |
//! | `dot` | the scene for Graphviz |
//! | `rows`, `layers`, `order`, `place` | where everything stands: rows by longest paths, order by barycentres, positions by least squares |
//! | `route` | lines from the saved values to where they are read |
//! | `svg` | the picture, which needs no other program |
//! | `text` | names from outside, safe in XML and in DOT |
//!
//! The reverse program stands beside the program, upside down: the pullback of an instruction is in the row of the instruction.
//! This module must never change what a program is, and must write no name as it is: names come from files.

mod dot;
mod layers;
mod order;
mod place;
mod route;
mod rows;
mod scene;
mod svg;
mod text;

/// Instructions of a picture, at most: nobody finds anything in a larger one.
const LIMIT: usize = 500;

/// Why there is no picture.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DrawError {
    /// The program is too large to be looked at.
    #[error("a picture of {instructions} instructions; at most {limit} are drawn")]
    TooLarge {
        /// Its instructions, those of its reverse program included.
        instructions: usize,
        /// The most that are drawn.
        limit: usize,
    },
}
