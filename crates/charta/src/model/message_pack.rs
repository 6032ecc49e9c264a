//! Reads the body of a model file: MessagePack, in which structs are maps by their fields' names.
//!
//! A type says what it expects, and only that is read for it. A reader that takes whatever comes is compiled in full for
//! every type of every model: it made up a tenth of the library's code.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

/// What is wrong with a body.
#[derive(Debug)]
pub(crate) struct Problem(String);

type Result<T> = std::result::Result<T, Problem>;

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Problem {}

impl de::Error for Problem {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// Lists within lists, at most.
const MOST_LEVELS: usize = 256;

/// The value that some bytes hold.
pub(crate) fn from_slice<T: de::DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    T::deserialize(&mut Reader {
        rest: bytes,
        levels: MOST_LEVELS,
    })
}

/// The bytes that are not read yet.
struct Reader<'de> {
    rest: &'de [u8],
    /// How much deeper values may lie.
    levels: usize,
}

/// A value, or the beginning of one that consists of others.
#[derive(Clone, Copy, Debug)]
enum Token<'de> {
    Nothing,
    Truth(bool),
    Unsigned(u64),
    Negative(i64),
    Single(f32),
    Double(f64),
    Text(&'de str),
    Bytes(&'de [u8]),
    List(usize),
    Map(usize),
}

impl<'de> Reader<'de> {
    fn bytes(&mut self, count: usize) -> Result<&'de [u8]> {
        let split = self.rest.split_at_checked(count);
        let (bytes, rest) = split.ok_or_else(|| Problem("it ends too early".into()))?;
        self.rest = rest;
        Ok(bytes)
    }

    /// A big-endian number of up to eight bytes.
    fn number(&mut self, n_bytes: usize) -> Result<u64> {
        let bytes = self.bytes(n_bytes)?.iter();
        Ok(bytes.fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn signed(&mut self, n_bytes: usize) -> Result<Token<'de>> {
        let shift = 64 - 8 * n_bytes as u32;
        let number = (self.number(n_bytes)? << shift).cast_signed() >> shift;
        Ok(match u64::try_from(number) {
            Ok(number) => Token::Unsigned(number),
            Err(_) => Token::Negative(number),
        })
    }

    fn text(&mut self, length: usize) -> Result<Token<'de>> {
        let text = str::from_utf8(self.bytes(length)?);
        text.map(Token::Text)
            .map_err(|_| Problem("a text in it is not UTF-8".into()))
    }

    fn token(&mut self) -> Result<Token<'de>> {
        let marker = self.number(1)? as u8;
        let low = |mask: u8| usize::from(marker & mask);
        Ok(match marker {
            0x00..=0x7f => Token::Unsigned(u64::from(marker)),
            0x80..=0x8f => Token::Map(low(0x0f)),
            0x90..=0x9f => Token::List(low(0x0f)),
            0xa0..=0xbf => self.text(low(0x1f))?,
            0xc0 => Token::Nothing,
            0xc2 | 0xc3 => Token::Truth(marker == 0xc3),
            0xc4..=0xc6 => {
                let length = self.number(1 << (marker - 0xc4))?;
                Token::Bytes(self.bytes(length as usize)?)
            }
            0xca => Token::Single(f32::from_bits(self.number(4)? as u32)),
            0xcb => Token::Double(f64::from_bits(self.number(8)?)),
            0xcc..=0xcf => Token::Unsigned(self.number(1 << (marker - 0xcc))?),
            0xd0..=0xd3 => self.signed(1 << (marker - 0xd0))?,
            0xd9..=0xdb => {
                let length = self.number(1 << (marker - 0xd9))?;
                self.text(length as usize)?
            }
            0xdc | 0xdd => Token::List(self.number(2 << (marker - 0xdc))? as usize),
            0xde | 0xdf => Token::Map(self.number(2 << (marker - 0xde))? as usize),
            0xe0..=0xff => Token::Negative(i64::from(marker.cast_signed())),
            _ => return Err(Problem(format!("it has a value of the kind {marker:#x}"))),
        })
    }

    fn is_nothing(&self) -> bool {
        self.rest.first() == Some(&0xc0)
    }

    /// A list's length.
    fn list(&mut self) -> Result<usize> {
        match self.token()? {
            Token::List(length) => Ok(length),
            other => Err(unexpected(other, "a list")),
        }
    }

    /// Goes past a value.
    fn skip(&mut self) -> Result<()> {
        let mut left: usize = 1;
        while left > 0 {
            left -= 1;
            left = match self.token()? {
                Token::List(count) => left.saturating_add(count),
                Token::Map(count) => left.saturating_add(count.saturating_mul(2)),
                _ => left,
            };
        }
        Ok(())
    }

    /// One level down.
    fn deeper(&mut self) -> Result<()> {
        let levels = self.levels.checked_sub(1);
        self.levels = levels.ok_or_else(|| Problem("its lists are nested too deep".into()))?;
        Ok(())
    }

    fn visit_list<V: Visitor<'de>>(&mut self, length: usize, visitor: V) -> Result<V::Value> {
        self.deeper()?;
        let value = visitor.visit_seq(Items {
            reader: self,
            left: length,
        })?;
        self.levels += 1;
        Ok(value)
    }

    fn visit_entries<V: Visitor<'de>>(&mut self, length: usize, visitor: V) -> Result<V::Value> {
        self.deeper()?;
        let value = visitor.visit_map(Items {
            reader: self,
            left: length,
        })?;
        self.levels += 1;
        Ok(value)
    }

    fn visit_number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.token()? {
            Token::Unsigned(number) => visitor.visit_u64(number),
            Token::Negative(number) => visitor.visit_i64(number),
            Token::Single(number) => visitor.visit_f32(number),
            Token::Double(number) => visitor.visit_f64(number),
            other => Err(unexpected(other, "a number")),
        }
    }

    fn visit_text<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.token()? {
            Token::Text(text) => visitor.visit_borrowed_str(text),
            other => Err(unexpected(other, "a text")),
        }
    }

    fn visit_bytes<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.token()? {
            Token::Bytes(bytes) => visitor.visit_borrowed_bytes(bytes),
            other => Err(unexpected(other, "bytes")),
        }
    }
}

