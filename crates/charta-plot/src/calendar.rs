//! Days of the Gregorian calendar, as seconds since the beginning of 1970 in UTC, and ticks at round dates.

use crate::scale::Range;
use crate::ticks::{Tick, ticks};

/// Seconds of a day.
const DAY: i64 = 86_400;
/// The dates that have ticks of their own: those of the years 0 to 9999.
const FIRST: f64 = -62_167_219_200.0;
const LAST: f64 = 253_402_300_800.0;
/// Steps of ticks within a day, in seconds, and within a month, in days.
const SECONDS: [i64; 13] = [
    1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 10_800, 21_600,
];
const DAYS: [i64; 4] = [1, 2, 5, 10];
/// Steps in months.
const MONTHS: [i64; 3] = [1, 3, 6];
/// Days of a month and of a year on average.
const MONTH: f64 = 30.44;
const YEAR: f64 = 365.25;

/// Seconds from the beginning of 1970 to the beginning of a day, in UTC; `None` if there is no such day in the years 0 to 9999.
///
/// ```
/// assert_eq!(charta_plot::seconds_of_day(1970, 1, 2), Some(86_400.0));
/// assert_eq!(charta_plot::seconds_of_day(2023, 2, 29), None);
/// ```
pub fn seconds_of_day(year: i64, month: i64, day: i64) -> Option<f64> {
    if !(0..=9999).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    let (next_year, next_month) = if month == 12 {
        (year + 1, 1)
    } else {
        (year, month + 1)
    };
    let first = days(year, month, 1);
    let length = days(next_year, next_month, 1) - first;
    (1..=length)
        .contains(&day)
        .then(|| ((first + day - 1) * DAY) as f64)
}

/// Days since the beginning of 1970. Years are counted from March, so that leap days end them.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let from_march = (month + 9) % 12;
    let year = year - i64::from(month < 3);
    // The lengths of months from March on follow this line, rounded down.
    let in_year = (153 * from_march + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + in_year - 719_468
}

/// Year, month and day of a number of days since the beginning of 1970.
fn date(days_since: i64) -> [i64; 3] {
    // The mean year is never further than a year off.
    let mut year = 1970 + (days_since as f64 / YEAR).floor() as i64;
    while days(year, 1, 1) > days_since {
        year -= 1;
    }
    while days(year + 1, 1, 1) <= days_since {
        year += 1;
    }
    let month = (1..=12)
        .rev()
        .find(|month| days(year, *month, 1) <= days_since);
    let month = month.unwrap_or(1);
    [year, month, days_since - days(year, month, 1) + 1]
}

/// The distance of ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Seconds(i64),
    Days(i64),
    Months(i64),
    Years(i64),
}

/// About `wanted` ticks at round times inside a range of seconds since 1970; ticks at round numbers where these are no dates.
pub(crate) fn date_ticks(range: &Range, wanted: usize) -> Vec<Tick> {
    if range.low < FIRST || range.high > LAST {
        return ticks(range, wanted);
    }
    let ideal = 2.0 * range.half() / wanted.max(1) as f64;
    if ideal < 1.0 {
        return ticks(range, wanted);
    }
    let step = step(0.75 * ideal);
    let (first, last) = (range.low.ceil() as i64, range.high.floor() as i64);
    let days_shown = first.div_euclid(DAY)..=last.div_euclid(DAY);
    let years = date(*days_shown.start())[0]..=date(*days_shown.end())[0];
    let moments: Vec<i64> = match step {
        Step::Seconds(step) => (first.div_euclid(step)..=last.div_euclid(step))
            .map(|number| number * step)
            .collect(),
        Step::Days(step) => days_shown
            .filter(|day| {
                let [_, _, number] = date(*day);
                // No tick just before the first of the next month.
                (number - 1) % step == 0 && (step < 3 || number + step / 2 < 31)
            })
            .map(|day| day * DAY)
            .collect(),
        Step::Months(step) => years
            .flat_map(|year| (1..=12).map(move |month| (year, month)))
            .filter(|(_, month)| (month - 1) % step == 0)
            .map(|(year, month)| days(year, month, 1) * DAY)
            .collect(),
        Step::Years(step) => years
            .filter(|year| year % step == 0)
            .map(|year| days(year, 1, 1) * DAY)
            .collect(),
    };
    let inside = moments.into_iter().filter(|at| (first..=last).contains(at));
    inside
        .map(|at| Tick {
            value: at as f64,
            label: label(at, step),
        })
        .collect()
}

