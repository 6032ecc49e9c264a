//! The lectures: how they are listed, and what is said of wrong calls. All their numbers are tested with the Python package.

use crate::call::Folder;

#[test]
fn lectures_are_listed_with_their_items() {
    let folder = Folder::new();
    let text = folder.done(&["lecture"]).text;
    assert_eq!(
        text.matches("Dimensionality Reduction").count(),
        4,
        "{text}"
    );
    let decks = folder.done(&["lecture", "--json"]).json();
    assert_eq!(decks.as_array().unwrap().len(), 5);
    let text = folder.done(&["lecture", "1"]).text;
    assert!(text.contains("charta scree"), "{text}");
    let all = folder.done(&["lecture", "all", "--json"]).json();
    for (deck, listed) in all
        .as_array()
        .unwrap()
        .iter()
        .zip(decks.as_array().unwrap())
    {
        assert_eq!(deck["items"].as_array().unwrap().len(), listed["n_items"]);
    }
}

#[test]
fn a_page_holds_its_figures() {
    let folder = Folder::new();
    let decks = folder.done(&["lecture", "1", "--json"]).json();
    let items = decks[0]["items"].as_array().unwrap();
    let place = items.iter().position(|item| item["figures"][0].is_string());
    let number = (place.unwrap() + 1).to_string();
    let text = folder
        .done(&["lecture", "1", "--item", &number, "-o", "new/pages"])
        .text;
    assert!(
        text.contains("1 item") && text.contains("lecture-1.html"),
        "{text}"
    );
    let page = folder.text("new/pages/lecture-1.html");
    assert!(page.contains("src=\"data:image/"), "{page}");
    assert!(!page.contains("differs\">✗"), "{page}");
}

#[test]
fn wrong_calls_are_told() {
    let folder = Folder::new();
    for (words, said) in [
        (
            &["lecture", "6"][..],
            "there is no lecture `6`: they are numbered from 1 to 5",
        ),
        (&["lecture", "1", "--item", "900"], "got `--item 900`"),
        (
            &["lecture", "1", "--item", "0"],
            "`--item` must be a number from 1 on",
        ),
        (&["lecture", "-o", "x"], "which lecture?"),
    ] {
        let errors = folder.fails(2, words);
        assert!(errors.contains(said), "{errors}");
    }
    folder.put("file", "");
    let errors = folder.fails(1, &["lecture", "1", "-o", "file"]);
    assert!(errors.contains("cannot create file"), "{errors}");
}
