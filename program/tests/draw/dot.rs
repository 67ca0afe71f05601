//! The picture for Graphviz.

use crate::programs::{named, network};

#[test]
fn two_clusters() {
    let text = network().to_dot().unwrap();
    assert!(text.starts_with("digraph program {\n") && text.ends_with("}\n"));
    assert_eq!(text.matches("subgraph cluster_").count(), 2);
    assert!(text.contains("label = \"0 matmul\""), "{text}");
    assert!(text.contains("label = \"[32, 64] (saved)\", style = dashed"), "{text}");
    assert_eq!(text, network().to_dot().unwrap());
}

#[test]
fn names_from_files_are_strings() {
    let text = named("\"]; evil [label=\"\\", "\\N\n").to_dot().unwrap();
    assert!(text.contains(r#"label = "\"]; evil [label=\"\\","#), "{text}");
    assert!(text.contains("label = \"\\\\N\u{fffd}\","), "{text}");
    // Outside of strings there is nothing but what is written here.
    let mut inside = false;
    let mut escaped = false;
    let outside: String = text
        .chars()
        .filter(|c| {
            let quote = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            let was = inside;
            inside ^= quote;
            !was && !quote
        })
        .collect();
    assert!(!inside && !outside.contains("evil"), "{outside}");
}
