//! The Netpbm formats: bitmaps (P1, P4), grey (P2, P5), colour (P3, P6) and arbitrary maps (P7).

use crate::pixels::{Pixels, Samples};

/// What a file's first lines say, and where its samples begin.
struct Header {
    format: u8,
    width: usize,
    height: usize,
    channels: usize,
    /// The largest value of a sample.
    most: u32,
    start: usize,
}

/// Width and height.
pub(crate) fn size(bytes: &[u8]) -> Result<(usize, usize), String> {
    let header = Header::of(bytes)?;
    Ok((header.width, header.height))
}

/// Decodes a file; samples are stretched to the whole range of 8 or 16 bits.
pub(crate) fn decode(bytes: &[u8]) -> Result<Pixels, String> {
    let header = Header::of(bytes)?;
    let count = (header.width)
        .checked_mul(header.height)
        .and_then(|count| count.checked_mul(header.channels))
        .ok_or("its size is too large")?;
    let rest = &bytes[header.start..];
    let samples = match header.format {
        b'1' => written_bits(rest, count)?,
        b'4' => packed_bits(rest, &header)?,
        b'2' | b'3' => written_numbers(rest, count)?,
        _ if header.most > 255 => {
            let words = whole(rest, count.checked_mul(2))?.as_chunks().0.iter();
            words.map(|word| u16::from_be_bytes(*word)).collect()
        }
        _ => {
            let bytes = whole(rest, Some(count))?.iter();
            bytes.map(|&byte| u16::from(byte)).collect()
        }
    };
    Ok(Pixels {
        width: header.width,
        height: header.height,
        channels: header.channels,
        samples: stretched(samples, header.most),
    })
}

impl Header {
    fn of(bytes: &[u8]) -> Result<Self, String> {
        let mut words = Words { bytes, place: 2 };
        let format = bytes.get(1).copied().unwrap_or_default();
        if format == b'7' {
            return Self::of_map(bytes);
        }
        let (width, height) = (words.number()?, words.number()?);
        let most = match format {
            b'1' | b'4' => 1,
            _ => words.number()?,
        };
        let header = Self {
            format,
            width: width as usize,
            height: height as usize,
            channels: if matches!(format, b'3' | b'6') { 3 } else { 1 },
            most,
            // One blank ends the header.
            start: (words.place + 1).min(bytes.len()),
        };
        header.checked()
    }

    /// The header of P7: a keyword and its value a line.
    fn of_map(bytes: &[u8]) -> Result<Self, String> {
        let mut header = Self {
            format: b'7',
            width: 0,
            height: 0,
            channels: 0,
            most: 0,
            start: 0,
        };
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            header.start += line.len();
            let line = String::from_utf8_lossy(line);
            let mut words = line.split_ascii_whitespace();
            let (keyword, value) = (words.next(), words.next());
            let number = || {
                let number = value.and_then(|value| value.parse().ok());
                number.ok_or_else(|| format!("its header's line {:?} has no number", line.trim()))
            };
            match keyword {
                Some("WIDTH") => header.width = number()?,
                Some("HEIGHT") => header.height = number()?,
                Some("DEPTH") => header.channels = number()?,
                Some("MAXVAL") => header.most = number()? as u32,
                Some("ENDHDR") => return header.checked(),
                _ => {}
            }
        }
        Err("its header has no end".into())
    }

    fn checked(self) -> Result<Self, String> {
        if self.width == 0 || self.height == 0 {
            return Err("its width or height is 0".into());
        }
        if !(1..=4).contains(&self.channels) {
            return Err(format!("it has {} channels", self.channels));
        }
        if !(1..=0xffff).contains(&self.most) {
            let most = self.most;
            return Err(format!("its largest sample is {most}, not 1 to 65535"));
        }
        Ok(self)
    }
}

/// The words of a header, without comments.
struct Words<'a> {
    bytes: &'a [u8],
    place: usize,
}

