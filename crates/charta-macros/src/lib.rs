//! The derives behind charta's parameters.
//!
//! `#[derive(Parameters)]` turns a struct into a method's parameters: its defaults, its checks, its
//! help and its JSON all come from the fields, their doc comments and their `#[param(…)]`.
//!
//! `#[derive(Choice)]` turns an enum into the values of a parameter: a unit variant is a word, a
//! variant holding a `usize` or an `f64` is a number within the range of its `#[choice(…)]`.

mod choice;
mod message;
mod parameters;
mod range;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Derives `Parameters`, `Default`, `Serialize` and `Deserialize` from a struct's fields.
///
/// `#[param(default = …, min = …, max = …, above = …, below = …)]` states a field's default and
/// range; its doc comment is the help text. `#[param(flatten)]` takes in the parameters of another struct of
/// parameters, as if they stood here. `#[param(title = "…")]` on the struct names the group that its parameters are.
#[proc_macro_derive(Parameters, attributes(param))]
pub fn derive_parameters(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    parameters::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Derives `Value`, `Display`, `MessageArgument`, `Serialize` and `Deserialize` from an enum's variants.
///
/// A unit variant is its name in snake case, or `#[choice(word = "…")]`; a variant with one number
/// takes `#[choice(min = …, max = …, above = …, below = …)]`.
#[proc_macro_derive(Choice, attributes(choice))]
pub fn derive_choice(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    choice::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// A sentence with typed pieces, for errors and warnings: each front words the pieces for its own users.
///
/// Written like a format string. `{value}` and `{value:.1e}` are values; `{name:parameter}` names a parameter,
/// `{name=value}` a parameter with a value, `{name:setting}` with the value of the variable `name`; `{'word'}` is a word that
/// a parameter takes and `{x:value}` the value of a variable; `{:rows}`, `{:row}`, `{:columns}`, `{:column}` and `{:data}` are the
/// front's words for these, `{n:rows}` and `{n:columns}` this many of them, `{i:row}` and `{j:column}` one of them by its
/// number; `{name:method}` is a method. Names between backquotes and the words themselves do not compile.
#[proc_macro]
pub fn message(input: TokenStream) -> TokenStream {
    let sentence = parse_macro_input!(input as message::Sentence);
    message::expand(&sentence)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// The text of the doc comments among `attributes`, lines joined.
fn doc(attributes: &[syn::Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("doc")) {
        if let syn::Meta::NameValue(pair) = &attribute.meta
            && let syn::Expr::Lit(literal) = &pair.value
            && let syn::Lit::Str(text) = &literal.lit
        {
            lines.push(text.value().trim().to_string());
        }
    }
    lines.join("\n").trim().to_string()
}
