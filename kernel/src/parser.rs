//! Source text to syntax trees, with recovery: one run reports every error that does not follow from
//! another.
//!
//! After an error the parser goes on at the next item keyword, the next clause (`name[…] =`) or the next
//! `contract`; a contract with an error in it is reported and left out, so that nobody resolves half of
//! one. The parser never looks a name up, and never recurses deeper than
//! [`limits::DEPTH`].
//!
//! Beside the grammar below: `max(i, j) -x` subtracts from the larger of two scalars, and the maximum
//! over two index variables of `-x` is `max(i, j) (-x)`; keywords and functions are reserved, but a
//! contract may be called what a keyword is called (`contract exp version 1`); marks of two characters
//! may be spaced (`s. .`, `> =`), `->` may not.
#![doc = include_str!("grammar.md")]

use crate::diagnostics::{Sink, nearest};
use crate::lexer::{self, Kind, Token, Tokens};
use crate::limits;
use crate::source::{Diagnostic, Name, Span};
use crate::statement::{Function, Label, Sign};
use crate::syntax::{
    Binder, Choice, Clause, Comparison, Condition, Contract, DimRef, Expr, ExprKind, Extremum, Index, IndexKind, Item,
    ItemKind, Map, MapWord, Named, Number, Operator, Part, Place, Reduction, Target, Tensor,
};

/// The words that begin an item.
pub(crate) const ITEMS: [&str; 15] = [
    "contract",
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
];

/// The labels of `declares`.
pub(crate) const LABELS: [(&str, Label); 4] = [
    ("convention", Label::Convention),
    ("subgradient", Label::Subgradient),
    ("surrogate", Label::Surrogate),
    ("unproved", Label::Unproved),
];

/// The other words of expressions.
const WORDS: [&str; 8] = ["sum", "max", "min", "abs", "atan2", "if", "then", "else"];

fn function(word: &str) -> Option<Function> {
    Function::ALL.into_iter().find(|f| f.name() == word)
}

fn is_reserved(word: &str) -> bool {
    ITEMS.contains(&word) || WORDS.contains(&word) || function(word).is_some()
}

/// Reads every contract of a source, and reports what is wrong with the others.
///
/// Takes any text: what is too large is refused with its limit.
pub fn parse(source: &str) -> (Vec<Contract>, Vec<Diagnostic>) {
    let mut sink = Sink::default();
    let contracts = parse_into(source, &mut sink);
    (contracts, sink.into_list())
}

/// [`parse`] into a sink.
pub(crate) fn parse_into(source: &str, sink: &mut Sink) -> Vec<Contract> {
    if source.len() > limits::SOURCE_BYTES {
        sink.push(Diagnostic::new(
            "E0210",
            format!("a source of {} bytes", source.len()),
            Span::new(0, 0),
            format!("at most {} bytes are read", limits::SOURCE_BYTES),
        ));
        return Vec::new();
    }
    let tokens = lexer::lex(source, sink);
    let mut parser = Parser { source, tokens, at: 0, sink, depth: 0, maps: 0, item: None };
    parser.source()
}

/// An error was reported; the caller goes on at the next item.
struct Stop;
type Parsed<T> = Result<T, Stop>;

/// An expression and how high its tree is.
struct Tree {
    expr: Box<Expr>,
    height: usize,
}

struct Parser<'a, 's> {
    source: &'a str,
    tokens: Tokens,
    at: usize,
    sink: &'s mut Sink,
    depth: usize,
    /// How many maps the position at hand stands in.
    maps: usize,
    /// The keyword of the item at hand, for messages.
    item: Option<Span>,
}

