//! `#[derive(Choice)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Ident, Result, Type, Variant};

use crate::doc;
use crate::range::{Declared, params_path};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(input, "Choice is derived for enums"));
    };
    let alternatives: Vec<Alternative<'_>> = data
        .variants
        .iter()
        .map(Alternative::read)
        .collect::<Result<_>>()?;
    let name = &input.ident;
    let value = value_impl(name, &alternatives);
    let serde = serde_impls(name);
    Ok(quote!(#value #serde))
}

/// What a variant stands for.
enum Form<'a> {
    Word(String),
    Whole(&'a Type),
    Number(&'a Type),
    Numbers(&'a Type),
}

struct Alternative<'a> {
    name: &'a Ident,
    form: Form<'a>,
    declared: Declared,
    doc: String,
}

impl<'a> Alternative<'a> {
    fn read(variant: &'a Variant) -> Result<Self> {
        let doc = doc(&variant.attrs);
        if doc.is_empty() {
            return Err(Error::new_spanned(
                variant,
                "a choice needs a doc comment: it is the help text",
            ));
        }
        let declared = Declared::read(&variant.attrs, "choice")?;
        let form = match &variant.fields {
            Fields::Unit => Form::Word(
                declared
                    .word
                    .clone()
                    .unwrap_or_else(|| snake_case(&variant.ident.to_string())),
            ),
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => number(&fields.unnamed[0].ty)?,
            _ => {
                return Err(Error::new_spanned(
                    variant,
                    "a choice is a word, or holds one usize, u64, f64 or Vec<f64>",
                ));
            }
        };
        Ok(Self {
            name: &variant.ident,
            form,
            declared,
            doc,
        })
    }

    fn described(&self, params: &TokenStream) -> TokenStream {
        let doc = &self.doc;
        let range = self.declared.range(params);
        let form = match &self.form {
            Form::Word(word) => quote!(#params::Form::Word(#word)),
            Form::Whole(_) => quote!(#params::Form::Whole(#range)),
            Form::Number(_) => quote!(#params::Form::Number(#range)),
            Form::Numbers(_) => quote!(#params::Form::Numbers(#range)),
        };
        quote!(#params::Alternative { form: #form, doc: #doc })
    }

    fn writing(&self, params: &TokenStream) -> TokenStream {
        let name = self.name;
        match &self.form {
            Form::Word(word) => quote!(Self::#name => #params::Json::from(#word)),
            Form::Whole(_) | Form::Number(_) | Form::Numbers(_) => {
                quote!(Self::#name(value) => #params::Value::to_json(value))
            }
        }
    }

    fn reading(&self, params: &TokenStream) -> TokenStream {
        let name = self.name;
        match &self.form {
            Form::Word(word) => quote! {
                if #params::is_word(value, #word) {
                    return ::core::option::Option::Some(Self::#name);
                }
            },
            Form::Whole(kind) | Form::Number(kind) => {
                let range = self.declared.range(params);
                quote! {
                    if let ::core::option::Option::Some(number) =
                        <#kind as #params::Value>::from_json(value)
                        && (#range).contains(number as f64)
                    {
                        return ::core::option::Option::Some(Self::#name(number));
                    }
                }
            }
            Form::Numbers(kind) => {
                let range = self.declared.range(params);
                quote! {
                    if let ::core::option::Option::Some(numbers) =
                        <#kind as #params::Value>::from_json(value)
                        && numbers.iter().all(|number| (#range).contains(*number))
                    {
                        return ::core::option::Option::Some(Self::#name(numbers));
                    }
                }
            }
        }
    }
}

fn number(kind: &Type) -> Result<Form<'_>> {
    if let Type::Path(path) = kind
        && let Some(ident) = path.path.get_ident()
    {
        if ident == "usize" || ident == "u64" {
            return Ok(Form::Whole(kind));
        }
        if ident == "f64" {
            return Ok(Form::Number(kind));
        }
    }
    if is_vector_of_numbers(kind) {
        return Ok(Form::Numbers(kind));
    }
    Err(Error::new_spanned(
        kind,
        "expected usize, u64, f64 or Vec<f64>",
    ))
}

fn is_vector_of_numbers(kind: &Type) -> bool {
    let vector: Type = syn::parse_quote!(Vec<f64>);
    quote!(#kind).to_string() == quote!(#vector).to_string()
}

fn snake_case(name: &str) -> String {
    let mut word = String::new();
    for (place, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && place > 0 {
            word.push('_');
        }
        word.extend(letter.to_lowercase());
    }
    word
}

fn value_impl(name: &Ident, alternatives: &[Alternative<'_>]) -> TokenStream {
    let params = params_path();
    let described = alternatives.iter().map(|a| a.described(&params));
    let to_json = alternatives.iter().map(|a| a.writing(&params));
    // Whole numbers before others: 1 is a count, 0.5 is not.
    let whole_first = alternatives
        .iter()
        .filter(|a| matches!(a.form, Form::Whole(_)))
        .chain(
            alternatives
                .iter()
                .filter(|a| !matches!(a.form, Form::Whole(_))),
        );
    let from_json = whole_first.map(|a| a.reading(&params));
    quote! {
        impl #params::Value for #name {
            fn kind() -> #params::Kind {
                #params::Kind::Choice(::std::vec![#(#described),*])
            }

            fn to_json(&self) -> #params::Json {
                match self {
                    #(#to_json,)*
                }
            }

            fn from_json(value: &#params::Json) -> ::core::option::Option<Self> {
                #(#from_json)*
                ::core::option::Option::None
            }
        }

        impl ::charta::error::MessageArgument for #name {
            fn pieces(&self) -> ::std::vec::Vec<::charta::error::Piece> {
                ::charta::error::MessageArgument::pieces(&::std::string::ToString::to_string(self))
            }
        }

        impl ::core::fmt::Display for #name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(&#params::show(&#params::Value::to_json(self)))
            }
        }
    }
}

fn serde_impls(name: &Ident) -> TokenStream {
    let params = params_path();
    quote! {
        impl #params::serde::Serialize for #name {
            fn serialize<S: #params::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                #params::serde::Serialize::serialize(&#params::Value::to_json(self), serializer)
            }
        }

        impl<'de> #params::serde::Deserialize<'de> for #name {
            fn deserialize<D: #params::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                let value =
                    <#params::Json as #params::serde::Deserialize>::deserialize(deserializer)?;
                <Self as #params::Value>::from_json(&value).ok_or_else(|| {
                    <D::Error as #params::serde::de::Error>::custom(#params::show(&value))
                })
            }
        }
    }
}
