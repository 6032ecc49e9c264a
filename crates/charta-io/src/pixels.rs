//! One image file, decoded: PNG, JPEG and the Netpbm formats (PBM, PGM, PPM, PAM), told apart by their first bytes.

use std::io::{self, Cursor};
use std::path::Path;

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::netpbm;

/// Why an image cannot be read.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// The file could not be opened or read.
    File(io::Error),
    /// It was read, and is no image, or a broken one.
    Content(String),
}

/// The samples of an image, row by row, channels side by side.
pub(crate) struct Pixels {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha.
    pub(crate) channels: usize,
    pub(crate) samples: Samples,
}

/// Samples over the full range of their type.
pub(crate) enum Samples {
    Bytes(Vec<u8>),
    Words(Vec<u16>),
}

/// Weights of red, green and blue in brightness (ITU-R BT.709), in ten-thousandths.
const LUMA: [u32; 3] = [2126, 7152, 722];

impl Pixels {
    /// Decodes a file.
    pub(crate) fn read(path: &Path) -> Result<Self, Unreadable> {
        let bytes = std::fs::read(path).map_err(Unreadable::File)?;
        Self::decode(&bytes).map_err(Unreadable::Content)
    }

    /// Width and height of the image in a file.
    pub(crate) fn size(path: &Path) -> Result<(usize, usize), Unreadable> {
        let bytes = std::fs::read(path).map_err(Unreadable::File)?;
        let size = match Kind::of(&bytes).map_err(Unreadable::Content)? {
            Kind::Png => png_reader(&bytes).map(|reader| {
                let (width, height) = reader.info().size();
                (width as usize, height as usize)
            }),
            Kind::Jpeg => jpeg_headers(&bytes).map(|(_, size)| size),
            Kind::Netpbm => netpbm::size(&bytes),
        };
        size.map_err(Unreadable::Content)
    }

    fn decode(bytes: &[u8]) -> Result<Self, String> {
        match Kind::of(bytes)? {
            Kind::Png => decode_png(bytes),
            Kind::Jpeg => decode_jpeg(bytes),
            Kind::Netpbm => netpbm::decode(bytes),
        }
    }

    /// One byte a pixel: its brightness. Alpha is left out.
    pub(crate) fn into_grey(self) -> Vec<u8> {
        match self.samples {
            Samples::Bytes(samples) if self.channels == 1 => samples,
            Samples::Bytes(samples) => {
                let pixels = samples.chunks_exact(self.channels);
                pixels.map(|pixel| grey(pixel) as u8).collect()
            }
            Samples::Words(samples) => {
                let pixels = samples.chunks_exact(self.channels);
                pixels.map(|pixel| byte(grey(pixel) as u16)).collect()
            }
        }
    }

    /// Three bytes a pixel: red, green and blue. Alpha is left out.
    pub(crate) fn into_rgb(self) -> Vec<u8> {
        let samples = match self.samples {
            Samples::Bytes(samples) => samples,
            Samples::Words(samples) => samples.into_iter().map(byte).collect(),
        };
        if self.channels == 3 {
            return samples;
        }
        let pixels = samples.chunks_exact(self.channels);
        if self.channels < 3 {
            pixels.flat_map(|pixel| [pixel[0]; 3]).collect()
        } else {
            pixels
                .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])
                .collect()
        }
    }
}

/// The brightness of a pixel, in the range of its samples.
fn grey<S: Copy + Into<u32>>(pixel: &[S]) -> u32 {
    if pixel.len() < 3 {
        return pixel[0].into();
    }
    let shares = pixel.iter().zip(LUMA);
    shares
        .map(|(&sample, share)| sample.into() * share)
        .sum::<u32>()
        / 10_000
}

/// 16 bits to 8, rounded.
fn byte(word: u16) -> u8 {
    ((u32::from(word) + 128) / 257) as u8
}

/// The formats that are read.
enum Kind {
    Png,
    Jpeg,
    Netpbm,
}