/// Moving along the tokens.
impl<'a> Parser<'a, '_> {
    fn token(&self) -> Token {
        self.look(0)
    }
    fn look(&self, ahead: usize) -> Token {
        let last = self.tokens.list.len() - 1;
        self.tokens.list[(self.at + ahead).min(last)]
    }
    fn text(&self, token: Token) -> &'a str {
        &self.source[token.span.range()]
    }
    fn next(&mut self) -> Token {
        let token = self.token();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }
    fn ended(&self) -> bool {
        self.token().kind == Kind::End
    }
    fn is_mark(&self, ahead: usize, mark: &str) -> bool {
        matches!(self.look(ahead).kind, Kind::Mark(m) if m == mark)
    }
    fn at_mark(&self, mark: &str) -> bool {
        self.is_mark(0, mark)
    }
    fn word(&self, ahead: usize) -> Option<&'a str> {
        let token = self.look(ahead);
        (token.kind == Kind::Word).then(|| self.text(token))
    }
    fn at_word(&self, word: &str) -> bool {
        self.word(0) == Some(word)
    }
    fn take(&mut self, mark: &str) -> bool {
        let found = self.at_mark(mark);
        if found {
            self.at += 1;
        }
        found
    }
    fn take_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.at += 1;
        }
        found
    }
    /// The end of the token before.
    fn last(&self) -> Span {
        self.tokens.list[self.at.saturating_sub(1)].span
    }
    fn since(&self, start: Span) -> Span {
        start.to(self.last())
    }

    fn describe(&self, token: Token) -> String {
        let text = self.text(token);
        match token.kind {
            Kind::End => "the end of the source".to_owned(),
            Kind::Text => "a string".to_owned(),
            Kind::Number if text.len() > 20 => "a number".to_owned(),
            Kind::Word if is_reserved(text) => format!("the reserved word `{text}`"),
            Kind::Mark(mark) => format!("`{mark}`"),
            _ => format!("`{text}`"),
        }
    }
    fn expected(&self, what: &str) -> Diagnostic {
        let token = self.token();
        let found = self.describe(token);
        let diagnostic =
            Diagnostic::new("E0220", format!("expected {what}, found {found}"), token.span, format!("expected {what}"));
        match self.item {
            Some(span) if span != token.span => {
                let word = &self.source[span.range()];
                diagnostic.and(span, format!("in this {}", if is_reserved(word) { word } else { "clause" }))
            }
            _ => diagnostic,
        }
    }
    /// Reports, unless the trouble is a token that the lexer has reported already.
    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        let place = diagnostic.labels.first().map_or(0, |l| l.0.start);
        let before = self.last().start.min(place);
        let cut = self.tokens.stopped && self.ended();
        let known = cut || self.tokens.skipped.iter().any(|s| s.start >= before && s.start <= place);
        if !known {
            self.sink.push(diagnostic);
        }
        Err(Stop)
    }
    fn expect(&mut self, mark: &'static str, what: &str) -> Parsed<Span> {
        if self.at_mark(mark) {
            return Ok(self.next().span);
        }
        self.fail(self.expected(what))
    }
    /// A closing bracket; the message points at the opening one as well.
    #[inline(never)]
    fn close(&mut self, mark: &'static str, open: Span) -> Parsed<Span> {
        if self.at_mark(mark) {
            return Ok(self.next().span);
        }
        let mut diagnostic = self.expected(&format!("`{mark}`"));
        diagnostic.labels.truncate(1);
        self.fail(diagnostic.and(open, "opened here"))
    }
    /// A name that is not reserved.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.token();
        if token.kind != Kind::Word {
            return self.fail(self.expected(what));
        }
        let text = self.text(token);
        if is_reserved(text) {
            // An item keyword here is more likely the next item than a name.
            if ITEMS.contains(&text) && !self.looks_like_name(1) {
                return self.fail(self.expected(what));
            }
            let diagnostic = Diagnostic::new(
                "E0224",
                format!("`{text}` is a reserved word"),
                token.span,
                format!("{what} cannot be called this"),
            );
            return self.fail(diagnostic.with_help("choose another name"));
        }
        self.at += 1;
        Ok(Name { text: text.to_owned(), span: token.span })
    }
    /// Whether what follows is what would follow a name in a list.
    fn looks_like_name(&self, ahead: usize) -> bool {
        let marks = [",", "..", "]", ")", ":", "[", "=", "==", "->", ">", ">=", "!="];
        matches!(self.look(ahead).kind, Kind::Mark(m) if marks.contains(&m))
    }
    /// `one { "," one }`
    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut list = vec![one(self)?];
        while self.take(",") {
            list.push(one(self)?);
        }
        Ok(list)
    }
    /// Refuses a list of more than [`limits::INDICES`].
    fn few<T>(&mut self, list: Vec<T>, what: &str, start: Span) -> Parsed<Vec<T>> {
        if list.len() <= limits::INDICES {
            return Ok(list);
        }
        self.fail(Diagnostic::new(
            "E0218",
            format!("{} {what}", list.len()),
            self.since(start),
            format!("at most {} {what}", limits::INDICES),
        ))
    }
}

