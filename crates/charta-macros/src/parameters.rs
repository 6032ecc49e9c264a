//! `#[derive(Parameters)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, Result};

use crate::doc;
use crate::range::{Declared, params_path};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(
            input,
            "Parameters is derived for structs",
        ));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(input, "Parameters needs named fields"));
    };
    let fields: Vec<Parameter<'_>> = fields
        .named
        .iter()
        .map(Parameter::read)
        .collect::<Result<_>>()?;
    let struct_name = &input.ident;
    let default = default_impl(struct_name, &fields);
    let title = Declared::read(&input.attrs, "param")?.title;
    let parameters = parameters_impl(struct_name, title.as_deref(), &fields, &module_doc());
    let serde = serde_impls(struct_name);
    Ok(quote!(#default #parameters #serde))
}

/// The doc comment at the head of the file that the struct stands in; empty where the file cannot be read, as in an editor.
fn module_doc() -> String {
    let source = proc_macro::Span::call_site()
        .local_file()
        .and_then(|path| std::fs::read_to_string(path).ok())
        .unwrap_or_default();
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines: Vec<&str> = lines
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    lines.join("\n")
}

struct Parameter<'a> {
    name: &'a Ident,
    field: &'a Field,
    declared: Declared,
    doc: String,
}

impl<'a> Parameter<'a> {
    fn read(field: &'a Field) -> Result<Self> {
        let Some(name) = &field.ident else {
            return Err(Error::new_spanned(field, "a parameter needs a name"));
        };
        let doc = doc(&field.attrs);
        if doc.is_empty() {
            return Err(Error::new_spanned(
                field,
                "a parameter needs a doc comment: it is the help text",
            ));
        }
        let declared = Declared::read(&field.attrs, "param")?;
        Ok(Self {
            name,
            field,
            declared,
            doc,
        })
    }

    fn default(&self) -> TokenStream {
        match &self.declared.default {
            Some(value) => quote!(#value),
            None => quote!(::core::default::Default::default()),
        }
    }
}

impl Parameter<'_> {
    /// Adds what the fronts see of the field to `specs`: one spec, or those of a whole group, with the
    /// defaults that the struct gives the group.
    fn specs(&self, params: &TokenStream) -> TokenStream {
        let (ident, kind) = (self.name, &self.field.ty);
        let without = self.declared.without.iter();
        let without = quote!(#(.without(#without))*);
        if self.declared.flatten {
            return quote! {
                for spec in <#kind as #params::Parameters>::specs() {
                    let given = #params::Parameters::get(&default.#ident, spec.name);
                    specs.push(#params::Spec {
                        default: given.unwrap_or(spec.default),
                        kind: spec.kind #without,
                        ..spec
                    });
                }
            };
        }
        let (name, doc, range) = (
            self.name.to_string(),
            &self.doc,
            self.declared.range(params),
        );
        quote! {
            specs.push(#params::Spec {
                name: #name,
                doc: #doc,
                kind: <#kind as #params::Value>::kind().within(#range) #without,
                default: #params::Value::to_json(&default.#ident),
                group: ::core::option::Option::None,
            });
        }
    }
}

fn default_impl(struct_name: &Ident, fields: &[Parameter<'_>]) -> TokenStream {
    let values = fields.iter().map(|field| {
        let (name, default) = (field.name, field.default());
        quote!(#name: #default)
    });
    quote! {
        impl ::core::default::Default for #struct_name {
            fn default() -> Self {
                Self { #(#values),* }
            }
        }
    }
}

fn parameters_impl(
    struct_name: &Ident,
    title: Option<&str>,
    fields: &[Parameter<'_>],
    module_doc: &str,
) -> TokenStream {
    let params = params_path();
    let grouped = title.map(|title| {
        quote! {
            for spec in &mut specs {
                spec.group = ::core::option::Option::Some(#title);
            }
        }
    });
    let specs = fields.iter().map(|field| field.specs(&params));
    let (groups, single): (Vec<_>, Vec<_>) =
        fields.iter().partition(|field| field.declared.flatten);
    let gets = single.iter().map(|field| {
        let (ident, name) = (field.name, field.name.to_string());
        quote!(#name => ::core::option::Option::Some(#params::Value::to_json(&self.#ident)))
    });
    let group_gets = groups.iter().map(|field| {
        let ident = field.name;
        quote!(.or_else(|| #params::Parameters::get(&self.#ident, name)))
    });
    let sets = single.iter().map(|field| {
        let (ident, name) = (field.name, field.name.to_string());
        quote! {
            #name => match #params::Value::from_json(value) {
                ::core::option::Option::Some(value) => { self.#ident = value; true }
                ::core::option::Option::None => false,
            }
        }
    });
    let group_sets = groups.iter().map(|field| {
        let ident = field.name;
        quote!(|| #params::Parameters::put(&mut self.#ident, name, value))
    });
    quote! {
        impl #params::Parameters for #struct_name {
            fn specs() -> ::std::vec::Vec<#params::Spec> {
                let default = <Self as ::core::default::Default>::default();
                let mut specs = ::std::vec::Vec::new();
                #(#specs)*
                #grouped
                specs
            }

            fn module_doc() -> &'static str {
                #module_doc
            }

            fn get(&self, name: &str) -> ::core::option::Option<#params::Json> {
                let own = match name {
                    #(#gets,)*
                    _ => ::core::option::Option::None,
                };
                own #(#group_gets)*
            }

            fn put(&mut self, name: &str, value: &#params::Json) -> bool {
                let own = match name {
                    #(#sets,)*
                    _ => false,
                };
                own #(#group_sets)*
            }
        }
    }
}

fn serde_impls(struct_name: &Ident) -> TokenStream {
    let params = params_path();
    quote! {
        impl #params::serde::Serialize for #struct_name {
            fn serialize<S: #params::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                #params::serde::Serialize::serialize(
                    &#params::Parameters::to_json(self),
                    serializer,
                )
            }
        }

        impl<'de> #params::serde::Deserialize<'de> for #struct_name {
            fn deserialize<D: #params::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                let value =
                    <#params::Json as #params::serde::Deserialize>::deserialize(deserializer)?;
                <Self as #params::Parameters>::from_json(&value)
                    .map_err(<D::Error as #params::serde::de::Error>::custom)
            }
        }
    }
}
