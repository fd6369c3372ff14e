//! Setters of the structs that a user of Stead fills in.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{
    Attribute, Data, DeriveInput, Error, Field, Fields, GenericArgument, Ident, PathArguments,
    Result, Type, parse_macro_input, spanned::Spanned as _,
};

/// Writes a setter for each optional member, with the member's name and doc comment.
///
/// A setter of an `Option` takes the value inside. A setter of a text takes whatever becomes one, and a setter of a list
/// takes anything that gives its items.
///
/// A member is required if it's no `Option`, list, map or `bool`, and serde has no default for it. Required members
/// have no setters.
///
/// | On the struct | Writes |
/// |---|---|
/// | `#[setters(new)]` | also `new`, which takes the required members |
/// | `#[setters(all)]` | a setter for every member, because none is required |
/// | `#[setters(new = query)]` | the same under the name of the optional member `query`, which it takes too |
///
/// | On a member | Means |
/// |---|---|
/// | `#[setters(required)]` | it's required |
/// | `#[setters(optional)]` | it's optional |
/// | `#[setters(skip)]` | it's optional and has no setter |
#[proc_macro_derive(Setters, attributes(setters))]
pub fn setters(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let written = written(&input).unwrap_or_else(Error::into_compile_error);
    written.into()
}

fn written(input: &DeriveInput) -> Result<Tokens> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.span(), "setters are for structs"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new(input.span(), "setters are for named members"));
    };
    let options = Options::of(&input.attrs)?;
    let mut members = Vec::new();
    for field in &fields.named {
        let mut member = Member::of(field)?;
        if options.all && member.need == Need::Required {
            member.need = Need::Optional;
        }
        if options.constructor.as_ref() == Some(member.name) {
            member.need = Need::Required;
        }
        members.push(member);
    }
    let setters = members
        .iter()
        .filter(|member| member.need == Need::Optional);
    let setters = setters.map(Member::setter);
    let new = options.constructor.map(|name| new(&name, &members));
    let name = &input.ident;
    let (generics, of, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics #name #of #bounds {
            #new
            #(#setters)*
        }
    })
}

/// The options on the struct.
#[derive(Default)]
struct Options {
    /// The name of the constructor.
    constructor: Option<Ident>,
    /// Whether every member is optional.
    all: bool,
}

impl Options {
    fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut options = Self::default();
        for attribute in attributes.iter().filter(|one| is_ours(one)) {
            attribute.parse_nested_meta(|meta| {
                let name = meta.path.require_ident()?.clone();
                if name == "all" {
                    options.all = true;
                } else if name == "new" {
                    options.constructor = Some(match meta.value() {
                        Ok(member) => member.parse()?,
                        Err(_) => name,
                    });
                } else {
                    return Err(meta.error("expected `new`, `new = member` or `all`"));
                }
                Ok(())
            })?;
        }
        Ok(options)
    }
}

fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().is_ident("setters")
}

