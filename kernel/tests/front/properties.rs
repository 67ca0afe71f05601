//! Whatever the bytes, a diagnostic or a statement; whatever the tree, printing and parsing give it back.

use crate::reading::{MATMUL, PARTS, SOFTMAX};
use proptest::prelude::*;
use pullback_kernel::source::{Diagnostic, Name, Span};
use pullback_kernel::statement::{Function, Label, Sign};
use pullback_kernel::syntax::{
    Binder, Choice, Clause, Comparison, Condition, Contract, DimRef, Expr, ExprKind, Extremum, Index, IndexKind, Item,
    ItemKind, Map, MapWord, Named, Number, Operator, Part, Place, Reduction, Target, Tensor,
};
use pullback_kernel::{load, load_bytes, parse};

/// Something comes of it, and every place lies within the source, on characters.
fn holds(source: &[u8]) -> Result<(), TestCaseError> {
    let (statements, found) = load_bytes(source);
    prop_assert!(!statements.is_empty() || !found.is_empty());
    places(source, &found)?;
    for statement in statements {
        prop_assert!(statement.span().range().end <= source.len());
        let text = statement.to_string();
        let (again, found) = load(&text);
        prop_assert!(found.is_empty(), "{text}: {found:?}");
        prop_assert_eq!(again[0].to_string(), text);
    }
    Ok(())
}
fn places(source: &[u8], found: &[Diagnostic]) -> Result<(), TestCaseError> {
    for diagnostic in found {
        prop_assert!(!diagnostic.labels.is_empty() && !diagnostic.message.is_empty());
        for (span, words) in &diagnostic.labels {
            prop_assert!(!words.is_empty());
            prop_assert!(span.start <= span.end && span.range().end <= source.len(), "{diagnostic:?}");
            if let Ok(text) = std::str::from_utf8(source) {
                prop_assert!(text.get(span.range()).is_some(), "{diagnostic:?}");
            }
        }
    }
    Ok(())
}

const VOCABULARY: [&str; 77] = [
    "contract",
    "version",
    "dims",
    "param",
    "map",
    "partial",
    "bijection",
    "split",
    "input",
    "constant",
    "where",
    "let",
    "any",
    "output",
    "saves",
    "declares",
    "convention",
    "\"s\"",
    "sum",
    "max",
    "min",
    "abs",
    "if",
    "then",
    "else",
    "exp",
    "tanh",
    "recip",
    "round",
    "erf",
    "atan2",
    "floor",
    "x",
    "y",
    "dx",
    "dy",
    "n",
    "s",
    "i",
    "j",
    "at",
    "left",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    "=",
    "==",
    "!=",
    ">",
    ">=",
    "<",
    "<=",
    "->",
    "+",
    "-",
    "*",
    "/",
    "^",
    "|",
    "..",
    "0",
    "1",
    "2.5",
    "1e3",
    "99999999999999999999",
    "x[i]",
    "y[i] =",
    "dx[i] =",
    "sum(k)",
    "x[i..]",
    "// c\n",
    "\n",
    "²",
    "@",
];

