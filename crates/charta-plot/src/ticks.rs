//! Tick marks at 1-2-5 steps, and the numbers beside them.
//!
//! A tick is kept as a whole number times a power of ten, so its label is exact: never `0.30000000000000004`.

use crate::scale::Range;

/// A tick mark.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: String,
}

/// About `wanted` ticks inside a range.
pub(crate) fn ticks(range: &Range, wanted: usize) -> Vec<Tick> {
    // Half the range, since the whole may overflow.
    let ideal_step = range.half() / (wanted.max(1) as f64 / 2.0);
    let (factor, exponent) = round_step(ideal_step);
    // The step may lie outside the numbers' range where the quotient does not.
    let per_step = |value: f64| value / factor as f64 / power_of_ten(exponent);
    // An end that is a tick stays one when the quotient is rounded.
    let (first, last) = (
        (per_step(range.low) - 1e-9).ceil() as i64,
        (per_step(range.high) + 1e-9).floor() as i64,
    );
    let digits: Vec<i64> = (first..=last).map(|number| number * factor).collect();
    let labels = labels(&digits, exponent);
    digits
        .iter()
        .zip(labels)
        .map(|(digits, label)| Tick {
            value: value(*digits, exponent),
            label,
        })
        .collect()
}

/// Ticks at whole numbers, since there is no component or iteration 2.5; the first one, at `first`, always has a tick.
pub(crate) fn whole_ticks(range: &Range, first: usize, wanted: usize) -> Vec<Tick> {
    let first = first as f64;
    let mut whole: Vec<Tick> = ticks(range, wanted)
        .into_iter()
        .filter(|tick| tick.value.fract() == 0.0 && tick.value >= first)
        .collect();
    if whole.first().is_none_or(|tick| tick.value > first) {
        // Two labels side by side need some room.
        let step = 2.0 * range.half() / wanted as f64;
        whole.retain(|tick| tick.value - first > 0.4 * step);
        let label = String::new();
        whole.insert(
            0,
            Tick {
                value: first,
                label,
            },
        );
    }
    whole
        .iter_mut()
        .for_each(|tick| tick.label = count(tick.value as usize));
    whole
}

/// Ticks inside a range of logarithms to the base of ten: at powers of ten, or between them where the range holds few.
pub(crate) fn logarithmic_ticks(range: &Range, wanted: usize) -> Vec<Tick> {
    let step = ((2.0 * range.half() / wanted as f64).round() as i32).max(1);
    let all = range.low.floor() as i32..=range.high.ceil() as i32;
    let exponents: Vec<i32> = all.filter(|exponent| exponent % step == 0).collect();
    let found = |digits: &[i64]| -> Vec<Tick> {
        let tick = |exponent: i32, digit: i64| Tick {
            value: f64::from(exponent) + (digit as f64).log10(),
            label: power_label(digit, exponent),
        };
        exponents
            .iter()
            .flat_map(|exponent| digits.iter().map(|digit| tick(*exponent, *digit)))
            .filter(|tick| tick.value >= range.low && tick.value <= range.high)
            .collect()
    };
    let powers = found(&[1]);
    let some = found(&[1, 2, 5]);
    if powers.len() > 3 || step > 1 {
        return powers;
    }
    if some.len() > 1 {
        return some;
    }
    // Less than a power apart: ticks of the values themselves.
    let values = Range {
        low: 10_f64.powf(range.low),
        high: 10_f64.powf(range.high),
    };
    // Rounding may have left no numbers between the ends.
    let narrow = values.half() <= 1e-10 * values.high || values.high < 1e-300;
    if narrow || !values.high.is_finite() {
        return some;
    }
    let logarithm = |tick: Tick| Tick {
        value: tick.value.log10(),
        ..tick
    };
    ticks(&values, wanted).into_iter().map(logarithm).collect()
}

fn power_label(digit: i64, exponent: i32) -> String {
    match (digit, exponent) {
        (digit, 0..=4) => decimal(digit * 10_i64.pow(exponent as u32), 0),
        (digit, -3..0) => decimal(digit, exponent.unsigned_abs() as usize),
        (1, exponent) => format!("10{}", superscript(exponent)),
        (digit, exponent) => format!("{digit}×10{}", superscript(exponent)),
    }
}

