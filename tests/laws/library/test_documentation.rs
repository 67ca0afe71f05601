//! The equation is the first line of a law's documentation and in its row of the table, and every law has a negative twin.

use std::fs;
use std::path::Path;

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
    let mut typed = 0;
    for law in LAWS {
        // Laws without a function for typed points have one for coordinates.
        let Some(source) = SOURCES.iter().find(|source| source.contains(&format!("pub fn {}<", law.name))) else {
            continue;
        };
        typed += 1;
        let before = source.split(&format!("pub fn {}<", law.name)).next().unwrap();
        let docs: Vec<&str> = before.lines().rev().skip(1).take_while(|line| line.starts_with("///")).collect();
        let first = docs.last().unwrap();
        assert!(first.starts_with(&format!("/// `{}`", law.equation)), "{}: {first}", law.name);
    }
    assert!(typed > 20, "{typed}");
}

#[test]
fn the_table_of_laws_is_complete() {
    let table = include_str!("../../../src/laws/mod.rs");
    for law in LAWS {
        let named = |line: &&str| line.starts_with("//! |") && line.contains(&format!("`{}`", law.name));
        assert!(table.lines().find(named).unwrap().contains(law.equation), "{}", law.name);
    }
}

#[test]
fn every_law_has_a_negative_twin() {
    let mut tests = String::new();
    let folders = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/laws")).unwrap();
    for folder in folders.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for file in fs::read_dir(folder).unwrap() {
            tests.push_str(&fs::read_to_string(file.unwrap().path()).unwrap());
        }
    }
    // Those of the table of wrong rules are tried in the engine's own tests.
    let wrong = include_str!("../../../laws/tests/laws/alone.rs");
    for law in LAWS {
        let shown = tests.contains(&format!("breaks(\"{}\", ", law.name));
        let alone = wrong.contains(&format!("    (\"{}\", ", law.name));
        assert!(shown || alone, "nothing is shown to break {}", law.name);
    }
}