/// Contracts and items.
impl Parser<'_, '_> {
    fn source(&mut self) -> Vec<Contract> {
        let mut contracts = Vec::new();
        let mut count = 0;
        if self.ended() && self.sink.len() == 0 {
            let end = self.token().span;
            self.sink.push(
                Diagnostic::new("E0227", "no statement in this source", end, "nothing stands here")
                    .with_help("a statement begins with `contract name version 1`"),
            );
        }
        while !self.ended() && !self.sink.is_full() {
            if !self.at_contract() {
                self.stray();
                continue;
            }
            if count == limits::STATEMENTS {
                self.sink.push(Diagnostic::new(
                    "E0213",
                    format!("more than {} statements", limits::STATEMENTS),
                    self.token().span,
                    "nothing is read from here on",
                ));
                break;
            }
            count += 1;
            let errors = self.sink.len();
            let start = self.token().span;
            let contract = self.contract();
            // What the lexer left out belongs to the contract that it stood in.
            let span = self.since(start);
            let next = self.token().span.start.max(span.end);
            let holed = self.tokens.skipped.iter().any(|s| s.start >= span.start && s.start < next);
            if let Some(contract) = contract
                && !holed
                && self.sink.len() == errors
                && !(self.tokens.stopped && self.ended())
            {
                contracts.push(contract);
            }
        }
        contracts
    }
    /// At `contract`, or at what is probably meant to be.
    fn at_contract(&self) -> bool {
        self.at_word("contract")
            || (self.look(1).kind == Kind::Word && self.word(2) == Some("version") && self.misspelt().is_some())
    }
    fn misspelt(&self) -> Option<String> {
        let word = self.word(0)?;
        if is_reserved(word) {
            return None;
        }
        nearest(word, ITEMS)
    }
    /// Text where `contract` was expected.
    fn stray(&mut self) {
        let diagnostic = Diagnostic::new(
            "E0225",
            format!("expected `contract`, found {}", self.describe(self.token())),
            self.token().span,
            "a statement begins with `contract`",
        );
        let _: Parsed<()> = self.fail(diagnostic.with_help("begin with `contract name version 1`"));
        while !self.ended() && !self.at_contract() {
            self.at += 1;
        }
    }
    fn contract(&mut self) -> Option<Contract> {
        let doc = self.tokens.docs.get(&self.at).cloned().unwrap_or_default();
        let start = self.token().span;
        self.item = Some(start);
        if !self.at_word("contract") {
            let word = self.describe(self.token());
            self.sink.push(
                Diagnostic::new("E0221", format!("{word} begins no statement"), start, "not a keyword")
                    .with_help("did you mean `contract`?"),
            );
        }
        self.at += 1;
        let header = self.header();
        if header.is_err() {
            self.recover();
        }
        let mut items = Vec::new();
        while !self.ended() && !self.at_contract() && !self.sink.is_full() {
            let before = self.at;
            (self.depth, self.maps) = (0, 0);
            let start = self.token().span;
            self.item = Some(start);
            match self.item() {
                Ok(kind) => items.push(Item { kind, place: Place(self.since(start)) }),
                Err(Stop) => {
                    // Always forward: an item that took nothing would be tried for ever.
                    self.at = self.at.max(before + 1);
                    self.recover();
                }
            }
        }
        let (name, version) = header.ok()?;
        Some(Contract { name, version, doc, items, place: Place(self.since(start)) })
    }
    fn header(&mut self) -> Parsed<(Name, u32)> {
        // A contract may be called what a keyword is called: `contract exp version 1`.
        let token = self.token();
        let reserved = self.word(0).is_some_and(is_reserved) && self.word(1) == Some("version");
        let name = if reserved {
            self.at += 1;
            Name { text: self.text(token).to_owned(), span: token.span }
        } else {
            self.name("the name of the contract")?
        };
        if !self.take_word("version") {
            let diagnostic = self.expected("`version`");
            return self.fail(diagnostic.with_help(format!("write `contract {name} version 1`")));
        }
        let version = self.integer(u32::MAX.into(), "E0228", "an integer, the number of the version")?;
        Ok((name, u32::try_from(version).unwrap_or(u32::MAX)))
    }
    /// A plain integer up to `most`.
    fn integer(&mut self, most: u64, code: &'static str, what: &str) -> Parsed<u64> {
        let token = self.token();
        let text = self.text(token);
        if token.kind != Kind::Number || !text.bytes().all(|b| b.is_ascii_digit()) {
            let mut diagnostic = self.expected(what);
            diagnostic.code = "E0228";
            if code == "E0217" {
                diagnostic =
                    diagnostic.with_help("powers are integers, `x^2` or `x^-1`; a real one is `exp(p * log(x))`");
            }
            return self.fail(diagnostic);
        }
        match text.parse::<u64>().ok().filter(|n| *n <= most) {
            Some(number) => {
                self.at += 1;
                Ok(number)
            }
            None => {
                self.fail(Diagnostic::new(code, format!("{what} is too large"), token.span, format!("at most {most}")))
            }
        }
    }
    /// Goes on to the next item, clause or contract.
    fn recover(&mut self) {
        while !self.ended() && !self.at_item() {
            self.at += 1;
        }
    }
    fn at_item(&self) -> bool {
        self.word(0).is_some_and(|w| ITEMS.contains(&w)) || self.starts_clause(0)
    }
    /// Whether `name =` or `name[…] =` stands here.
    fn starts_clause(&self, ahead: usize) -> bool {
        if self.word(ahead).is_none_or(is_reserved) {
            return false;
        }
        if self.is_mark(ahead + 1, "=") {
            return true;
        }
        self.is_mark(ahead + 1, "[")
            && self
                .tokens
                .closing
                .get(&(self.at + ahead + 1))
                .is_some_and(|close| self.tokens.list.get(close + 1).is_some_and(|t| t.kind == Kind::Mark("=")))
    }

