//! `message!`: a sentence with typed pieces, written like a format string.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, Ident, LitStr, Result, Token};

/// What a sentence must not name itself, because every front has its own word for it.
const NOUNS: [&str; 6] = ["row", "rows", "column", "columns", "sample", "samples"];

/// The literal of a sentence and what fills its holes.
pub(crate) struct Sentence {
    literal: LitStr,
    positional: Vec<Expr>,
    named: Vec<(Ident, Expr)>,
}

impl Parse for Sentence {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let literal = input.parse()?;
        let (mut positional, mut named) = (Vec::new(), Vec::new());
        if input.parse::<Option<Token![,]>>()?.is_some() {
            for argument in Punctuated::<Argument, Token![,]>::parse_terminated(input)? {
                match argument {
                    Argument::Named(name, value) => named.push((name, value)),
                    Argument::Positional(value) => positional.push(value),
                }
            }
        }
        Ok(Self {
            literal,
            positional,
            named,
        })
    }
}

enum Argument {
    Named(Ident, Expr),
    Positional(Expr),
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.peek(Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]) {
            let name = input.parse()?;
            input.parse::<Token![=]>()?;
            return Ok(Self::Named(name, input.parse()?));
        }
        Ok(Self::Positional(input.parse()?))
    }
}

/// The message, piece by piece.
pub(crate) fn expand(sentence: &Sentence) -> Result<TokenStream> {
    let text = sentence.literal.value();
    let mut pieces = Vec::new();
    let (mut plain, mut next) = (String::new(), 0);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '{' | '}' if letters.peek() == Some(&letter) => {
                letters.next();
                plain.push(letter);
            }
            '{' => {
                let hole: String = letters
                    .by_ref()
                    .take_while(|&letter| letter != '}')
                    .collect();
                pieces.extend(sentence.plain(&mut plain)?);
                pieces.push(sentence.hole(&hole, &mut next)?);
            }
            letter => plain.push(letter),
        }
    }
    pieces.extend(sentence.plain(&mut plain)?);
    if next < sentence.positional.len() {
        return Err(sentence.wrong("an argument has no hole"));
    }
    Ok(quote!({
        #[allow(unused_imports)]
        use ::charta::error::MessageArgument as _;
        ::charta::error::Message::new() #(#pieces)*
    }))
}

impl Sentence {
    fn wrong(&self, problem: &str) -> Error {
        Error::new(self.literal.span(), problem)
    }

    fn plain(&self, text: &mut String) -> Result<Option<TokenStream>> {
        if text.is_empty() {
            return Ok(None);
        }
        if text.contains('`') {
            return Err(self.wrong(
                "a name between backquotes is a piece of its own: `{name:parameter}`, `{name=value}`, `{'word'}`, `{'name':method}`",
            ));
        }
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        if let Some(noun) = words.clone().find(|word| NOUNS.contains(word)) {
            return Err(self.wrong(&format!(
                "every front has its own word for {noun:?}: `{{:row}}`, `{{:rows}}`, `{{:column}}`, `{{:columns}}`, `{{count:rows}}`, `{{number:row}}`"
            )));
        }
        let taken = std::mem::take(text);
        Ok(Some(quote!(.text(#taken))))
    }

    /// One hole: `{value}`, `{value:.1e}`, `{name:parameter}`, `{name=word}`, `{'word'}`, `{:rows}`, `{count:rows}`,
    /// `{number:row}`.
    fn hole(&self, hole: &str, next: &mut usize) -> Result<TokenStream> {
        if let Some(name) = hole
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix("':method"))
        {
            return Ok(quote!(.method(#name)));
        }
        if let Some(word) = hole
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''))
        {
            return Ok(quote!(.word(#word)));
        }
        if let Some((name, value)) = hole.split_once('=') {
            return Ok(quote!(.setting(#name, ::charta::error::literal(#value))));
        }
        let (name, kind) = hole.split_once(':').unwrap_or((hole, ""));
        match kind {
            "parameter" => return Ok(quote!(.parameter(#name))),
            "input" => {
                let variant = Ident::new(name, self.literal.span());
                return Ok(quote!(.input(::charta::error::Input::#variant)));
            }
            "row" | "rows" | "column" | "columns" | "data" if name.is_empty() => {
                let method = Ident::new(&format!("{kind}_word"), Span::call_site());
                return Ok(quote!(.#method()));
            }
            _ => {}
        }
        let value = self.value(name, next)?;
        Ok(match kind {
            "" => quote!(.with(&(#value))),
            "setting" => quote!(.setting(#name, ::charta::error::Given::given(&(#value)))),
            "value" => quote!(.value(::charta::error::Given::given(&(#value)))),
            "method" => quote!(.method(#value)),
            "row" => quote!(.row(#value)),
            "rows" => quote!(.rows(#value)),
            "column" => quote!(.column(#value)),
            "columns" => quote!(.columns(#value)),
            format => {
                let format = format!("{{:{format}}}");
                quote!(.owned_text(format!(#format, #value)))
            }
        })
    }

    fn value(&self, name: &str, next: &mut usize) -> Result<TokenStream> {
        if name.is_empty() {
            let value = self.positional.get(*next);
            *next += 1;
            return match value {
                Some(value) => Ok(quote!(#value)),
                None => Err(self.wrong("a hole has no argument")),
            };
        }
        if let Some((_, value)) = self.named.iter().find(|(known, _)| known == name) {
            return Ok(quote!(#value));
        }
        let variable: Ident = syn::parse_str(name)
            .map_err(|_| self.wrong(&format!("{name:?} is not the name of a value")))?;
        let variable = Ident::new(&variable.to_string(), self.literal.span());
        Ok(quote!(#variable))
    }
}