fn unexpected(token: Token<'_>, wanted: &str) -> Problem {
    Problem(format!("it has {token:?} in the place of {wanted}"))
}

/// Methods that read a value in the same way.
macro_rules! alike {
    ($($method:ident)* => $visit:ident) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.$visit(visitor)
        }
    )*};
}

impl<'de> de::Deserializer<'de> for &mut Reader<'de> {
    type Error = Problem;

    alike! {
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_f32 deserialize_f64 => visit_number
    }
    alike! { deserialize_char deserialize_str deserialize_string deserialize_identifier => visit_text }
    alike! { deserialize_bytes deserialize_byte_buf => visit_bytes }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.token()? {
            Token::Nothing => visitor.visit_unit(),
            Token::Truth(truth) => visitor.visit_bool(truth),
            Token::Unsigned(number) => visitor.visit_u64(number),
            Token::Negative(number) => visitor.visit_i64(number),
            Token::Single(number) => visitor.visit_f32(number),
            Token::Double(number) => visitor.visit_f64(number),
            Token::Text(text) => visitor.visit_borrowed_str(text),
            Token::Bytes(bytes) => visitor.visit_borrowed_bytes(bytes),
            Token::List(length) => self.visit_list(length, visitor),
            Token::Map(length) => self.visit_entries(length, visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.token()? {
            Token::Truth(truth) => visitor.visit_bool(truth),
            other => Err(unexpected(other, "true or false")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.is_nothing() {
            self.skip()?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    /// A unit is nothing, a unit struct an empty list.
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.token()? {
            Token::Nothing | Token::List(0) => visitor.visit_unit(),
            other => Err(unexpected(other, "nothing")),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let length = self.list()?;
        self.visit_list(length, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.token()? {
            Token::Map(length) => self.visit_entries(length, visitor),
            other => Err(unexpected(other, "a map")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_map(visitor)
    }

    /// A variant is its name, or a map from its name to what it holds.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.token()? {
            Token::Text(name) => {
                let name: StrDeserializer<'_, Problem> = name.into_deserializer();
                visitor.visit_enum(name)
            }
            Token::Map(1) => {
                self.deeper()?;
                let value = visitor.visit_enum(Variant(self))?;
                self.levels += 1;
                Ok(value)
            }
            other => Err(unexpected(other, "one of several kinds")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.skip()?;
        visitor.visit_unit()
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! { i128 u128 }
}

/// Items of a list, or entries of a map.
struct Items<'a, 'de> {
    reader: &'a mut Reader<'de>,
    left: usize,
}

impl<'de> de::SeqAccess<'de> for Items<'_, 'de> {
    type Error = Problem;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        self.left = left;
        seed.deserialize(&mut *self.reader).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> de::MapAccess<'de> for Items<'_, 'de> {
    type Error = Problem;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        self.left = left;
        seed.deserialize(&mut *self.reader).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        seed.deserialize(&mut *self.reader)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// A variant that holds something.
struct Variant<'a, 'de>(&'a mut Reader<'de>);

impl<'de> de::EnumAccess<'de> for Variant<'_, 'de> {
    type Error = Problem;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self)> {
        let name = seed.deserialize(&mut *self.0)?;
        Ok((name, self))
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'_, 'de> {
    type Error = Problem;

    fn unit_variant(self) -> Result<()> {
        self.0.skip()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        de::Deserializer::deserialize_seq(self.0, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        de::Deserializer::deserialize_map(self.0, visitor)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        Unit,
        One(f64),
        Two(u8, String),
        Named { a: Option<i64>, b: Vec<Kind> },
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Empty;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Wrapped(u32);

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct All {
        whole: Vec<u64>,
        signed: Vec<i64>,
        single: f32,
        double: f64,
        truth: (bool, char),
        text: BTreeMap<String, Option<f64>>,
        kinds: Vec<Kind>,
        empty: Empty,
        unit: (),
        wrapped: Wrapped,
        #[serde(default)]
        later: usize,
    }

    fn example() -> All {
        let long = "ß".repeat(40_000);
        All {
            whole: vec![0, 127, 128, 255, 256, 65_535, 65_536, 1 << 32, u64::MAX],
            signed: vec![
                0,
                -1,
                -32,
                -33,
                -128,
                -129,
                -40_000,
                -(1 << 40),
                i64::MIN,
                200,
            ],
            single: 0.1,
            double: -1e300,
            truth: (true, 'ß'),
            text: [("a".into(), None), (long, Some(f64::MIN_POSITIVE))].into(),
            kinds: vec![
                Kind::Unit,
                Kind::One(f64::INFINITY),
                Kind::Two(7, "seven".into()),
                Kind::Named {
                    a: Some(-5),
                    b: vec![Kind::Unit; 20],
                },
            ],
            empty: Empty,
            unit: (),
            wrapped: Wrapped(70_000),
            later: 3,
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let bytes = rmp_serde::to_vec_named(&example()).unwrap();
        assert_eq!(from_slice::<All>(&bytes).unwrap(), example());
        let other: All = rmp_serde::from_slice(&bytes).unwrap();
        assert_eq!(other, example());
    }

    #[test]
    fn fields_may_be_missing_and_others_are_passed_over() {
        #[derive(Serialize, Deserialize, Debug)]
        struct Newer {
            more: All,
            name: String,
        }
        #[derive(Serialize, Deserialize, Debug)]
        struct Older {
            name: String,
            #[serde(default)]
            missing: Vec<f64>,
        }
        let newer = Newer {
            more: example(),
            name: "x".into(),
        };
        let bytes = rmp_serde::to_vec_named(&newer).unwrap();
        let older: Older = from_slice(&bytes).unwrap();
        assert!(older.name == "x" && older.missing.is_empty());
    }

    #[test]
    fn damage_is_an_error() {
        let bytes = rmp_serde::to_vec_named(&example()).unwrap();
        for length in (0..bytes.len()).step_by(97) {
            assert!(from_slice::<All>(&bytes[..length]).is_err());
        }
        for place in 0..200 {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x7f;
            let _ = from_slice::<All>(&damaged);
        }
        // Ten million lists within each other.
        #[derive(Deserialize, Debug)]
        struct Nested(#[expect(dead_code)] Vec<Nested>);
        let error = from_slice::<Nested>(&vec![0x91; 10_000_000]).unwrap_err();
        assert!(error.to_string().contains("too deep"), "{error}");
        let error = from_slice::<f64>(&[0xc3]).unwrap_err().to_string();
        assert_eq!(error, "it has Truth(true) in the place of a number");
    }
}
