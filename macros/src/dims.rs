//! `dims!` and the anonymous axes: sizes written as binary numbers in types.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, BinOp, Expr, Ident, Lit, Token, Visibility};

/// One line of `dims!`: `/// docs`, `pub`, `Name = expression`.
struct Axis {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    name: Ident,
    size: Expr,
}

struct Axes(Vec<Axis>);

impl Parse for Axes {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut axes = Vec::new();
        while !input.is_empty() {
            let attributes = input.call(Attribute::parse_outer)?;
            let visibility = input.parse()?;
            let name = input.parse()?;
            input.parse::<Token![=]>()?;
            let size = input.parse()?;
            axes.push(Axis { attributes, visibility, name, size });
            if !input.is_empty() {
                input.parse::<Token![;]>()?;
            }
        }
        Ok(Axes(axes))
    }
}

pub(crate) fn dims(input: TokenStream) -> TokenStream {
    let axes = match syn::parse2::<Axes>(input) {
        Ok(Axes(axes)) => axes,
        Err(error) => return error.to_compile_error(),
    };
    let mut known = HashMap::new();
    let mut output = TokenStream::new();
    for axis in axes {
        output.extend(match expand(&axis, &mut known) {
            Ok(tokens) => tokens,
            // The other axes are still defined, so that one mistake gives one message.
            Err(error) => error.to_compile_error(),
        });
    }
    output
}

fn expand(axis: &Axis, known: &mut HashMap<Ident, u64>) -> syn::Result<TokenStream> {
    let Axis { attributes, visibility, name, size } = axis;
    let value = evaluate(size, known)?;
    if value == 0 {
        return Err(syn::Error::new_spanned(
            size,
            format!("the axis `{name}` is empty; an axis has at least one element"),
        ));
    }
    if value > u64::from(u32::MAX) {
        return Err(syn::Error::new_spanned(
            size,
            format!("the axis `{name}` has {value} elements; at most {} are supported", u32::MAX),
        ));
    }
    known.insert(name.clone(), value);
    let number = number(value, &quote!(::pullback::__macro::typenum));
    let label = name.to_string();
    // The docs of an axis without any say its size, so that `missing_docs` is content in the user's crate.
    let docs = attributes
        .iter()
        .all(|attribute| !attribute.path().is_ident("doc"))
        .then(|| format!("The axis `{name}`, of size {value}."))
        .map(|text| quote!(#[doc = #text]));
    Ok(quote! {
        #(#attributes)*
        #docs
        #[derive(
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::fmt::Debug,
            ::core::cmp::PartialEq,
            ::core::cmp::Eq,
        )]
        #visibility struct #name;

        #[automatically_derived]
        impl ::pullback::shape::Dim for #name {
            type Size = #number;
            const NAME: &'static str = #label;
        }
    })
}

/// Sizes are literals, axes defined above in the same list, and `+ - * /` of such.
fn evaluate(size: &Expr, known: &HashMap<Ident, u64>) -> syn::Result<u64> {
    let fault = |text: String| syn::Error::new_spanned(size, text);
    match size {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse(),
            _ => Err(fault("the size of an axis is a whole number".into())),
        },
        Expr::Paren(inner) => evaluate(&inner.expr, known),
        Expr::Group(inner) => evaluate(&inner.expr, known),
        Expr::Path(path) => {
            let Some(name) = path.path.get_ident() else {
                return Err(fault(
                    "the size of an axis is a number or an axis defined above in the same `dims!`".into(),
                ));
            };
            known
                .get(name)
                .copied()
                .ok_or_else(|| fault(format!("`{name}` is not an axis defined above in the same `dims!`")))
        }
        Expr::Binary(binary) => {
            let left = evaluate(&binary.left, known)?;
            let right = evaluate(&binary.right, known)?;
            match binary.op {
                BinOp::Add(_) => left.checked_add(right).ok_or_else(|| fault("the size is too large".into())),
                BinOp::Mul(_) => left.checked_mul(right).ok_or_else(|| fault("the size is too large".into())),
                BinOp::Sub(_) => left.checked_sub(right).ok_or_else(|| fault(format!("{left} - {right} is negative"))),
                BinOp::Div(_) if right != 0 && left % right == 0 => Ok(left / right),
                BinOp::Div(_) => Err(fault(format!("{left} is not a multiple of {right}"))),
                _ => Err(fault("the size of an axis is computed with + - * / only".into())),
            }
        }
        _ => Err(fault("the size of an axis is a whole number, such as `Batch = 32`".into())),
    }
}

/// A binary number in a type, the least significant bit outermost.
fn number(value: u64, typenum: &TokenStream) -> TokenStream {
    let mut tokens = quote!(#typenum::UTerm);
    for place in (0..u64::BITS - value.leading_zeros()).rev() {
        let bit = if value >> place & 1 == 1 { quote!(B1) } else { quote!(B0) };
        tokens = quote!(#typenum::UInt<#tokens, #typenum::#bit>);
    }
    tokens
}

/// The impls of `Dim` for the anonymous axes `N<…>`.
pub(crate) fn numerals() -> TokenStream {
    let mut sizes: Vec<u64> = (1..=1024).collect();
    sizes.extend((1..=128).map(|multiple| multiple * 128));
    sizes.extend((0..=30).map(|exponent| 1u64 << exponent));
    sizes.extend((0..=9).map(|exponent| 10u64.pow(exponent)));
    sizes.sort_unstable();
    sizes.dedup();
    let typenum = quote!(::typenum);
    sizes
        .into_iter()
        .map(|size| {
            let number = number(size, &typenum);
            let label = size.to_string();
            let literal = proc_macro2::Literal::u64_unsuffixed(size);
            quote! {
                #[diagnostic::do_not_recommend]
                impl Dim for N<#literal> {
                    type Size = #number;
                    const NAME: &'static str = #label;
                }
            }
        })
        .collect()
}
