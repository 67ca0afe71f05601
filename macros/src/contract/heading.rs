//! What stands before a statement, and where it goes.
//!
//! A statement becomes a module with everything that was made of it, and two imports: of the type and of the function.
//! An attribute goes where it covers what its author sees as one thing, and one that could not do so is refused.
//!
//! | attribute | goes to |
//! | --- | --- |
//! | `cfg` | everything |
//! | `allow`, `expect`, `warn`, `deny`, `forbid` | the module |
//! | `deprecated`, `must_use` | the type and the function |
//! | `doc = "…"` | the type |
//! | `doc(hidden)` and other forms of `doc` | the type and the function |
//! | `cfg_attr(…, a, b)` | where `a` and `b` go |

use proc_macro2::{Delimiter, Group, Punct, Spacing, Span, TokenStream, TokenTree};

type Wrong = (Span, String);

/// What stands before a statement, as it was written.
#[derive(Clone, Default)]
pub(super) struct Heading {
    /// The inside of each `#[…]`, and where it stands.
    attributes: Vec<(TokenStream, Span)>,
    visibility: Option<TokenStream>,
}

/// Attributes by the items that they belong to.
#[derive(Default)]
pub(super) struct Attributes {
    /// Of every item that is emitted.
    pub(super) all: TokenStream,
    /// Of the module.
    pub(super) module: TokenStream,
    /// Of the type and of the function, where they are defined.
    pub(super) items: TokenStream,
    /// Of the import of the type.
    pub(super) docs: TokenStream,
    /// Of both imports.
    pub(super) imports: TokenStream,
    /// What is defined is deprecated: the imports name it all the same.
    pub(super) deprecated: bool,
    /// The function has a `must_use` of the user's.
    pub(super) must_use: bool,
    /// The type has docs of the user's.
    pub(super) documented: bool,
}

impl Heading {
    /// Attributes and visibility in front, and the rest.
    pub(super) fn before(tokens: &[TokenTree]) -> (Heading, &[TokenTree]) {
        let mut heading = Heading::default();
        let mut rest = tokens;
        while let Some(taken) = heading.take(rest) {
            rest = &rest[taken..];
        }
        (heading, rest)
    }

    /// Whether an attribute stands here.
    pub(super) fn starts(tokens: &[TokenTree]) -> bool {
        matches!(tokens, [TokenTree::Punct(hash), TokenTree::Group(body), ..]
            if hash.as_char() == '#' && body.delimiter() == Delimiter::Bracket)
    }

    /// An attribute that stands before no statement.
    pub(super) fn misplaced(span: Span) -> Wrong {
        let message = "an attribute or a doc comment stands before a whole statement; inside of one it would say nothing (`//` starts a comment)";
        (span, message.into())
    }

    /// How many tokens in front are an attribute or a visibility, which are kept.
    fn take(&mut self, tokens: &[TokenTree]) -> Option<usize> {
        match tokens {
            [hash, TokenTree::Group(body), ..] if Heading::starts(tokens) => {
                self.attributes.push((body.stream(), hash.span()));
                Some(2)
            }
            [word @ TokenTree::Ident(name), scope @ TokenTree::Group(group), ..]
                if name == "pub" && group.delimiter() == Delimiter::Parenthesis =>
            {
                self.visibility = Some([word.clone(), scope.clone()].into_iter().collect());
                Some(2)
            }
            [word @ TokenTree::Ident(name), ..] if name == "pub" => {
                self.visibility = Some(word.clone().into());
                Some(1)
            }
            // Another macro's `$visibility:vis`, which may be nothing.
            [TokenTree::Group(group), ..] if group.delimiter() == Delimiter::None => {
                let inside = opened(group.stream());
                match inside.first() {
                    None => Some(1),
                    Some(TokenTree::Ident(name)) if name == "pub" => {
                        self.visibility = Some(inside.into_iter().collect());
                        Some(1)
                    }
                    Some(_) => None,
                }
            }
            _ => None,
        }
    }

    /// The visibility; without one a contract is public.
    pub(super) fn visibility(&self) -> TokenStream {
        self.visibility.clone().unwrap_or_else(|| quote::quote! { pub })
    }

