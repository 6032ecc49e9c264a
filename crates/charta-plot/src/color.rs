//! Colours and the maps from numbers to colours.

/// An opaque colour in sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rgb(pub(crate) u8, pub(crate) u8, pub(crate) u8);

pub(crate) const WHITE: Rgb = Rgb(255, 255, 255);
/// Text of titles and legends.
pub(crate) const INK: Rgb = Rgb(28, 32, 38);
/// Text of ticks and notes.
pub(crate) const QUIET: Rgb = Rgb(84, 90, 100);
/// Lines of the frame.
pub(crate) const FRAME: Rgb = Rgb(150, 156, 166);
/// Lines of the grid.
pub(crate) const GRID: Rgb = Rgb(232, 235, 239);
/// Points without a class or number.
pub(crate) const MISSING: Rgb = Rgb(176, 180, 186);

impl Rgb {
    /// The colour in the form `#rrggbb`.
    pub(crate) fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// A blend of two colours in sRGB: the fraction `share` of `other`.
    pub(crate) fn mix(self, other: Rgb, share: f64) -> Rgb {
        let blend =
            |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
        Rgb(
            blend(self.0, other.0),
            blend(self.1, other.1),
            blend(self.2, other.2),
        )
    }

    /// Red, green and blue in linear light, where colours may be averaged.
    pub(crate) fn linear(self) -> [f64; 3] {
        [self.0, self.1, self.2].map(|channel| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        })
    }

    /// The inverse of [`Rgb::linear`].
    pub(crate) fn from_linear(linear: [f64; 3]) -> Rgb {
        let [red, green, blue] = linear.map(|value| {
            let value = value.clamp(0.0, 1.0);
            let encoded = if value <= 0.003_130_8 {
                value * 12.92
            } else {
                1.055 * value.powf(1.0 / 2.4) - 0.055
            };
            (encoded * 255.0).round() as u8
        });
        Rgb(red, green, blue)
    }
}

/// Every sixteenth of the viridis map by Stéfan van der Walt and Nathaniel Smith (2015, dedicated to the public domain,
/// CC0): perceptually even, and readable with every common kind of colour blindness.
const VIRIDIS: [Rgb; 17] = [
    Rgb(68, 1, 84),
    Rgb(72, 24, 106),
    Rgb(71, 45, 123),
    Rgb(66, 64, 134),
    Rgb(59, 82, 139),
    Rgb(51, 99, 141),
    Rgb(44, 114, 142),
    Rgb(38, 130, 142),
    Rgb(33, 145, 140),
    Rgb(31, 160, 136),
    Rgb(40, 174, 128),
    Rgb(63, 188, 115),
    Rgb(94, 201, 98),
    Rgb(132, 212, 75),
    Rgb(173, 220, 48),
    Rgb(216, 226, 25),
    Rgb(253, 231, 37),
];

/// The eleven-class red–blue scheme of ColorBrewer 2.0 (Cynthia Brewer, Mark Harrower and Pennsylvania State University,
/// Apache licence 2.0), turned so that negative is blue and positive is red.
const BLUE_RED: [Rgb; 11] = [
    Rgb(5, 48, 97),
    Rgb(33, 102, 172),
    Rgb(67, 147, 195),
    Rgb(146, 197, 222),
    Rgb(209, 229, 240),
    Rgb(247, 247, 247),
    Rgb(253, 219, 199),
    Rgb(244, 165, 130),
    Rgb(214, 96, 77),
    Rgb(178, 24, 43),
    Rgb(103, 0, 31),
];

/// Colour of a number already scaled to 0 (lowest) … 1 (highest).
pub(crate) fn sequential(share: f64) -> Rgb {
    interpolate(&VIRIDIS, share)
}

/// Colour of a number already scaled to −1 … 1; zero is nearly white.
pub(crate) fn diverging(value: f64) -> Rgb {
    interpolate(&BLUE_RED, 0.5 + 0.5 * value)
}

/// The control points of the sequential map, lowest first.
pub(crate) fn sequential_stops() -> &'static [Rgb] {
    &VIRIDIS
}

fn interpolate(stops: &[Rgb], share: f64) -> Rgb {
    let place = share.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
    let below = (place.floor() as usize).min(stops.len() - 2);
    stops[below].mix(stops[below + 1], place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_hit_their_ends_and_middle() {
        assert_eq!(sequential(0.0), Rgb(68, 1, 84));
        assert_eq!(sequential(1.0), Rgb(253, 231, 37));
        assert_eq!(sequential(7.0), sequential(1.0));
        assert_eq!(diverging(0.0), Rgb(247, 247, 247));
        assert_eq!(diverging(-1.0), Rgb(5, 48, 97));
        assert_eq!(diverging(1.0), Rgb(103, 0, 31));
    }

    #[test]
    fn the_sequential_map_only_gets_lighter() {
        let lightness = |share: f64| {
            let [red, green, blue] = sequential(share).linear();
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        for step in 0..64 {
            assert!(lightness(f64::from(step) / 64.0) < lightness(f64::from(step + 1) / 64.0));
        }
    }

    #[test]
    fn linear_light_there_and_back() {
        for value in 0..=255 {
            let color = Rgb(value, 255 - value, value / 2);
            assert_eq!(Rgb::from_linear(color.linear()), color);
        }
    }
}
