//! Pixels as the bytes of a PNG file.

use crate::error::Result;
use crate::raster;
use crate::scene::{Pixels, Scene};

const METRES_PER_INCH: f64 = 0.0254;

/// A scene as a picture without opacity.
pub(crate) fn scene(scene: &Scene) -> Result<Vec<u8>> {
    let canvas = raster::render(scene);
    encode(
        &canvas.rgb,
        [canvas.width, canvas.height],
        png::ColorType::Rgb,
        scene.dpi,
    )
}

/// A block of pixels with opacity.
pub(crate) fn pixels(pixels: &Pixels) -> Result<Vec<u8>> {
    encode(
        &pixels.rgba,
        [pixels.width, pixels.height],
        png::ColorType::Rgba,
        None,
    )
}

fn encode(
    bytes: &[u8],
    [width, height]: [usize; 2],
    color: png::ColorType,
    dpi: Option<u32>,
) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    if let Some(dpi) = dpi {
        let per_metre = (f64::from(dpi) / METRES_PER_INCH).round() as u32;
        encoder.set_pixel_dims(Some(png::PixelDimensions {
            xppu: per_metre,
            yppu: per_metre,
            unit: png::Unit::Meter,
        }));
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(bytes)?;
    writer.finish()?;
    Ok(file)
}

/// Reads a PNG file back: width, height and RGB.
#[cfg(test)]
pub(crate) fn decode(file: &[u8]) -> (usize, usize, Vec<crate::color::Rgb>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file))
        .read_info()
        .unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    let pixels = bytes
        .chunks(3)
        .map(|pixel| crate::color::Rgb(pixel[0], pixel[1], pixel[2]))
        .collect();
    (info.width as usize, info.height as usize, pixels)
}