/// The step of 1, 2 or 5 times a power of ten that is nearest by ratio, as factor and exponent.
fn round_step(ideal: f64) -> (i64, i32) {
    let exponent = ideal.log10().floor() as i32;
    match ideal / power_of_ten(exponent) {
        leading if leading < 2_f64.sqrt() => (1, exponent),
        leading if leading < 10_f64.sqrt() => (2, exponent),
        leading if leading < 50_f64.sqrt() => (5, exponent),
        _ => (1, exponent + 1),
    }
}

/// Parsing rounds correctly and reaches the smallest numbers, which `powi` does not.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(0.0)
}

fn value(digits: i64, exponent: i32) -> f64 {
    format!("{digits}e{exponent}").parse().unwrap_or(0.0)
}

/// Labels of numbers `digits × 10^exponent`, all in the same form: plain, or scientific with one common power.
fn labels(digits: &[i64], exponent: i32) -> Vec<String> {
    let largest = digits
        .iter()
        .map(|digits| digits.unsigned_abs())
        .max()
        .unwrap_or(0);
    let top = largest.max(1).ilog10() as i32 + exponent;
    let plain = top <= 6 && exponent >= -5;
    let label = |digits: i64| match (digits, plain) {
        (0, _) => "0".to_owned(),
        (_, true) if exponent >= 0 => decimal(digits * 10_i64.pow(exponent as u32), 0),
        (_, true) => decimal(digits, -exponent as usize),
        (_, false) => format!(
            "{}×10{}",
            decimal(digits, (top - exponent) as usize),
            superscript(top)
        ),
    };
    digits.iter().map(|digits| label(*digits)).collect()
}

/// `digits / 10^decimals`, with commas between thousands from 10,000 on and a true minus sign.
fn decimal(digits: i64, decimals: usize) -> String {
    let padded = format!("{:0>width$}", digits.unsigned_abs(), width = decimals + 1);
    let (whole, fraction) = padded.split_at(padded.len() - decimals);
    let point = if decimals > 0 { "." } else { "" };
    let sign = if digits < 0 { "−" } else { "" };
    format!("{sign}{}{point}{fraction}", grouped(whole))
}