impl Words<'_> {
    fn number(&mut self) -> Result<u32, String> {
        while let Some(&byte) = self.bytes.get(self.place) {
            if byte == b'#' {
                let rest = &self.bytes[self.place..];
                let line = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                self.place += line.unwrap_or(rest.len());
            } else if is_blank(byte) {
                self.place += 1;
            } else {
                break;
            }
        }
        let rest = &self.bytes[self.place.min(self.bytes.len())..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.place += length;
        let digits = str::from_utf8(&rest[..length]).unwrap_or_default();
        let number = digits.parse();
        number.map_err(|_| "its header is not three numbers".into())
    }
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

fn whole(bytes: &[u8], count: Option<usize>) -> Result<&[u8], String> {
    let bytes = count.and_then(|count| bytes.get(..count));
    bytes.ok_or_else(|| "it is cut short".into())
}

/// Digits 0 (white) and 1 (black), with or without blanks between them.
fn written_bits(bytes: &[u8], count: usize) -> Result<Vec<u16>, String> {
    let digits = bytes.iter().filter(|&&byte| !is_blank(byte)).take(count);
    let bits: Vec<u16> = digits
        .map(|digit| match digit {
            b'0' => Ok(1),
            b'1' => Ok(0),
            _ => Err("there is something else than 0 and 1 among its pixels"),
        })
        .collect::<Result<_, _>>()?;
    if bits.len() < count {
        return Err("it is cut short".into());
    }
    Ok(bits)
}

/// Eight pixels a byte, each row from a byte of its own; 1 is black.
fn packed_bits(bytes: &[u8], header: &Header) -> Result<Vec<u16>, String> {
    let line = header.width.div_ceil(8);
    let bytes = whole(bytes, line.checked_mul(header.height))?;
    let rows = bytes.chunks(line);
    Ok(rows
        .flat_map(|row| {
            let bit = |column: usize| row[column / 8] >> (7 - column % 8) & 1;
            (0..header.width).map(move |column| u16::from(1 - bit(column)))
        })
        .collect())
}

fn written_numbers(bytes: &[u8], count: usize) -> Result<Vec<u16>, String> {
    let numbers = bytes.split(|&byte| is_blank(byte));
    let numbers = numbers.filter(|word| !word.is_empty()).take(count);
    let samples: Vec<u16> = numbers
        .map(|word| {
            let number = str::from_utf8(word).ok().and_then(|word| word.parse().ok());
            number.ok_or("one of its samples is no number up to 65535")
        })
        .collect::<Result<_, _>>()?;
    if samples.len() < count {
        return Err("it is cut short".into());
    }
    Ok(samples)
}

/// Samples of 0 to `most`, over the whole range of bytes or of words.
fn stretched(samples: Vec<u16>, most: u32) -> Samples {
    let range: u16 = if most > 255 { 0xffff } else { 0xff };
    let factor = f32::from(range) / most as f32;
    let stretch = |sample: u16| {
        if most == u32::from(range) {
            sample
        } else {
            (f32::from(sample) * factor).round().min(f32::from(range)) as u16
        }
    };
    let samples = samples.into_iter().map(stretch);
    if most > 255 {
        Samples::Words(samples.collect())
    } else {
        Samples::Bytes(samples.map(|sample| sample.min(255) as u8).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(file: &[u8]) -> Vec<u8> {
        decode(file).unwrap().into_grey()
    }

    #[test]
    fn every_format_is_read() {
        assert_eq!(grey(b"P1\n# two by two\n2 2\n10\n0 1\n"), [0, 255, 255, 0]);
        assert_eq!(grey(b"P4 3 2\n\xa0\x40"), [0, 255, 0, 255, 0, 255]);
        assert_eq!(grey(b"P2\n2 1\n# of 10\n10\n5 10\n"), [128, 255]);
        assert_eq!(grey(b"P5 2 1 255\n\x07\x09"), [7, 9]);
        assert_eq!(grey(b"P5 2 1 65535\n\x00\x80\x01\x82"), [0, 2]);
        assert_eq!(grey(b"P5 1 1 1000\n\x01\xf4"), [128]);
        assert_eq!(grey(b"P3 1 1 255 200 100 50"), [117]);
        let color = decode(b"P6 1 1 255\n\xc8\x64\x32").unwrap();
        assert_eq!(color.into_rgb(), [200, 100, 50]);
        let map = b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\x07\xff";
        assert_eq!(grey(map), [7]);
        assert_eq!(size(b"P5 2 1 255\n").unwrap(), (2, 1));
    }

    #[test]
    fn what_is_broken_is_refused() {
        let broken: [&[u8]; 8] = [
            b"P5 2 1 255\n\x07",
            b"P5 2 1 0\n\x07\x07",
            b"P5 2 0 255\n",
            b"P5 2 x 255\n",
            b"P5",
            b"P1 2 1 12",
            b"P2 1 1 255 99999",
            b"P7\nWIDTH 1\n",
        ];
        for file in broken {
            assert!(decode(file).is_err(), "{file:?}");
        }
    }
}