    fn item(&mut self) -> Parsed<ItemKind> {
        let word = match self.word(0) {
            Some(word) if ITEMS.contains(&word) => word,
            Some(word) if !is_reserved(word) => return self.unkeyed(word),
            _ => return self.fail(self.no_item()),
        };
        self.at += 1;
        self.keyed(word)
    }
    fn no_item(&self) -> Diagnostic {
        let mut diagnostic = self.expected("an item");
        diagnostic.code = "E0221";
        diagnostic.labels.truncate(1);
        if self.at > 0 && self.starts_operand(0) {
            return diagnostic.with_help(
                "an operator is missing, or the clause before ends too early: a product is written `a * b`",
            );
        }
        if self.at > 0 && self.at_mark("->") {
            return diagnostic.with_help("`->` stands in `map name: m -> n` only");
        }
        diagnostic.with_help("an item is a clause `dx[i] = …` or begins with a keyword such as `output`")
    }
    /// An item without a keyword: a clause, or a misspelt keyword.
    fn unkeyed(&mut self, word: &str) -> Parsed<ItemKind> {
        if self.starts_clause(0) {
            return Ok(ItemKind::Gradient(self.clause()?));
        }
        if self.look(1).kind == Kind::Word
            && let Some(keyword) = self.misspelt()
        {
            let span = self.token().span;
            self.sink.push(
                Diagnostic::new("E0221", format!("`{word}` begins no item"), span, "not a keyword")
                    .with_help(format!("did you mean `{keyword}`?")),
            );
            self.at += 1;
            return match ITEMS.iter().find(|i| **i == keyword) {
                Some(keyword) if *keyword != "contract" => self.keyed(keyword),
                _ => Err(Stop),
            };
        }
        if self.is_mark(1, "[") {
            let diagnostic = Diagnostic::new(
                "E0221",
                format!("`{word}[…]` begins no clause"),
                self.token().span,
                "expected an operator before this, or `=` after its indices",
            );
            return self.fail(diagnostic.with_help("a clause is `name[indices] = …`; a product is written `a * b`"));
        }
        self.fail(self.no_item())
    }
    fn keyed(&mut self, word: &str) -> Parsed<ItemKind> {
        Ok(match word {
            "dims" => ItemKind::Dims(self.list(Self::dim)?),
            "param" => {
                let name = self.name("the name of a parameter")?;
                let mark = [">", ">=", "!="].iter().any(|m| self.at_mark(m));
                let more = "a sign of a parameter is `> 0`, `>= 0` or `!= 0`; write more as `where a - 1 > 0`";
                let sign = if mark { Some(self.sign(more)?) } else { None };
                ItemKind::Param { name, sign }
            }
            "map" => ItemKind::Maps(MapWord::Total, self.list(Self::map)?),
            "partial" => {
                if !self.take_word("map") {
                    return self.fail(self.expected("`map`"));
                }
                ItemKind::Maps(MapWord::Partial, self.list(Self::map)?)
            }
            "bijection" => ItemKind::Maps(MapWord::Bijection, self.list(Self::map)?),
            "split" => {
                let parts = self.list(|p| {
                    let name = p.name("the name of a part")?;
                    p.expect(":", "`:`")?;
                    Ok(Part { name, dim: p.dim()? })
                })?;
                self.expect("->", "`->`")?;
                ItemKind::Split { parts, whole: self.dim()? }
            }
            "input" => ItemKind::Inputs(self.list(Self::tensor)?),
            "constant" => ItemKind::Constants(self.list(Self::tensor)?),
            "where" => ItemKind::Where(self.list(|p| {
                let value = *p.expression()?.expr;
                Ok(Condition { value, sign: p.sign("bring everything to the left: `a > b` is `a - b > 0`")? })
            })?),
            "let" => ItemKind::Let(self.clause()?),
            "any" => ItemKind::Any(self.clause()?),
            "output" => ItemKind::Output(self.clause()?),
            "saves" => ItemKind::Saves(self.list(|p| p.name("the name of a tensor"))?),
            "declares" => self.declares()?,
            _ => return self.fail(self.no_item()),
        })
    }
    fn declares(&mut self) -> Parsed<ItemKind> {
        let token = self.token();
        let word = self.text(token);
        let Some((_, label)) = LABELS.iter().find(|l| token.kind == Kind::Word && l.0 == word) else {
            let names = LABELS.map(|l| l.0);
            let mut diagnostic = self.expected("a label");
            diagnostic.code = "E0226";
            let near = if token.kind == Kind::Word { nearest(word, names) } else { None };
            return self.fail(
                diagnostic.or_help(near, "the labels are `convention`, `subgradient`, `surrogate` and `unproved`"),
            );
        };
        self.at += 1;
        let (mut named, mut written) = (Vec::new(), false);
        if self.take_word("as") {
            if !self.take_word("written") {
                return self.fail(self.expected("`written`"));
            }
            written = true;
        } else if self.word(0) == Some("at") {
            self.named(&mut named)?;
        }
        // What is taken on trust needs a reason; what is checked speaks for itself.
        let text = if label.is_trusted() || self.token().kind == Kind::Text { self.words()? } else { String::new() };
        Ok(ItemKind::Declares { label: *label, named, written, text })
    }
    /// `at expr == expr: clause { "," clause } { ", at" … }`
    fn named(&mut self, out: &mut Vec<Named>) -> Parsed<()> {
        while self.take_word("at") {
            let left = *self.expression()?.expr;
            self.expect("==", "`==`")?;
            let right = *self.expression()?.expr;
            self.expect(":", "`:`")?;
            // A cotangent is called `d…`: after a comma `at` begins another boundary.
            loop {
                let clause = self.clause()?;
                out.push(Named { left: left.clone(), right: right.clone(), clause });
                if out.len() > limits::INDICES {
                    let list = std::mem::take(out);
                    let span = self.token().span;
                    self.few(list, "named boundaries", span)?;
                    return Ok(());
                }
                if !self.take(",") {
                    return Ok(());
                }
                if self.word(0) == Some("at") {
                    break;
                }
            }
        }
        Ok(())
    }
    fn words(&mut self) -> Parsed<String> {
        let token = self.token();
        if token.kind != Kind::Text {
            return self.fail(self.expected("a string that says why"));
        }
        self.at += 1;
        let raw = self.text(token);
        let inner = raw.strip_prefix('"').unwrap_or(raw);
        let inner = inner.strip_suffix('"').unwrap_or(inner);
        let mut text = String::with_capacity(inner.len());
        let mut chars = inner.chars();
        while let Some(c) = chars.next() {
            text.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
        }
        Ok(text)
    }
    /// `> 0`, `>= 0` or `!= 0`; the help is for another number.
    fn sign(&mut self, help: &'static str) -> Parsed<Sign> {
        let token = self.token();
        let sign = match token.kind {
            Kind::Mark(">") => Sign::Positive,
            Kind::Mark(">=") => Sign::NonNegative,
            Kind::Mark("!=") => Sign::NonZero,
            Kind::Mark("<" | "<=") => {
                return self.fail(
                    Diagnostic::new(
                        "E0223",
                        "a condition says that something is positive",
                        token.span,
                        "expected `>`, `>=` or `!=`",
                    )
                    .with_help("write `a < 0` as `-a > 0`, and `a < b` as `b - a > 0`"),
                );
            }
            _ => {
                let mut diagnostic = self.expected("`> 0`, `>= 0` or `!= 0`");
                diagnostic.code = "E0223";
                return self.fail(diagnostic);
            }
        };
        self.at += 1;
        let zero = self.token();
        if zero.kind == Kind::Number && self.text(zero) == "0" {
            self.at += 1;
            return Ok(sign);
        }
        let mut diagnostic = self.expected("`0`");
        diagnostic.code = "E0223";
        self.fail(diagnostic.with_help(help))
    }
    fn dim(&mut self) -> Parsed<DimRef> {
        let mut name = self.name("a dimension")?;
        let pack = self.dots(&mut name);
        Ok(DimRef { name, pack })
    }
    /// The dots of a pack belong to the place of its name.
    fn dots(&mut self, name: &mut Name) -> bool {
        let pack = self.take("..");
        if pack {
            name.span = name.span.to(self.last());
        }
        pack
    }
    fn map(&mut self) -> Parsed<Map> {
        let name = self.name("the name of a map")?;
        self.expect(":", "`:`")?;
        let start = self.token().span;
        let mut from = vec![self.dim()?];
        while self.take("*") || self.take(",") {
            from.push(self.dim()?);
        }
        let from = self.few(from, "arguments of a map", start)?;
        self.expect("->", "`->`")?;
        Ok(Map { name, from, to: self.dim()? })
    }
    fn tensor(&mut self) -> Parsed<Tensor> {
        let name = self.name("the name of a tensor")?;
        let mut axes = Vec::new();
        if self.at_mark("[") {
            let open = self.next().span;
            if !self.at_mark("]") {
                axes = self.list(Self::dim)?;
            }
            self.close("]", open)?;
            axes = self.few(axes, "axes", open)?;
        }
        Ok(Tensor { name, axes })
    }
    fn clause(&mut self) -> Parsed<Clause> {
        let name = self.name("the name of a tensor")?;
        let mut at = Vec::new();
        if self.at_mark("[") {
            let open = self.next().span;
            if !self.at_mark("]") {
                at = self.list(Self::target)?;
            }
            self.close("]", open)?;
            at = self.few(at, "indices", open)?;
        }
        if !self.at_mark("=") {
            let mut diagnostic = self.expected("`=`");
            if self.at_mark("==") {
                diagnostic = diagnostic.with_help("a definition has one `=`");
            }
            return self.fail(diagnostic);
        }
        self.at += 1;
        let value = *self.expression()?.expr;
        let place = Place(self.since(name.span));
        Ok(Clause { name, at, value, place })
    }
    fn target(&mut self) -> Parsed<Target> {
        if self.is_mark(1, "(") {
            let name = self.name("a map")?;
            return Ok(Target::Map(name, self.binders()?));
        }
        Ok(Target::Binder(self.binder()?))
    }
    fn binder(&mut self) -> Parsed<Binder> {
        let mut name = self.name("an index variable")?;
        let pack = self.dots(&mut name);
        let dim = if self.take(":") { Some(self.dim()?) } else { None };
        Ok(Binder { name, pack, dim })
    }
    /// `"(" binder { "," binder } ")"`
    fn binders(&mut self) -> Parsed<Vec<Binder>> {
        let open = self.expect("(", "`(`")?;
        let list = self.list(Self::binder)?;
        self.close(")", open)?;
        self.few(list, "index variables", open)
    }
}

