//! `derive(Space)`: a struct of spaces is a space, isomorphic to the tuple of its fields.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Fields, Index, Member, parse_quote, parse_quote_spanned};

/// The largest tuple that is a space.
const MOST_FIELDS: usize = 12;

pub(crate) fn derive(input: TokenStream) -> TokenStream {
    syn::parse2::<DeriveInput>(input).and_then(|input| expand(&input)).unwrap_or_else(|error| error.to_compile_error())
}

fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let Data::Struct(data) = &input.data else {
        return Err(syn::Error::new_spanned(
            name,
            format!("`{name}` is not a struct; a space is a product, so only a struct can derive `Space`"),
        ));
    };
    if data.fields.len() > MOST_FIELDS {
        return Err(syn::Error::new_spanned(
            name,
            format!(
                "`{name}` has {} fields; a space has at most {MOST_FIELDS}, so group some in a struct of their own",
                data.fields.len()
            ),
        ));
    }
    let types: Vec<_> = data.fields.iter().map(|field| &field.ty).collect();
    let members: Vec<Member> = data
        .fields
        .iter()
        .enumerate()
        .map(|(index, field)| field.ident.clone().map_or_else(|| Member::Unnamed(Index::from(index)), Member::Named))
        .collect();
    let names: Vec<_> = (0..types.len()).map(|index| format_ident!("part_{index}")).collect();
    let indices: Vec<_> = (0..types.len()).map(Index::from).collect();
    let construct = match &data.fields {
        Fields::Unit => quote!(#name),
        _ => quote!(#name { #(#members: #names),* }),
    };
    let destructure = construct.clone();
    let parts = quote!((#(#types,)*));
    let space = quote!(::pullback::space::Space);
    let over = quote!(::pullback::space::Over);

    let mut generics = input.generics.clone();
    {
        let clause = generics.make_where_clause();
        clause.predicates.push(parse_quote!(Self: ::core::clone::Clone + ::core::fmt::Debug + ::core::marker::Send + ::core::marker::Sync + 'static));
        // The span of the field's type puts a message there.
        for ty in &types {
            clause.predicates.push(parse_quote_spanned!(ty.span()=> #ty: ::pullback::space::Space));
        }
    }
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();

    let mut over_generics = generics.clone();
    let scalar = format_ident!("__Scalar");
    over_generics.params.push(parse_quote!(#scalar: ::pullback::scalar::Scalar));
    {
        let clause = over_generics.make_where_clause();
        for ty in &types {
            clause.predicates.push(parse_quote!(#ty: #over<#scalar>));
        }
    }
    let (over_impl_generics, _, over_where_clause) = over_generics.split_for_impl();

    Ok(quote! {
        #[automatically_derived]
        #[allow(clippy::unused_unit, clippy::let_unit_value, unused_variables)]
        impl #impl_generics #space for #name #type_generics #where_clause {
            const DIMENSION: usize = <#parts as #space>::DIMENSION;
            #[inline]
            fn zero() -> Self {
                <Self as ::pullback::space::Composite>::from_parts(<#parts as #space>::zero())
            }
            #[inline]
            fn accumulate(&mut self, term: &Self) {
                #(<#types as #space>::accumulate(&mut self.#members, &term.#members);)*
            }
            #[inline]
            fn add(self, term: &Self) -> Self {
                let #destructure = self;
                #(let #names = <#types as #space>::add(#names, &term.#members);)*
                #construct
            }
        }

        #[automatically_derived]
        #[allow(clippy::unused_unit, clippy::let_unit_value, unused_variables)]
        impl #impl_generics ::pullback::space::Composite for #name #type_generics #where_clause {
            type Parts = #parts;
            #[inline]
            fn into_parts(self) -> Self::Parts {
                let #destructure = self;
                (#(#names,)*)
            }
            #[inline]
            fn from_parts(parts: Self::Parts) -> Self {
                #(let #names = parts.#indices;)*
                #construct
            }
        }

        #[automatically_derived]
        #[allow(clippy::unused_unit, clippy::let_unit_value, unused_variables)]
        impl #over_impl_generics #over<#scalar> for #name #type_generics #over_where_clause {
            #[inline]
            fn visit<__Function: ::core::ops::FnMut(&#scalar)>(&self, visit: &mut __Function) {
                #(<#types as #over<#scalar>>::visit(&self.#members, visit);)*
            }
            #[inline]
            fn dot(&self, other: &Self) -> #scalar {
                let sum = <#scalar as ::pullback::scalar::Scalar>::zero();
                #(let sum = sum + <#types as #over<#scalar>>::dot(&self.#members, &other.#members);)*
                sum
            }
            #[inline]
            fn map_coordinates<__Function: ::core::ops::FnMut(#scalar) -> #scalar>(self, step: &mut __Function) -> Self {
                let #destructure = self;
                #(let #names = <#types as #over<#scalar>>::map_coordinates(#names, step);)*
                #construct
            }
            #[inline]
            fn zip_coordinates<__Function: ::core::ops::FnMut(#scalar, &#scalar) -> #scalar>(self, other: &Self, step: &mut __Function) -> Self {
                let #destructure = self;
                #(let #names = <#types as #over<#scalar>>::zip_coordinates(#names, &other.#members, step);)*
                #construct
            }
            fn from_coordinates<__Coordinates: ::core::iter::Iterator<Item = #scalar>>(coordinates: &mut __Coordinates) -> ::core::option::Option<Self> {
                #(let #names = <#types as #over<#scalar>>::from_coordinates(coordinates)?;)*
                ::core::option::Option::Some(#construct)
            }
        }
    })
}