/// The shortest step of at least so many seconds.
fn step(least: f64) -> Step {
    let day = DAY as f64;
    if let Some(seconds) = SECONDS.iter().find(|step| **step as f64 >= least) {
        return Step::Seconds(*seconds);
    }
    if let Some(days) = DAYS.iter().find(|step| **step as f64 * day >= least) {
        return Step::Days(*days);
    }
    if let Some(months) = MONTHS
        .iter()
        .find(|step| **step as f64 * MONTH * day >= least)
    {
        return Step::Months(*months);
    }
    let years = (0..).flat_map(|power| [1, 2, 5].map(|factor| factor * 10_i64.pow(power)));
    let mut long = years.skip_while(|years| (*years as f64) * YEAR * day < least);
    Step::Years(long.next().unwrap_or(1))
}

fn label(at: i64, step: Step) -> String {
    let [year, month, day] = date(at.div_euclid(DAY));
    let seconds = at.rem_euclid(DAY);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match step {
        Step::Seconds(step) if step < 60 => format!("{hour:02}:{minute:02}:{second:02}"),
        Step::Seconds(_) => format!("{month:02}-{day:02} {hour:02}:{minute:02}"),
        Step::Days(_) => format!("{year:04}-{month:02}-{day:02}"),
        Step::Months(_) => format!("{year:04}-{month:02}"),
        Step::Years(_) => format!("{year:04}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar_and_lead_back() {
        assert_eq!(days(1970, 1, 1), 0);
        assert_eq!(days(2000, 3, 1), 11_017);
        assert_eq!(days(1969, 12, 31), -1);
        assert_eq!(days(1900, 3, 1) - days(1900, 2, 28), 1);
        assert_eq!(days(2000, 3, 1) - days(2000, 2, 28), 2);
        for day in (-800_000..3_000_000).step_by(97) {
            let [year, month, number] = date(day);
            assert_eq!(days(year, month, number), day);
        }
        assert_eq!(seconds_of_day(0, 1, 1), Some(FIRST));
        assert_eq!(seconds_of_day(9999, 12, 31), Some(LAST - DAY as f64));
        for (year, month, day) in [
            (2024, 2, 30),
            (2024, 13, 1),
            (2024, 0, 1),
            (10_000, 1, 1),
            (2024, 4, 0),
        ] {
            assert_eq!(seconds_of_day(year, month, day), None);
        }
    }

    fn labels(from: (i64, i64, i64), seconds: f64) -> Vec<String> {
        let low = seconds_of_day(from.0, from.1, from.2).unwrap();
        let range = Range {
            low,
            high: low + seconds,
        };
        date_ticks(&range, 6)
            .into_iter()
            .map(|tick| tick.label)
            .collect()
    }

    #[test]
    fn ticks_lie_at_round_dates() {
        let day = DAY as f64;
        let year = labels((2024, 1, 1), 365.0 * day);
        assert_eq!(year, ["2024-01", "2024-04", "2024-07", "2024-10"]);
        let decades = labels((1950, 6, 1), 60.0 * YEAR * day);
        assert_eq!(decades, ["1960", "1970", "1980", "1990", "2000", "2010"]);
        let weeks = labels((2024, 2, 20), 30.0 * day);
        let expected = [
            "02-21", "02-26", "03-01", "03-06", "03-11", "03-16", "03-21",
        ];
        assert_eq!(weeks, expected.map(|day| format!("2024-{day}")));
        assert_eq!(
            labels((2024, 2, 28), 2.0 * day)[..2],
            ["02-28 00:00", "02-28 06:00"]
        );
        assert_eq!(labels((2024, 2, 28), 30.0)[..2], ["00:00:00", "00:00:05"]);
    }

    #[test]
    fn any_range_has_few_ticks() {
        for (low, high) in [
            (0.0, 1e-3),
            (-1e300, 1e300),
            (FIRST, LAST),
            (1.7e9, 1.7e9 + 1.0),
            (1e6, 5e8),
            (2e11, 3e11),
        ] {
            for wanted in [2, 6, 12] {
                let found = date_ticks(&Range { low, high }, wanted).len();
                assert!(found <= 3 * wanted, "{low} {high}: {found}");
            }
        }
    }
}
