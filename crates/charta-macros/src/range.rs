//! The bounds written in `#[param(…)]` and `#[choice(…)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, LitStr, Result};

/// What the attribute of a field or variant says.
#[derive(Default)]
pub(crate) struct Declared {
    pub(crate) default: Option<Expr>,
    pub(crate) word: Option<String>,
    pub(crate) flatten: bool,
    pub(crate) title: Option<String>,
    /// A word that the field does not take, though its type has it.
    pub(crate) without: Option<String>,
    min: Option<Expr>,
    max: Option<Expr>,
    above: Option<Expr>,
    below: Option<Expr>,
}

impl Declared {
    /// Reads the attributes called `name`.
    pub(crate) fn read(attributes: &[Attribute], name: &str) -> Result<Self> {
        let mut declared = Self::default();
        for attribute in attributes.iter().filter(|a| a.path().is_ident(name)) {
            attribute.parse_nested_meta(|meta| {
                let key = meta
                    .path
                    .get_ident()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                if key == "word" {
                    declared.word = Some(meta.value()?.parse::<LitStr>()?.value());
                    return Ok(());
                }
                if key == "title" {
                    declared.title = Some(meta.value()?.parse::<LitStr>()?.value());
                    return Ok(());
                }
                if key == "without" {
                    declared.without = Some(meta.value()?.parse::<LitStr>()?.value());
                    return Ok(());
                }
                if key == "flatten" {
                    declared.flatten = true;
                    return Ok(());
                }
                let value: Expr = meta.value()?.parse()?;
                match key.as_str() {
                    "default" => declared.default = Some(value),
                    "min" => declared.min = Some(value),
                    "max" => declared.max = Some(value),
                    "above" => declared.above = Some(value),
                    "below" => declared.below = Some(value),
                    _ => {
                        return Err(meta.error(
                            "expected one of default, flatten, title, without, word, min, max, above, below",
                        ));
                    }
                }
                Ok(())
            })?;
        }
        Ok(declared)
    }

    /// The bounds as an expression of type `Range`.
    pub(crate) fn range(&self, params: &TokenStream) -> TokenStream {
        let bound = |bound: &Option<Expr>| match bound {
            Some(value) => quote!(::core::option::Option::Some((#value) as f64)),
            None => quote!(::core::option::Option::None),
        };
        let (min, max) = (bound(&self.min), bound(&self.max));
        let (above, below) = (bound(&self.above), bound(&self.below));
        quote!(#params::Range { min: #min, max: #max, above: #above, below: #below })
    }
}

/// Where the types the derives speak of are found: inside the library and outside it alike.
pub(crate) fn params_path() -> TokenStream {
    quote!(::charta::params)
}
