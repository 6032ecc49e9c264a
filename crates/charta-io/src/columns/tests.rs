use super::*;

fn columns() -> Vec<Column> {
    [
        ("a_1", true),
        ("a_2", true),
        ("b", true),
        ("species", false),
        ("b", true),
    ]
    .map(|(name, number)| Column {
        name: Some(name.into()),
        kind: if number {
            ColumnKind::Number
        } else {
            ColumnKind::Text
        },
    })
    .to_vec()
}

fn chosen(requests: &[&str]) -> Result<Vec<usize>> {
    let options = ReadOptions {
        columns: requests.iter().map(ToString::to_string).collect(),
        ..ReadOptions::default()
    };
    plan("t.csv", &columns(), &options).map(|plan| plan.features)
}

#[test]
fn columns_are_chosen_by_name_number_range_pattern_and_exclusion() {
    assert_eq!(chosen(&[]).unwrap(), [0, 1, 2, 4]);
    assert_eq!(chosen(&["a_2", "0"]).unwrap(), [1, 0]);
    assert_eq!(chosen(&["0-2"]).unwrap(), [0, 1, 2]);
    assert_eq!(chosen(&["a_*", "!a_2"]).unwrap(), [0]);
    assert_eq!(chosen(&["!a*,!3"]).unwrap(), [2, 4]);
    assert_eq!(chosen(&["-1"]).unwrap(), [4]);
}

#[test]
fn wrong_choices_name_the_nearest_column() {
    let message = |requests: &[&str]| chosen(requests).unwrap_err().to_string();
    assert_eq!(
        message(&["a1"]),
        "t.csv: no column is named \"a1\"; did you mean \"a_1\"?"
    );
    assert!(message(&["9"]).starts_with("t.csv: column 9, where columns go from 0 to 4"));
    assert!(message(&["b"]).contains("two columns are named \"b\", 2 and 4"));
    assert!(message(&["z*"]).contains("no column's name matches"));
    assert!(message(&["specis*"]).contains("did you mean \"species\"?"));
}

#[test]
fn the_only_text_column_becomes_the_label_and_two_are_an_error() {
    let plan_one = plan("t.csv", &columns(), &ReadOptions::default()).unwrap();
    assert_eq!(plan_one.label, Some(3));
    assert!(
        plan_one
            .notes
            .iter()
            .any(|note| note.contains("taken as the label"))
    );
    let mut two = columns();
    two[0].kind = ColumnKind::Text;
    let error = plan("t.csv", &two, &ReadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("columns 0 (\"a_1\"), 3 (\"species\") hold text"),
        "{error}"
    );
    assert!(error.contains("--columns '!a_1'"), "{error}");
}

#[test]
fn names_from_a_file_are_shown_short_and_harmless() {
    let mut odd = columns();
    odd[0].kind = ColumnKind::Text;
    odd[0].name = Some(format!("\u{1b}[31m{}", "x".repeat(100)));
    let error = plan("t.csv", &odd, &ReadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(!error.contains('\u{1b}') && error.len() < 300, "{error}");
    assert!(error.contains("(\"\\u{1b}[31mx"), "{error}");
    // What cannot be typed is left out by its number.
    assert!(error.contains("--columns '!0'"), "{error}");
    odd[0].kind = ColumnKind::Other("dates".into());
    odd[1].name = odd[0].name.clone();
    let dates = plan("t.csv", &odd, &ReadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(dates.ends_with("--columns '!0'"), "{dates}");
    odd[0].kind = ColumnKind::Number;
    let notes = plan("t.csv", &odd, &ReadOptions::default()).unwrap().notes;
    assert!(notes[0].starts_with("columns 0 and 1 are both named \"\\u{1b}[31mx"));
    assert!(notes[0].len() < 100, "{}", notes[0]);
}

fn viewed(views: &[&str], change: impl FnOnce(&mut ReadOptions)) -> Result<Plan> {
    let mut options = ReadOptions {
        views: views.iter().map(ToString::to_string).collect(),
        ..ReadOptions::default()
    };
    change(&mut options);
    plan("t.csv", &columns(), &options)
}

#[test]
fn views_order_the_columns_and_the_rest_is_told() {
    let plan = viewed(&["2", "a_*"], |_| ()).unwrap();
    assert_eq!((plan.features, plan.views), (vec![2, 0, 1], vec![1, 2]));
    assert_eq!(plan.label, Some(3), "the only text");
    let notes = plan.notes.join("; ");
    assert!(
        notes.contains("column 4 (\"b\") is in no view and is left out"),
        "{notes}"
    );
    // A label within a view's pattern is the label.
    let plan = viewed(&["!a*", "a_1"], |options| options.label = Some("3".into())).unwrap();
    assert_eq!((plan.features, plan.views), (vec![2, 4, 0], vec![2, 1]));
}

#[test]
fn the_only_text_column_is_in_no_view_that_does_not_name_it() {
    for views in [["a_*", "!a_*"], ["a_*", "*e*,2"], ["!a_*", "a_*"]] {
        let plan = viewed(&views, |_| ()).unwrap();
        assert!(!plan.features.contains(&3), "{views:?}");
        assert_eq!(plan.label, Some(3), "{views:?}");
        assert!(plan.label_guessed);
    }
    for naming in ["3", "2-3", "species,2"] {
        assert!(viewed(&["a_*", naming], |_| ()).is_err(), "{naming}");
    }
}

#[test]
fn wrong_views_are_named() {
    let message = |views: &[&str]| viewed(views, |_| ()).unwrap_err().to_string();
    assert_eq!(
        message(&["a_*", "0-2"]),
        "t.csv: column 0 (\"a_1\") is in view 1 and in view 2: a column belongs to one view"
    );
    assert!(message(&["a_1", "species"]).contains("column 3 (\"species\") of view 2 holds text"));
    assert_eq!(message(&["a_1", " "]), "t.csv: view 2 names no column");
    assert!(message(&["a_1", "specis"]).contains("did you mean \"species\"?"));
    let only_label = viewed(&["a_1", "2"], |options| options.label = Some("2".into()));
    let message = only_label.unwrap_err().to_string();
    assert!(
        message.contains("view 2, \"2\", has no column of numbers"),
        "{message}"
    );
}
