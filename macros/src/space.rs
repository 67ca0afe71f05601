//! `derive(Space)`: a struct of spaces is a space, isomorphic to the tuple of its fields.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Fields, Ident, Index, Member, parse_quote, parse_quote_spanned};

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
    let options = options(input)?;
    let hidden = options.hidden();
    let traced = traced(input, &data.fields, &types, &members, &generics, &options);

    Ok(quote! {
        #traced

        #[automatically_derived]
        #[allow(clippy::unused_unit, clippy::let_unit_value, unused_variables)]
        #hidden
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
        #hidden
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
        #hidden
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

/// What `#[space(…)]` says.
struct Options {
    /// The name of the struct of variables: `LayerVars` for `Layer`, or `vars = Name`.
    vars: Ident,
    /// Whether the roles of the parameters are said elsewhere: `layer`, for the layers of the library.
    layer: bool,
}

impl Options {
    /// A message that lists types with a trait is about a user's: the layers of the library would bury them.
    fn hidden(&self) -> Option<TokenStream> {
        self.layer.then(|| quote!(#[diagnostic::do_not_recommend]))
    }
}

fn options(input: &DeriveInput) -> syn::Result<Options> {
    let vars = format_ident!("{}Vars", input.ident.unraw(), span = input.ident.span());
    let mut options = Options { vars, layer: false };
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("space")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("layer") {
                options.layer = true;
                return Ok(());
            }
            if !meta.path.is_ident("vars") {
                return Err(meta.error("expected `vars = Name`, the name of the struct of variables"));
            }
            options.vars = meta.value()?.parse()?;
            Ok(())
        })?;
    }
    Ok(options)
}

/// The struct of variables, and `Traced`.
///
/// A field may have no variables; then the struct has none, and is a space all the same.
/// The compiler refuses a condition that names no parameter and does not hold, unless it is written `for<'a>`; so these are.
fn traced(
    input: &DeriveInput,
    fields: &Fields,
    types: &[&syn::Type],
    members: &[Member],
    space_generics: &syn::Generics,
    options: &Options,
) -> TokenStream {
    let (name, visibility, Options { vars, layer }) = (&input.ident, &input.vis, options);
    let hidden = options.hidden();
    let traced = quote!(::pullback::__macro::Traced);
    let parametric = quote!(::pullback::__macro::Parametric);
    let slot = quote!(::pullback::__macro::Slot);
    let conditions = |generics: &syn::Generics, bound: &TokenStream| {
        let mut generics = generics.clone();
        let clause = generics.make_where_clause();
        for ty in types {
            clause.predicates.push(parse_quote!(for<'__traced> #ty: #bound));
        }
        generics
    };

    let declared = conditions(&input.generics, &traced);
    let clause = &declared.where_clause;
    let generics = &input.generics;
    let docs = format!("The variables of [`{name}`] in a program.");
    let (fields_declared, construct): (TokenStream, TokenStream) = {
        let variables = fields.iter().zip(types).map(|(field, ty)| {
            let (visibility, field_name) = (&field.vis, &field.ident);
            let docs = match field_name {
                Some(field_name) => format!("The variables of `{}`.", field_name.unraw()),
                None => "The variables of the field of the same place.".to_owned(),
            };
            let named = field_name.as_ref().map(|field_name| quote!(#field_name:));
            quote!(#[doc = #docs] #visibility #named <#ty as #traced>::Vars)
        });
        let made = types.iter().map(|ty| quote!(<#ty as #traced>::vars(next)));
        match fields {
            Fields::Named(_) => (quote!(#clause { #(#variables,)* }), quote!(#vars { #(#members: #made),* })),
            Fields::Unnamed(_) => (quote!((#(#variables,)*) #clause;), quote!(#vars(#(#made),*))),
            Fields::Unit => (quote!(#clause;), quote!(#vars)),
        }
    };
    let (impl_generics, type_generics, where_clause) = declared.split_for_impl();
    let traced_generics = conditions(space_generics, &traced);
    let (traced_impl_generics, _, traced_where_clause) = traced_generics.split_for_impl();
    let paths: Vec<String> = members
        .iter()
        .map(|member| match member {
            Member::Named(field) => field.unraw().to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        })
        .collect();
    let scalar = types.iter().rev().fold(quote!(__Default), |rest, ty| quote!(<#ty as #traced>::ScalarOr<#rest>));
    let printed = vars.to_string();
    let shown = match fields {
        Fields::Named(_) => quote!(formatter.debug_struct(#printed)#(.field(#paths, &self.#members))*.finish()),
        _ => quote!(formatter.debug_tuple(#printed)#(.field(&self.#members))*.finish()),
    };
    let parametric_generics = conditions(&traced_generics, &parametric);
    let (parametric_impl_generics, _, parametric_where_clause) = parametric_generics.split_for_impl();
    let described = (!*layer).then(|| {
        quote! {
            #[automatically_derived]
            #[allow(unused_variables)]
            impl #parametric_impl_generics #parametric for #name #type_generics #parametric_where_clause {
                fn describe(
                    path: &mut ::pullback::__macro::Path,
                    visit: &mut dyn ::core::ops::FnMut(::pullback::__macro::Parameter),
                ) {
                    #(path.within(&#paths, |path| <#types as #parametric>::describe(path, visit));)*
                }
            }
        }
    });
    // Whoever never traces reads no field of it.
    let allowed = quote! {
        #[automatically_derived]
        #[allow(
            dead_code,
            unreachable_pub,
            private_bounds,
            private_interfaces,
            unused_variables,
            clippy::type_complexity,
            clippy::unused_unit,
            clippy::expl_impl_clone_on_copy
        )]
    };
    quote! {
        #allowed
        #[doc = #docs]
        #visibility struct #vars #generics #fields_declared

        #allowed
        impl #impl_generics ::core::clone::Clone for #vars #type_generics #where_clause {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        #allowed
        impl #impl_generics ::core::marker::Copy for #vars #type_generics #where_clause {}

        #allowed
        impl #impl_generics ::core::fmt::Debug for #vars #type_generics #where_clause {
            fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #shown
            }
        }

        #allowed
        #hidden
        impl #traced_impl_generics #traced for #name #type_generics #traced_where_clause {
            type Vars = #vars #type_generics;
            type Ports = (#(<#types as #traced>::Ports,)*);
            type ScalarOr<__Default: ::pullback::__macro::Scalar> = #scalar;
            fn ports(
                path: &mut ::pullback::__macro::Path,
                visit: &mut dyn ::core::ops::FnMut(::pullback::__macro::Port<'_>),
            ) {
                #(path.within(&#paths, |path| <#types as #traced>::ports(path, visit));)*
            }
            fn vars(next: &mut dyn ::core::ops::FnMut() -> #slot) -> Self::Vars {
                #construct
            }
            fn slots(variables: &Self::Vars, visit: &mut dyn ::core::ops::FnMut(#slot)) {
                #(<#types as #traced>::slots(&variables.#members, visit);)*
            }
        }

        #described
    }
}