/// Expressions. Each function has a small frame: see [`limits::DEPTH`].
impl Parser<'_, '_> {
    #[inline(never)]
    fn too_deep<T>(&mut self, span: Span) -> Parsed<T> {
        self.fail(
            Diagnostic::new(
                "E0212",
                format!("an expression has more than {} operations within one another", limits::DEPTH),
                span,
                "here",
            )
            .with_help("name a part of it with `let`; each term of a long sum holds those before it"),
        )
    }
    /// Goes one deeper. Parentheses are no nodes: a tree within the limit may be printed with one pair
    /// more for each `if`, and is read again.
    fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > 2 * limits::DEPTH {
            return self.too_deep(self.token().span);
        }
        Ok(())
    }
    #[inline(never)]
    fn node(&mut self, kind: ExprKind, height: usize, span: Span) -> Parsed<Tree> {
        if height > limits::DEPTH {
            return self.too_deep(span);
        }
        Ok(Tree { expr: Box::new(Expr { kind, place: Place(span) }), height })
    }
    #[inline(never)]
    fn binary(&mut self, operator: Operator, left: Tree, right: Tree) -> Parsed<Tree> {
        let span = left.expr.place.0.to(right.expr.place.0);
        let height = left.height.max(right.height) + 1;
        self.node(ExprKind::Binary(operator, left.expr, right.expr), height, span)
    }

    fn expression(&mut self) -> Parsed<Tree> {
        self.enter()?;
        let mut left = self.product()?;
        loop {
            let operator = match self.token().kind {
                Kind::Mark("+") => Operator::Add,
                Kind::Mark("-") => Operator::Sub,
                _ => break,
            };
            self.at += 1;
            let right = self.product()?;
            left = self.binary(operator, left, right)?;
        }
        self.depth -= 1;
        Ok(left)
    }
    fn product(&mut self) -> Parsed<Tree> {
        let mut left = self.unary()?;
        loop {
            let operator = match self.token().kind {
                Kind::Mark("*") => Operator::Mul,
                Kind::Mark("/") => Operator::Div,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.unary()?;
            left = self.binary(operator, left, right)?;
        }
    }
    fn unary(&mut self) -> Parsed<Tree> {
        if self.at_mark("-") {
            return self.negated();
        }
        match self.word(0) {
            Some("sum") => self.reduce(Reduction::Sum),
            Some("max") if self.is_reduction() => self.reduce(Reduction::Max),
            _ => self.power(),
        }
    }
    #[inline(never)]
    fn negated(&mut self) -> Parsed<Tree> {
        self.enter()?;
        let start = self.next().span;
        let tree = self.unary()?;
        self.depth -= 1;
        let span = start.to(tree.expr.place.0);
        self.node(ExprKind::Neg(tree.expr), tree.height + 1, span)
    }
    /// Whether the `max` here is `max(k) e`: binders only, then a body.
    fn is_reduction(&self) -> bool {
        if !self.is_mark(1, "(") {
            return false;
        }
        let (mut ahead, mut count, mut plain) = (2, 0, true);
        loop {
            if self.word(ahead).is_none_or(is_reserved) || count > limits::INDICES {
                return false;
            }
            (ahead, count) = (ahead + 1, count + 1);
            if self.is_mark(ahead, "..") {
                (ahead, plain) = (ahead + 1, false);
            }
            if self.is_mark(ahead, ":") {
                (ahead, plain) = (ahead + 2, false);
                if self.is_mark(ahead, "..") {
                    ahead += 1;
                }
            }
            if self.is_mark(ahead, ")") {
                break;
            }
            if !self.is_mark(ahead, ",") {
                return false;
            }
            ahead += 1;
        }
        // `max(a, b)` of two scalars looks the same up to here. A minus after it subtracts, and a
        // clause after it is the next one.
        !plain || count != 2 || (self.starts_operand(ahead + 1) && !self.starts_clause(ahead + 1))
    }
    /// Whether a body stands here (a leading minus aside).
    fn starts_operand(&self, ahead: usize) -> bool {
        let token = self.look(ahead);
        match token.kind {
            Kind::Number => true,
            Kind::Word => {
                let word = self.text(token);
                !ITEMS.contains(&word) && word != "then" && word != "else"
            }
            Kind::Mark(mark) => matches!(mark, "(" | "[" | "|"),
            Kind::Text | Kind::End => false,
        }
    }
    #[inline(never)]
    fn reduce(&mut self, reduction: Reduction) -> Parsed<Tree> {
        self.enter()?;
        let start = self.next().span;
        let binders = self.binders()?;
        let body = self.product()?;
        self.depth -= 1;
        let span = self.since(start);
        self.node(ExprKind::Reduce(reduction, binders, body.expr), body.height + 1, span)
    }
    fn power(&mut self) -> Parsed<Tree> {
        let base = self.atom()?;
        if !self.at_mark("^") {
            return Ok(base);
        }
        self.exponent(base)
    }
    #[inline(never)]
    fn exponent(&mut self, base: Tree) -> Parsed<Tree> {
        self.at += 1;
        let negative = self.take("-");
        let most = u64::from(limits::POWER.unsigned_abs());
        let power = self.integer(most, "E0217", "an integer power")?;
        let power = i32::try_from(power).unwrap_or(limits::POWER);
        let span = base.expr.place.0.to(self.last());
        let power = if negative { -power } else { power };
        self.node(ExprKind::Pow(base.expr, power), base.height + 1, span)
    }
    fn atom(&mut self) -> Parsed<Tree> {
        let token = self.token();
        match token.kind {
            Kind::Number => self.number(token),
            Kind::Mark("(") => self.parenthesis(),
            Kind::Mark("|") => self.size(),
            Kind::Mark("[") => self.equality(),
            Kind::Word => match self.text(token) {
                "if" => self.choice(),
                "abs" => self.call(None),
                "max" => self.extremum(Extremum::Max),
                "min" => self.extremum(Extremum::Min),
                "atan2" => self.angle(),
                word => match function(word) {
                    Some(function) => self.call(Some(function)),
                    None if self.is_mark(1, "(") => self.unknown_function(),
                    None if is_reserved(word) => self.no_operand(),
                    None => self.access(),
                },
            },
            _ => self.no_operand(),
        }
    }
    #[inline(never)]
    fn no_operand(&mut self) -> Parsed<Tree> {
        let mut diagnostic = self.expected("an expression");
        let before = self.text(self.tokens.list[self.at.saturating_sub(1)]);
        if self.at_mark("*") && before == "*" {
            diagnostic = diagnostic.with_help("a power is written `x^2`");
        } else if self.at_mark("..") {
            diagnostic = diagnostic.with_help("dots stand in indices only, `x[i..]`");
        } else if self.at_mark("+") {
            diagnostic = diagnostic.with_help("there is no sign `+`");
        } else if self.word(0).is_some_and(|w| matches!(w, "any" | "constant" | "input" | "output"))
            && self.looks_like_name(1)
        {
            diagnostic = diagnostic.with_help("a tensor cannot have the name of a keyword");
        }
        self.fail(diagnostic)
    }
    #[inline(never)]
    fn unknown_function(&mut self) -> Parsed<Tree> {
        let token = self.token();
        let word = self.text(token);
        let known = Function::ALL.into_iter().map(Function::name).chain(["sum", "max", "min", "abs", "atan2"]);
        /// What other languages call it.
        const ELSEWHERE: [(&str, &str); 6] = [
            ("ln", "the natural logarithm is `log`"),
            ("pow", "a power is written `a^2`, and `exp(b * log(a))` for other exponents"),
            ("sigmoid", "the logistic function is `0.5 + 0.5 * tanh(0.5 * a)`"),
            ("relu", "it is `max(a, 0)`"),
            ("mean", "a mean is a sum over its size: `(sum(i) x[i]) / |n|`"),
            ("where", "a choice is written `if a > b then c else d`"),
        ];
        let near = nearest(word, known);
        let elsewhere = ELSEWHERE.iter().find(|(name, _)| *name == word);
        let diagnostic =
            Diagnostic::new("E0222", format!("no function is called `{word}`"), token.span, "not a function");
        self.sink.push(match elsewhere {
            Some((_, help)) => diagnostic.with_help(*help),
            None => diagnostic.or_help(
            near,
            "the functions are `exp tanh recip rsqrt sqrt log sin cos erf erfc atan atan2 log1p expm1 round floor max \
             min abs`; a map stands in indices, `x[at(i)]`, and a product is written `a * (b)`",
            ),
        });
        self.call(Some(Function::Exp))
    }
    #[inline(never)]
    fn number(&mut self, token: Token) -> Parsed<Tree> {
        self.at += 1;
        match Number::new(self.text(token)) {
            Some(number) => self.node(ExprKind::Number(number), 1, token.span),
            // The lexer has said why: the contract is left out, and reading goes on.
            None => self.node(
                ExprKind::Size(DimRef { name: Name { text: String::new(), span: token.span }, pack: false }),
                1,
                token.span,
            ),
        }
    }
    #[inline(never)]
    fn parenthesis(&mut self) -> Parsed<Tree> {
        let open = self.next().span;
        let mut tree = self.expression()?;
        self.close(")", open)?;
        tree.expr.place = Place(self.since(open));
        Ok(tree)
    }
    #[inline(never)]
    fn size(&mut self) -> Parsed<Tree> {
        let open = self.next().span;
        let dim = self.dim()?;
        self.close("|", open)?;
        self.node(ExprKind::Size(dim), 1, self.since(open))
    }
    #[inline(never)]
    fn equality(&mut self) -> Parsed<Tree> {
        let open = self.next().span;
        let left = self.index()?;
        if !self.at_mark("==") {
            let diagnostic = self.expected("`==`").with_help("`[p == q]` is one where two positions are equal");
            return self.fail(diagnostic);
        }
        self.at += 1;
        let right = self.index()?;
        self.close("]", open)?;
        self.node(ExprKind::Equal(left, right), 1, self.since(open))
    }
    #[inline(never)]
    fn call(&mut self, function: Option<Function>) -> Parsed<Tree> {
        let start = self.next().span;
        let open = self.expect("(", "`(`")?;
        let argument = self.expression()?;
        self.close(")", open)?;
        let span = self.since(start);
        match function {
            Some(function) => self.node(ExprKind::Call(function, argument.expr), argument.height + 1, span),
            // Written out, `abs(a)` is an `if` with a minus in it.
            None => self.node(ExprKind::Abs(argument.expr), argument.height + 2, span),
        }
    }
    #[inline(never)]
    fn extremum(&mut self, extremum: Extremum) -> Parsed<Tree> {
        let start = self.next().span;
        let open = self.expect("(", "`(`")?;
        let left = self.expression()?;
        self.comma(extremum)?;
        let right = self.expression()?;
        self.close(")", open)?;
        let height = left.height.max(right.height) + 1;
        self.node(ExprKind::Extremum(extremum, left.expr, right.expr), height, self.since(start))
    }
    /// `atan2(y, x)` is `atan(y * rsqrt(x)^2)`: the quotient, where x > 0.
    #[inline(never)]
    fn angle(&mut self) -> Parsed<Tree> {
        let start = self.next().span;
        let open = self.expect("(", "`(`")?;
        let above = self.expression()?;
        if !self.at_mark(",") {
            let diagnostic = self.expected("`,`").with_help("write `atan2(y, x)`: the angle of the point, where x > 0");
            return self.fail(diagnostic);
        }
        self.at += 1;
        let right = self.expression()?;
        self.close(")", open)?;
        let span = self.since(start);
        let height = right.height;
        let root = self.node(ExprKind::Call(Function::Rsqrt, right.expr), height + 1, span)?;
        let over = self.node(ExprKind::Pow(root.expr, 2), height + 2, span)?;
        let height = above.height.max(height + 2) + 1;
        let quotient = self.node(ExprKind::Binary(Operator::Mul, above.expr, over.expr), height, span)?;
        self.node(ExprKind::Call(Function::Atan, quotient.expr), height + 1, span)
    }
    #[inline(never)]
    fn comma(&mut self, extremum: Extremum) -> Parsed<()> {
        if !self.at_mark(",") {
            let mut diagnostic = self.expected("`,`");
            diagnostic = match extremum {
                Extremum::Max => diagnostic.with_help("write `max(a, b)`, or `max(k) e` over an index variable"),
                Extremum::Min => diagnostic.with_help("write `min(a, b)`; over an index variable it is `-max(k) -e`"),
            };
            return self.fail(diagnostic);
        }
        self.at += 1;
        Ok(())
    }
    #[inline(never)]
    fn choice(&mut self) -> Parsed<Tree> {
        let start = self.next().span;
        let left = self.expression()?;
        let comparison = self.comparison()?;
        let right = self.expression()?;
        self.keyword("then", "")?;
        let then = self.expression()?;
        self.keyword("else", "an `if` has a value on both sides")?;
        let otherwise = self.expression()?;
        self.chosen(start, comparison, [left, right, then, otherwise])
    }
    /// Apart from [`Self::choice`], whose frames add up.
    #[inline(never)]
    fn chosen(&mut self, start: Span, comparison: Comparison, parts: [Tree; 4]) -> Parsed<Tree> {
        let height = parts.iter().map(|p| p.height).max().unwrap_or(0) + 1;
        let [left, right, then, otherwise] = parts.map(|p| *p.expr);
        let choice = Box::new(Choice { comparison, left, right, then, otherwise });
        self.node(ExprKind::If(choice), height, self.since(start))
    }
    #[inline(never)]
    fn keyword(&mut self, word: &str, help: &str) -> Parsed<()> {
        if self.take_word(word) {
            return Ok(());
        }
        let mut diagnostic = self.expected(&format!("`{word}`"));
        if !help.is_empty() {
            diagnostic = diagnostic.with_help(help);
        }
        self.fail(diagnostic)
    }
    #[inline(never)]
    fn comparison(&mut self) -> Parsed<Comparison> {
        let comparison = match self.token().kind {
            Kind::Mark(">") => Comparison::Greater,
            Kind::Mark(">=") => Comparison::GreaterOrEqual,
            Kind::Mark("<") => Comparison::Less,
            Kind::Mark("<=") => Comparison::LessOrEqual,
            _ => return self.fail(self.expected("`>`, `>=`, `<` or `<=`")),
        };
        self.at += 1;
        Ok(comparison)
    }
    #[inline(never)]
    fn access(&mut self) -> Parsed<Tree> {
        let name = self.name("the name of a tensor")?;
        let mut indices = Vec::new();
        if self.at_mark("[") {
            let open = self.next().span;
            if !self.at_mark("]") {
                indices = self.list(Self::index)?;
            }
            self.close("]", open)?;
            indices = self.few(indices, "indices", open)?;
        }
        let span = self.since(name.span);
        self.node(ExprKind::Access(name, indices), 1, span)
    }
    fn index(&mut self) -> Parsed<Index> {
        let start = self.token().span;
        if self.token().kind == Kind::Number {
            let diagnostic = self.expected("an index variable");
            return self.fail(
                diagnostic.with_help("positions are variables or maps of them: declare a `map` for a fixed position"),
            );
        }
        let mut name = self.name("an index variable")?;
        if self.at_mark("(") {
            self.maps += 1;
            if self.maps > limits::DEPTH {
                return self.too_deep(name.span);
            }
            let open = self.next().span;
            let arguments = self.list(Self::index)?;
            self.close(")", open)?;
            self.maps -= 1;
            let arguments = self.few(arguments, "arguments of a map", open)?;
            return Ok(Index { kind: IndexKind::Map(name, arguments), place: Place(self.since(start)) });
        }
        let pack = self.dots(&mut name);
        Ok(Index { kind: IndexKind::Variable(name, pack), place: Place(self.since(start)) })
    }
}