impl Kind {
    fn of(bytes: &[u8]) -> Result<Self, String> {
        match bytes {
            [0x89, b'P', b'N', b'G', ..] => Ok(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Ok(Self::Jpeg),
            [b'P', b'1'..=b'7', ..] => Ok(Self::Netpbm),
            _ => Err("its first bytes are not those of a PNG, JPEG or Netpbm image".into()),
        }
    }
}

fn png_reader(bytes: &[u8]) -> Result<png::Reader<Cursor<&[u8]>>, String> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    // Palettes become colours, fewer than 8 bits a sample become 8.
    decoder.set_transformations(png::Transformations::EXPAND);
    decoder.read_info().map_err(|error| error.to_string())
}

fn decode_png(bytes: &[u8]) -> Result<Pixels, String> {
    let mut reader = png_reader(bytes)?;
    let size = reader
        .output_buffer_size()
        .ok_or("it is too large for the memory")?;
    let mut samples = vec![0; size];
    let frame = reader
        .next_frame(&mut samples)
        .map_err(|error| error.to_string())?;
    samples.truncate(frame.buffer_size());
    let samples = if frame.bit_depth == png::BitDepth::Sixteen {
        let words = samples.as_chunks().0.iter();
        Samples::Words(words.map(|word| u16::from_be_bytes(*word)).collect())
    } else {
        Samples::Bytes(samples)
    };
    Ok(Pixels {
        width: frame.width as usize,
        height: frame.height as usize,
        channels: frame.color_type.samples(),
        samples,
    })
}

/// The colour space of a JPEG, and width and height.
fn jpeg_headers(bytes: &[u8]) -> Result<(ColorSpace, (usize, usize)), String> {
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), jpeg_options());
    decoder
        .decode_headers()
        .map_err(|error| format!("{error:?}"))?;
    let space = decoder.input_colorspace().ok_or("it has no colour space")?;
    let size = decoder.dimensions().ok_or("it has no size")?;
    Ok((space, size))
}

fn jpeg_options() -> DecoderOptions {
    DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(usize::MAX)
        .set_max_height(usize::MAX)
}

fn decode_jpeg(bytes: &[u8]) -> Result<Pixels, String> {
    let (space, (width, height)) = jpeg_headers(bytes)?;
    let (space, channels) = match space {
        ColorSpace::Luma => (ColorSpace::Luma, 1),
        ColorSpace::LumaA => (ColorSpace::LumaA, 2),
        ColorSpace::RGBA => (ColorSpace::RGBA, 4),
        _ => (ColorSpace::RGB, 3),
    };
    let options = jpeg_options().jpeg_set_out_colorspace(space);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    let samples = decoder.decode().map_err(|error| format!("{error:?}"))?;
    if samples.len() != width * height * channels {
        return Err("it is cut short".into());
    }
    Ok(Pixels {
        width,
        height,
        channels,
        samples: Samples::Bytes(samples),
    })
}

/// Resizes an image of bytes: each new pixel is the mean of those about its place, weighted by a triangle that is as wide as
/// two new pixels, or two old ones if the image grows.
pub(crate) fn resize(
    pixels: &[u8],
    from: (usize, usize),
    to: (usize, usize),
    channels: usize,
) -> Vec<u8> {
    let ((old_height, old_width), (height, width)) = (from, to);
    let line = old_width * channels;
    let mut lines = vec![0.0_f32; height * line];
    for (weights, target) in triangles(old_height, height)
        .iter()
        .zip(lines.chunks_mut(line))
    {
        for (place, &weight) in weights.shares.iter().enumerate() {
            let source = &pixels[(weights.first + place) * line..][..line];
            for (sum, &value) in target.iter_mut().zip(source) {
                *sum += f32::from(value) * weight;
            }
        }
    }
    let columns = triangles(old_width, width);
    let mut resized = Vec::with_capacity(height * width * channels);
    for line in lines.chunks(line) {
        for weights in &columns {
            for channel in 0..channels {
                let mut sum = 0.0;
                for (place, &weight) in weights.shares.iter().enumerate() {
                    sum += line[(weights.first + place) * channels + channel] * weight;
                }
                resized.push(sum.clamp(0.0, 255.0).round() as u8);
            }
        }
    }
    resized
}