fn new(name: &Ident, members: &[Member<'_>]) -> Tokens {
    let required = members
        .iter()
        .filter(|member| member.need == Need::Required);
    let parameters = required.map(|member| {
        let (name, (parameter, _)) = (member.name, member.parameter());
        quote!(#name: #parameter)
    });
    let values = members.iter().map(|member| {
        let name = member.name;
        let value = match (&member.need, &member.default) {
            (Need::Required, _) => member.parameter().1,
            (_, Some(default)) => quote!(#default()),
            (_, None) => quote!(::core::default::Default::default()),
        };
        quote!(#name: #value)
    });
    quote! {
        /// Creates it with its required members. Use the setters for the others.
        #[must_use]
        pub fn #name(#(#parameters),*) -> Self {
            Self { #(#values),* }
        }
    }
}

#[derive(PartialEq)]
enum Need {
    Required,
    Optional,
    Skipped,
}

struct Member<'a> {
    name: &'a Ident,
    of: &'a Type,
    docs: Vec<&'a Attribute>,
    need: Need,
    /// The function that makes serde's default.
    default: Option<syn::Path>,
}

impl<'a> Member<'a> {
    fn of(field: &'a Field) -> Result<Self> {
        let Some(name) = &field.ident else {
            return Err(Error::new(field.span(), "setters are for named members"));
        };
        let bare = unwrapped(&field.ty);
        let kind = last_segment(bare).map(|(kind, _)| kind.to_string());
        let kinds = ["Option", "Vec", "Map", "BTreeMap", "bool"];
        let mut need = match kind.is_some_and(|kind| kinds.contains(&kind.as_str())) {
            true => Need::Optional,
            false => Need::Required,
        };
        let mut default = None;
        for attribute in &field.attrs {
            if attribute.path().is_ident("serde") {
                attribute.parse_nested_meta(|meta| {
                    let is_default = meta.path.is_ident("default");
                    if is_default {
                        need = Need::Optional;
                    }
                    if let Ok(value) = meta.value() {
                        let value: syn::Lit = value.parse()?;
                        if let (true, syn::Lit::Str(path)) = (is_default, value) {
                            default = Some(path.parse()?);
                        }
                    }
                    Ok(())
                })?;
            }
        }
        for attribute in &field.attrs {
            if is_ours(attribute) {
                attribute.parse_nested_meta(|meta| {
                    need = match () {
                        () if meta.path.is_ident("required") => Need::Required,
                        () if meta.path.is_ident("optional") => Need::Optional,
                        () if meta.path.is_ident("skip") => Need::Skipped,
                        () => return Err(meta.error("expected `required`, `optional` or `skip`")),
                    };
                    Ok(())
                })?;
            }
        }
        let docs = field.attrs.iter();
        Ok(Self {
            name,
            of: bare,
            docs: docs.filter(|one| one.path().is_ident("doc")).collect(),
            need,
            default,
        })
    }

    fn setter(&self) -> Tokens {
        let (name, docs, (parameter, value)) = (self.name, &self.docs, self.parameter());
        quote! {
            #(#docs)*
            #[must_use]
            pub fn #name(mut self, #name: #parameter) -> Self {
                self.#name = #value;
                self
            }
        }
    }

    /// The type of the setter's parameter, and the member's value from it.
    fn parameter(&self) -> (Tokens, Tokens) {
        let name = self.name;
        let inside = inside(self.of, "Option");
        let (parameter, value) = given(inside.unwrap_or(self.of), name);
        match inside {
            Some(_) => (parameter, quote!(::core::option::Option::Some(#value))),
            None => (parameter, value),
        }
    }
}

/// The type of a setter's parameter `name`, and the member's value from it.
fn given(of: &Type, name: &Ident) -> (Tokens, Tokens) {
    if is_text(of) {
        let into = quote!(::core::convert::Into::into(#name));
        return (quote!(impl ::core::convert::Into<#of>), into);
    }
    let iterator = quote!(::core::iter::IntoIterator);
    match inside(of, "Vec") {
        Some(item) if is_text(item) => {
            let item = quote!(impl ::core::convert::Into<#item>);
            let each = quote!(::core::iter::Iterator::map(
                #iterator::into_iter(#name), ::core::convert::Into::into
            ));
            let all = quote!(::core::iter::Iterator::collect(#each));
            (quote!(impl #iterator<Item = #item>), all)
        }
        Some(item) => {
            let items = quote!(#iterator::into_iter(#name));
            let all = quote!(::core::iter::Iterator::collect(#items));
            (quote!(impl #iterator<Item = #item>), all)
        }
        None => (quote!(#of), quote!(#name)),
    }
}

/// Whether a value of this type is usually written as something else that becomes one.
fn is_text(of: &Type) -> bool {
    let texts = ["String", "SecretString", "Id"];
    last_segment(of).is_some_and(|(kind, _)| texts.iter().any(|text| kind == text))
}

/// The type in the angle brackets of `outer`.
fn inside<'a>(of: &'a Type, outer: &str) -> Option<&'a Type> {
    let (kind, arguments) = last_segment(of)?;
    let PathArguments::AngleBracketed(arguments) = arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(inner) if kind == outer => Some(unwrapped(inner)),
        _ => None,
    }
}

fn last_segment(of: &Type) -> Option<(&Ident, &PathArguments)> {
    let Type::Path(path) = unwrapped(of) else {
        return None;
    };
    let last = path.path.segments.last()?;
    Some((&last.ident, &last.arguments))
}

/// The type itself, if a macro has put it into a group.
fn unwrapped(of: &Type) -> &Type {
    match of {
        Type::Group(group) => unwrapped(&group.elem),
        Type::Paren(group) => unwrapped(&group.elem),
        of => of,
    }
}
