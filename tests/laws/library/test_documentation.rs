//! The equation is the first line of a law's documentation, of its row in the table, and of its messages.

use pullback::laws::LAWS;

const SOURCES: &[&str] = &[
    include_str!("../../../src/laws/adjoint.rs"),
    include_str!("../../../src/laws/composition.rs"),
    include_str!("../../../src/laws/iteration.rs"),
    include_str!("../../../src/laws/linear.rs"),
    include_str!("../../../src/laws/product.rs"),
    include_str!("../../../src/laws/residual.rs"),
    include_str!("../../../src/laws/rounded.rs"),
];

#[test]
fn the_first_line_of_a_law_is_its_equation() {
    for law in LAWS {
        let source = SOURCES.iter().find(|source| source.contains(&format!("pub fn {}<", law.name))).unwrap();
        let before = source.split(&format!("pub fn {}<", law.name)).next().unwrap();
        let docs: Vec<&str> = before.lines().rev().skip(1).take_while(|line| line.starts_with("///")).collect();
        let first = docs.last().unwrap();
        assert!(first.starts_with(&format!("/// `{}`", law.equation)), "{}: {first}", law.name);
    }
}

#[test]
fn the_table_of_laws_is_complete() {
    let table = include_str!("../../../src/laws/mod.rs");
    for law in LAWS {
        let row = table.lines().find(|line| line.contains(&format!("[`{}`]", law.name)) && line.starts_with("//! |"));
        assert!(row.unwrap().contains(law.equation), "{}", law.name);
    }
}