/// The old pixels, from the first on, that make up a new one, and their weights.
struct Weights {
    first: usize,
    shares: Vec<f32>,
}

fn triangles(old: usize, new: usize) -> Vec<Weights> {
    let ratio = old as f32 / new as f32;
    let reach = ratio.max(1.0);
    (0..new)
        .map(|place| {
            let middle = (place as f32 + 0.5) * ratio;
            let first = ((middle - reach).floor().max(0.0) as usize).min(old - 1);
            let end = ((middle + reach).ceil() as usize).clamp(first + 1, old);
            let share = |at: usize| {
                let away = ((at as f32 - (middle - 0.5)) / reach).abs();
                if away < 1.0 { 1.0 - away } else { 0.0 }
            };
            let mut shares: Vec<f32> = (first..end).map(share).collect();
            let sum: f32 = shares.iter().fold(0.0, |sum, share| sum + share);
            shares.iter_mut().for_each(|share| *share /= sum);
            Weights { first, shares }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(color: png::ColorType, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == png::ColorType::Indexed {
            encoder.set_palette(vec![1, 2, 3, 200, 100, 50]);
            encoder.set_trns(vec![0, 255]);
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(data).unwrap();
        drop(writer);
        bytes
    }

    #[test]
    fn every_kind_of_png_becomes_grey_and_color() {
        use png::BitDepth::{Eight, One, Sixteen};
        use png::ColorType::{Grayscale, GrayscaleAlpha, Indexed, Rgb, Rgba};
        // By hand: 0.2126 · 200 + 0.7152 · 100 + 0.0722 · 50 = 117.65.
        let cases: [(_, _, &[u8], [u8; 2], [u8; 6]); 7] = [
            (Grayscale, Eight, &[7, 9], [7, 9], [7, 7, 7, 9, 9, 9]),
            (
                Grayscale,
                One,
                &[0b0100_0000],
                [0, 255],
                [0, 0, 0, 255, 255, 255],
            ),
            (
                Grayscale,
                Sixteen,
                &[0, 128, 1, 130],
                [0, 2],
                [0, 0, 0, 2, 2, 2],
            ),
            (
                GrayscaleAlpha,
                Eight,
                &[7, 0, 9, 255],
                [7, 9],
                [7, 7, 7, 9, 9, 9],
            ),
            (
                Rgb,
                Eight,
                &[200, 100, 50, 0, 0, 0],
                [117, 0],
                [200, 100, 50, 0, 0, 0],
            ),
            (
                Rgba,
                Eight,
                &[200, 100, 50, 0, 1, 1, 1, 9],
                [117, 1],
                [200, 100, 50, 1, 1, 1],
            ),
            (Indexed, Eight, &[1, 0], [117, 1], [200, 100, 50, 1, 2, 3]),
        ];
        for (color, depth, data, grey, rgb) in cases {
            let file = png(color, depth, data);
            let pixels = || Pixels::decode(&file).unwrap();
            assert_eq!((pixels().width, pixels().height), (2, 1));
            assert_eq!(pixels().into_grey(), grey, "{color:?} {depth:?}");
            assert_eq!(pixels().into_rgb(), rgb, "{color:?} {depth:?}");
        }
    }

    #[test]
    fn resizing_keeps_flat_images_and_averages_others() {
        assert_eq!(resize(&[9; 12], (3, 4), (2, 7), 1), vec![9; 14]);
        // Halves: triangles over four pixels, cut at the edges: (3 · 0 + 3 · 40 + 80) / 7 and its mirror image.
        assert_eq!(resize(&[0, 40, 80, 120], (1, 4), (1, 2), 1), vec![29, 91]);
        assert_eq!(resize(&[0, 100], (1, 2), (1, 4), 1), vec![0, 25, 75, 100]);
    }

    #[test]
    fn what_is_no_image_is_refused() {
        assert!(Pixels::decode(b"").is_err());
        assert!(Pixels::decode(b"GIF89a").is_err());
        assert!(Pixels::decode(b"\xff\xd8\xff\xe0").is_err());
    }
}