fn grouped(whole: &str) -> String {
    let mut text = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && whole.len() >= 5 && (whole.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Numbers to be written beside each other, rounded to three digits of the largest one: all with the same decimals, or
/// all scientific where those would be too long. A number that is not finite stays empty.
pub(crate) fn rounded(values: &[f64]) -> Vec<String> {
    let finite = values.iter().filter(|value| value.is_finite());
    let largest = finite.fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let top = if largest > 0.0 {
        largest.log10().floor() as i32
    } else {
        0
    };
    let write = |value: f64| match value {
        value if !value.is_finite() => String::new(),
        value if (-4..=6).contains(&top) => {
            let decimals = (2 - top).clamp(0, 6) as usize;
            let scale = 10_f64.powi(decimals as i32);
            decimal((value * scale).round() as i64, decimals)
        }
        value => scientific(value),
    };
    values.iter().map(|value| write(*value)).collect()
}

fn scientific(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{value:.2e}").replace('-', "−");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent = exponent.replace('−', "-").parse().unwrap_or(0);
    format!("{digits}×10{}", superscript(exponent))
}

/// A count for a note, such as `1,000,000`.
pub(crate) fn count(number: usize) -> String {
    let digits = number.to_string();
    let ends = (0..digits.len()).rev().step_by(3);
    let starts = ends.map(|last| last.saturating_sub(2)..=last);
    let mut groups: Vec<&str> = starts.map(|group| &digits[group]).collect();
    groups.reverse();
    groups.join(",")
}

fn superscript(number: i32) -> String {
    let raised = |digit: char| match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
    };
    number.to_string().chars().map(raised).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels_of(low: f64, high: f64, wanted: usize) -> Vec<String> {
        ticks(&Range { low, high }, wanted)
            .into_iter()
            .map(|tick| tick.label)
            .collect()
    }

    #[test]
    fn steps_are_round_and_labels_exact() {
        assert_eq!(
            labels_of(0.0, 1.0, 5),
            ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(
            labels_of(-0.35, 0.35, 8),
            ["−0.3", "−0.2", "−0.1", "0", "0.1", "0.2", "0.3"]
        );
        assert_eq!(
            labels_of(-12.0, 41.0, 6),
            ["−10", "0", "10", "20", "30", "40"]
        );
        assert_eq!(
            labels_of(0.0, 23_000.0, 5),
            ["0", "5000", "10,000", "15,000", "20,000"]
        );
        assert_eq!(
            labels_of(0.0, 1.05e-3, 5),
            ["0", "0.0002", "0.0004", "0.0006", "0.0008", "0.0010"]
        );
        assert_eq!(
            ticks(
                &Range {
                    low: 0.0,
                    high: 0.5
                },
                5
            )[3]
            .value,
            0.3
        );
    }

    #[test]
    fn far_scales_become_scientific() {
        assert_eq!(labels_of(0.0, 1e9, 2), ["0", "0.5×10⁹", "1.0×10⁹"]);
        assert_eq!(
            labels_of(-2e-12, 2e-12, 4),
            ["−2×10⁻¹²", "−1×10⁻¹²", "0", "1×10⁻¹²", "2×10⁻¹²"]
        );
        assert_eq!(labels_of(1_000_000.0, 1_000_000.4, 4)[1], "1,000,000.1");
    }

    #[test]
    fn steps_are_1_2_or_5_and_the_count_is_near_the_wish() {
        for scale in [1e-300, 1e-7, 1.0, 3.3, 47.0, 1e12, 1e300] {
            for low in [-1.0, 0.0, 0.3] {
                let range = Range {
                    low: low * scale,
                    high: scale,
                };
                let found = ticks(&range, 6);
                assert!((3..=10).contains(&found.len()), "{range:?}: {found:?}");
                let step = found[1].value / scale - found[0].value / scale;
                assert!(found.windows(2).all(|pair| {
                    (pair[1].value / scale - pair[0].value / scale - step).abs()
                        < 1e-9 * step.abs().max(1.0)
                }));
                assert!(
                    found
                        .iter()
                        .all(|tick| tick.value >= range.low && tick.value <= range.high)
                );
            }
        }
    }

    #[test]
    fn the_whole_range_of_numbers_has_ticks() {
        assert!(
            ticks(
                &Range {
                    low: -f64::MAX,
                    high: f64::MAX
                },
                6
            )
            .len()
                >= 3
        );
    }

    #[test]
    fn numbers_beside_each_other_have_the_same_form() {
        assert_eq!(
            rounded(&[0.98765, 0.5, -0.0004]),
            ["0.988", "0.500", "0.000"]
        );
        assert_eq!(rounded(&[12.34, -5.0, f64::NAN]), ["12.3", "−5.0", ""]);
        assert_eq!(rounded(&[1_234_567.0, 0.4]), ["1,234,567", "0"]);
        assert_eq!(
            rounded(&[1.5e9, 0.0, -2e-3]),
            ["1.50×10⁹", "0", "−2.00×10⁻³"]
        );
        assert_eq!(rounded(&[0.0, 0.0]), ["0.00", "0.00"]);
        assert_eq!(rounded(&[f64::MAX, 5e-324]), ["1.80×10³⁰⁸", "4.94×10⁻³²⁴"]);
    }

    #[test]
    fn logarithmic_ticks_are_powers_or_lie_between_them() {
        let labels_of = |low: f64, high: f64| -> Vec<String> {
            let range = Range { low, high };
            let found = logarithmic_ticks(&range, 6);
            assert!(
                found
                    .iter()
                    .all(|tick| tick.value >= low && tick.value <= high)
            );
            found.into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels_of(-2.1, 2.1), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(labels_of(0.0, 1.0), ["1", "2", "5", "10"]);
        assert_eq!(labels_of(-24.5, -1.0)[0], "10⁻²⁴");
        assert_eq!(labels_of(-24.5, -1.0).len(), 6);
        assert_eq!(
            labels_of(3.0_f64.log10(), 3.4_f64.log10())[..2],
            ["3.00", "3.05"]
        );
        assert!(labels_of(-323.0, 308.2).len() > 3);
    }

    #[test]
    fn ticks_are_whole_and_begin_at_one() {
        let values = |n: f64, wanted| {
            whole_ticks(
                &Range {
                    low: 0.5,
                    high: n + 0.5,
                },
                1,
                wanted,
            )
            .iter()
            .map(|tick| tick.value)
            .collect::<Vec<_>>()
        };
        assert_eq!(values(4.0, 12), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(values(20.0, 4), [1.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(values(1.0, 5), [1.0]);
    }

    #[test]
    fn counts_have_commas() {
        assert_eq!(
            [count(7), count(1234), count(12_345), count(1_000_000)],
            ["7", "1,234", "12,345", "1,000,000"]
        );
    }
}
