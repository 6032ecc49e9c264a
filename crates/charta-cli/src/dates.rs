//! Columns of dates: a plot coloured by one shows a scale of time, not a class for each day.

use charta_plot::seconds_of_day;

/// Fewer different dates than this stay classes.
const FEWEST: usize = 3;

/// Seconds since 1970 of each row, if the names of all classes are dates; not a number for a row without one.
pub(crate) fn of_classes(names: &[String], of_row: &[Option<u32>]) -> Option<Vec<f64>> {
    if names.len() < FEWEST {
        return None;
    }
    let times: Vec<f64> = names
        .iter()
        .map(|name| seconds(name))
        .collect::<Option<_>>()?;
    let time = |class: &Option<u32>| class.map_or(f64::NAN, |class| times[class as usize]);
    Some(of_row.iter().map(time).collect())
}

/// Seconds since 1970 in UTC of a date such as 2024-01-31, 2024/01/31, 31.01.2024 or 2024-01, perhaps with a time such as 13:05 or
/// 13:05:59 after a blank or a T.
fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let (day, time) = match text.split_once(['T', ' ']) {
        Some((day, time)) => (day, Some(time)),
        None => (text, None),
    };
    let separator = ['-', '/', '.']
        .into_iter()
        .find(|sign| day.contains(*sign))?;
    let parts: Vec<&str> = day.split(separator).collect();
    let [year, month, day] = match (separator, parts.as_slice()) {
        ('-' | '/', [year, month, day]) if year.len() == 4 => [*year, *month, *day],
        ('.', [day, month, year]) if year.len() == 4 => [*year, *month, *day],
        ('-', [year, month]) if year.len() == 4 && month.len() == 2 => [*year, *month, "1"],
        _ => return None,
    };
    let start = seconds_of_day(whole(year)?, whole(month)?, whole(day)?)?;
    Some(start + time.map_or(Some(0.0), seconds_of_time)?)
}

/// Seconds since midnight of a time such as 13:05, 13:05:59 or 13:05:59.5; a Z after it means UTC.
fn seconds_of_time(text: &str) -> Option<f64> {
    let parts: Vec<&str> = text.trim_end_matches('Z').split(':').collect();
    let (hour, minute, second) = match parts.as_slice() {
        [hour, minute] => (whole(hour)?, whole(minute)?, 0.0),
        [hour, minute, second] if second.starts_with(|sign: char| sign.is_ascii_digit()) => {
            (whole(hour)?, whole(minute)?, second.parse::<f64>().ok()?)
        }
        _ => return None,
    };
    let possible = hour < 24 && minute < 60 && (0.0..61.0).contains(&second);
    possible.then(|| (3600 * hour + 60 * minute) as f64 + second)
}

/// A number of digits alone.
fn whole(text: &str) -> Option<i64> {
    let digits = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_common_forms_are_understood_and_other_words_are_not() {
        let day = 19_753.0 * 86_400.0;
        for text in [
            "2024-01-31",
            "2024/1/31",
            "31.01.2024",
            "2024-01-31T00:00:00Z",
            "2024-01-31 00:00",
        ] {
            assert_eq!(seconds(text), Some(day), "{text}");
        }
        assert_eq!(seconds("2024-01-31 13:05:30.5"), Some(day + 47_130.5));
        assert_eq!(seconds("2024-02"), Some(day + 86_400.0));
        for text in [
            "",
            "2024",
            "1.2.3",
            "2024-02-30",
            "12-31-2024",
            "24-01-31",
            "a-b-c",
            "2024-01-31Tx",
            "2024-1",
            "10-20",
            "2024-01-31 25:00",
            "2024-01-31 10:00:inf",
            "2024-01-31 10:00:-1",
            "+202-01-01",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn few_dates_and_mixed_names_stay_classes() {
        let names = |words: &[&str]| {
            words
                .iter()
                .map(std::string::ToString::to_string)
                .collect::<Vec<_>>()
        };
        let of_row = [Some(1), None, Some(0)];
        let times = of_classes(&names(&["2024-01-01", "2024-01-02", "2024-01-03"]), &of_row);
        let times = times.unwrap();
        assert_eq!(times[0] - times[2], 86_400.0);
        assert!(times[1].is_nan());
        assert!(of_classes(&names(&["2024-01-01", "2024-01-02"]), &of_row).is_none());
        assert!(of_classes(&names(&["2024-01-01", "2024-01-02", "x"]), &of_row).is_none());
    }
}