    /// Each attribute at its items.
    ///
    /// # Errors
    ///
    /// For an attribute that is not in the table.
    pub(super) fn attributes(&self) -> Result<Attributes, Wrong> {
        let mut sorted = Attributes::default();
        for (attribute, span) in &self.attributes {
            sorted.add(attribute, *span, &|inside| inside)?;
        }
        Ok(sorted)
    }
}

impl Attributes {
    /// Puts an attribute to its items; `within` is the `cfg_attr` around it.
    fn add(
        &mut self,
        attribute: &TokenStream,
        span: Span,
        within: &dyn Fn(TokenStream) -> TokenStream,
    ) -> Result<(), Wrong> {
        // Another macro's `$attribute:meta` comes in a group of its own.
        let tokens = opened(attribute.clone());
        let attribute: &TokenStream = &tokens.iter().cloned().collect();
        let (name, at) = match &tokens[..] {
            [TokenTree::Ident(name), ..] if !matches!(tokens.get(1), Some(TokenTree::Punct(p)) if p.as_char() == ':') => {
                (name.to_string(), name.span())
            }
            _ => (String::new(), tokens.first().map_or(span, TokenTree::span)),
        };
        let whole = attribute_of(within(attribute.clone()), span);
        match name.as_str() {
            "cfg" => self.all.extend(whole),
            "allow" | "expect" | "warn" | "deny" | "forbid" => self.module.extend(whole),
            "deprecated" => {
                self.items.extend(whole);
                self.deprecated = true;
            }
            "must_use" => {
                self.items.extend(whole);
                self.must_use = true;
            }
            "doc" if matches!(tokens.get(1), Some(TokenTree::Punct(_))) => {
                self.docs.extend(whole);
                self.documented = true;
            }
            "doc" => {
                let about_import = |word: &str| matches!(word, "hidden" | "inline" | "no_inline");
                let argument = match tokens.get(1) {
                    Some(TokenTree::Group(group)) => group.stream().into_iter().next(),
                    _ => None,
                };
                if matches!(&argument, Some(TokenTree::Ident(word)) if about_import(&word.to_string())) {
                    self.imports.extend(whole);
                } else {
                    self.items.extend(whole);
                }
            }
            "cfg_attr" => {
                let Some(TokenTree::Group(group)) = tokens.get(1) else {
                    return Err((at, "expected `cfg_attr(condition, attribute)`".into()));
                };
                let mut parts = commas(group.stream()).into_iter();
                let condition = parts.next().unwrap_or_default();
                for inner in parts.filter(|part| !part.is_empty()) {
                    let word = &tokens[0];
                    let around = |inside: TokenStream| {
                        let mut arguments = Group::new(Delimiter::Parenthesis, quote::quote! { #condition, #inside });
                        arguments.set_span(group.span());
                        within(quote::quote! { #word #arguments })
                    };
                    self.add(&inner, span, &around)?;
                }
            }
            _ => {
                let shown: String = attribute.to_string().split(['(', '=']).next().unwrap_or_default().trim().into();
                let message = format!(
                    "`#[{shown}]` can't cover what is made of a contract; what can is `cfg`, `cfg_attr`, `deprecated`, `must_use`, `doc`, `allow`, `expect`, `warn`, `deny` and `forbid`"
                );
                return Err((at, message));
            }
        }
        Ok(())
    }
}

/// `#[…]`.
fn attribute_of(inside: TokenStream, span: Span) -> TokenStream {
    let mut hash = Punct::new('#', Spacing::Alone);
    hash.set_span(span);
    let mut group = Group::new(Delimiter::Bracket, inside);
    group.set_span(span);
    [TokenTree::Punct(hash), TokenTree::Group(group)].into_iter().collect()
}

/// The tokens, with those of groups without delimiters in their place.
pub(super) fn opened(stream: TokenStream) -> Vec<TokenTree> {
    let open = |token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => opened(group.stream()),
        other => vec![other],
    };
    stream.into_iter().flat_map(open).collect()
}

/// The parts of a list that commas separate.
fn commas(list: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for token in list {
        if matches!(&token, TokenTree::Punct(sign) if sign.as_char() == ',') {
            parts.push(TokenStream::new());
        } else if let Some(part) = parts.last_mut() {
            part.extend([token]);
        }
    }
    parts
}