fn statements() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![SOFTMAX, MATMUL, PARTS])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn garbage(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        holds(&bytes)?;
    }

    #[test]
    fn text(text in "(\\PC|\n){0,200}") {
        holds(text.as_bytes())?;
    }

    #[test]
    fn token_soup(words in prop::collection::vec(prop::sample::select(VOCABULARY.to_vec()), 0..120), head: bool) {
        let head = if head { "contract f version 1 dims n, s.. input x[n] " } else { "" };
        holds(format!("{head}{}", words.join(" ")).as_bytes())?;
    }

    #[test]
    fn truncated(source in statements(), at in any::<prop::sample::Index>()) {
        holds(&source.as_bytes()[..at.index(source.len())])?;
    }

    #[test]
    fn a_byte_changed(source in statements(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut bytes = source.as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        holds(&bytes)?;
    }

    /// Words of a statement replaced, left out, doubled: mostly well-formed, often wrong in meaning.
    #[test]
    fn a_word_changed(
        source in statements(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(VOCABULARY.to_vec()), 0..3), 1..4),
    ) {
        let mut words: Vec<&str> = source.split_inclusive([' ', '[', ']', '(', ')', ',', '\n', '.']).collect();
        for (at, word, how) in &changes {
            let at = at.index(words.len());
            match how {
                0 => words[at] = word,
                1 => words.insert(at, word),
                _ => { words.remove(at); }
            }
        }
        holds(words.concat().as_bytes())?;
    }

    #[test]
    fn nested(openings in prop::collection::vec(prop::sample::select(vec!["(", "-", "exp(", "sum(k: n) ", "max(1, ", "if 1 > ", "abs(", "1 + ", "[", "|", "x[at("]), 0..2000)) {
        holds(format!("contract f version 1 dims n map at: n -> n input x[n] output y[i] = {}x[i]", openings.concat()).as_bytes())?;
    }

    #[test]
    fn printing_and_parsing(contract in contract()) {
        let text = contract.to_string();
        let (contracts, found) = parse(&text);
        prop_assert!(found.is_empty(), "{}\n{:#?}", text, found);
        prop_assert_eq!(contracts.len(), 1);
        prop_assert_eq!(&contracts[0], &contract, "{}", text);
        // Whatever it means, resolving it ends.
        places(text.as_bytes(), &load(&text).1)?;
    }
}

fn name() -> impl Strategy<Value = Name> {
    prop::sample::select(vec!["x", "y", "dx", "dy", "weight_1", "i", "j", "n", "s", "at", "left", "version"])
        .prop_map(|text| Name { text: text.to_owned(), span: Span::default() })
}
fn place() -> Place {
    Place(Span::default())
}
fn dim() -> impl Strategy<Value = DimRef> {
    (name(), any::<bool>()).prop_map(|(name, pack)| DimRef { name, pack })
}
fn binder() -> impl Strategy<Value = Binder> {
    (name(), any::<bool>(), prop::option::weighted(0.2, dim())).prop_map(|(name, pack, dim)| Binder { name, pack, dim })
}
fn index() -> impl Strategy<Value = Index> {
    let leaf = (name(), any::<bool>())
        .prop_map(|(name, pack)| Index { kind: IndexKind::Variable(name, pack), place: place() });
    leaf.prop_recursive(2, 6, 3, |inner| {
        (name(), prop::collection::vec(inner, 1..3))
            .prop_map(|(name, list)| Index { kind: IndexKind::Map(name, list), place: place() })
    })
}
fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["0", "1", "2.50", "1e-5", "007"])
            .prop_map(|t| ExprKind::Number(Number::new(t).unwrap())),
        (name(), prop::collection::vec(index(), 0..3)).prop_map(|(name, at)| ExprKind::Access(name, at)),
        dim().prop_map(ExprKind::Size),
        (index(), index()).prop_map(|(p, q)| ExprKind::Equal(p, q)),
    ];
    let at = |kind| Expr { kind, place: place() };
    let operator = prop::sample::select(vec![Operator::Add, Operator::Sub, Operator::Mul, Operator::Div]);
    let comparison = prop::sample::select(vec![
        Comparison::Greater,
        Comparison::GreaterOrEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
    ]);
    leaf.prop_map(at).prop_recursive(6, 40, 4, move |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let function = prop::sample::select(Function::ALL.to_vec());
        prop_oneof![
            boxed().prop_map(ExprKind::Neg),
            (operator.clone(), boxed(), boxed()).prop_map(|(o, a, b)| ExprKind::Binary(o, a, b)),
            (operator.clone(), boxed(), boxed()).prop_map(|(o, a, b)| ExprKind::Binary(o, a, b)),
            (boxed(), -64..=64_i32).prop_map(|(a, power)| ExprKind::Pow(a, power)),
            (function, boxed()).prop_map(|(f, a)| ExprKind::Call(f, a)),
            (any::<bool>(), boxed(), boxed()).prop_map(|(max, a, b)| ExprKind::Extremum(
                if max { Extremum::Max } else { Extremum::Min },
                a,
                b
            )),
            boxed().prop_map(ExprKind::Abs),
            (any::<bool>(), prop::collection::vec(binder(), 1..4), boxed()).prop_map(|(sum, binders, body)| {
                ExprKind::Reduce(if sum { Reduction::Sum } else { Reduction::Max }, binders, body)
            }),
            (comparison.clone(), inner.clone(), inner.clone(), inner.clone(), inner.clone()).prop_map(
                |(comparison, left, right, then, otherwise)| ExprKind::If(Box::new(Choice {
                    comparison,
                    left,
                    right,
                    then,
                    otherwise
                }))
            ),
        ]
        .prop_map(at)
    })
}
fn clause() -> impl Strategy<Value = Clause> {
    let target = prop_oneof![
        3 => binder().prop_map(Target::Binder),
        1 => (name(), prop::collection::vec(binder(), 1..3)).prop_map(|(name, list)| Target::Map(name, list)),
    ];
    (name(), prop::collection::vec(target, 0..3), expr()).prop_map(|(name, at, value)| Clause {
        name,
        at,
        value,
        place: place(),
    })
}
fn sign() -> impl Strategy<Value = Sign> {
    prop::sample::select(vec![Sign::Positive, Sign::NonNegative, Sign::NonZero])
}
fn item() -> impl Strategy<Value = Item> {
    let tensor = || (name(), prop::collection::vec(dim(), 0..3)).prop_map(|(name, axes)| Tensor { name, axes });
    let map = (name(), prop::collection::vec(dim(), 1..3), dim()).prop_map(|(name, from, to)| Map { name, from, to });
    let part = (name(), dim()).prop_map(|(name, dim)| Part { name, dim });
    let label = prop::sample::select(vec![Label::Convention, Label::Subgradient, Label::Surrogate, Label::Unproved]);
    let word = prop::sample::select(vec![MapWord::Total, MapWord::Partial, MapWord::Bijection]);
    let condition = (expr(), sign()).prop_map(|(value, sign)| Condition { value, sign });
    prop_oneof![
        prop::collection::vec(dim(), 1..4).prop_map(ItemKind::Dims),
        (name(), prop::option::of(sign())).prop_map(|(name, sign)| ItemKind::Param { name, sign }),
        (word, prop::collection::vec(map, 1..3)).prop_map(|(word, maps)| ItemKind::Maps(word, maps)),
        (prop::collection::vec(part, 1..4), dim()).prop_map(|(parts, whole)| ItemKind::Split { parts, whole }),
        prop::collection::vec(tensor(), 1..3).prop_map(ItemKind::Inputs),
        prop::collection::vec(tensor(), 1..3).prop_map(ItemKind::Constants),
        prop::collection::vec(condition, 1..3).prop_map(ItemKind::Where),
        clause().prop_map(ItemKind::Let),
        clause().prop_map(ItemKind::Any),
        clause().prop_map(ItemKind::Output),
        prop::collection::vec(name(), 1..3).prop_map(ItemKind::Saves),
        clause().prop_map(ItemKind::Gradient),
        (label, any::<bool>(), prop::collection::vec((expr(), expr(), clause()), 0..3), "[ -~é]{0,12}").prop_map(
            |(label, written, named, text)| {
                let named = named.into_iter().filter(|_| !written);
                let named = named.map(|(left, right, clause)| Named { left, right, clause }).collect();
                ItemKind::Declares { label, written, named, text }
            }
        ),
    ]
    .prop_map(|kind| Item { kind, place: place() })
}
fn contract() -> impl Strategy<Value = Contract> {
    let line = "([!-.0-~é][ -~é]{0,8}[!-~é])?";
    let doc = prop::collection::vec(line, 0..4).prop_map(|lines| lines.join("\n").trim_matches('\n').to_owned());
    (name(), any::<u32>(), doc, prop::collection::vec(item(), 0..8)).prop_map(|(name, version, doc, items)| Contract {
        name,
        version,
        doc,
        items,
        place: place(),
    })
}
