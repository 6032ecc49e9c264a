//! `charta linear`: matrices, and what linear algebra says of data.

use serde_json::Value as Json;

use crate::call::Folder;

fn number(json: &Json) -> f64 {
    json.as_f64().unwrap()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9 * (1.0 + b.abs())
}

#[test]
fn the_eigenvectors_of_the_lecture() {
    let folder = Folder::new();
    let found = folder
        .done(&["linear", "eigen", "3 5; 2 1", "--json"])
        .json();
    assert_eq!(found["symmetric"], false);
    assert!(close(
        number(&found["eigenvalues"][0]["real"]),
        2.0 + 11f64.sqrt()
    ));
    assert!(close(
        number(&found["eigenvalues"][1]["real"]),
        2.0 - 11f64.sqrt()
    ));
    assert!((number(&found["vectors"][0][0]) - 0.91).abs() < 5e-3);
    assert!((number(&found["vectors"][1][0]) - 0.42).abs() < 5e-3);
    assert!(close(number(&found["determinant"]), -7.0));
    let text = folder.done(&["linear", "eigen", "[3, 4; 4, 3]"]).text;
    assert!(
        text.contains("symmetric") && text.contains("7.000") && text.contains("-1.000"),
        "{text}"
    );
    let turned = folder
        .done(&["linear", "eigen", "0 -1; 1 0", "-o", "vectors.csv"])
        .text;
    assert!(
        turned.contains("0 + 1.000i") && turned.contains("0 − 1.000i"),
        "{turned}"
    );
    assert!(
        folder
            .text("vectors.csv")
            .starts_with("entry,v1_real,v1_imaginary,")
    );
}

#[test]
fn a_matrix_of_two_rows_is_drawn_and_no_other() {
    let folder = Folder::new();
    folder.done(&["linear", "eigen", "3 5; 2 1", "--plot", "eigen.svg", "-q"]);
    let picture = folder.text("eigen.svg");
    for name in [">A x<", ">v1<", ">v2<", ">A v1<", ">A v2<"] {
        assert!(picture.contains(name), "{name}");
    }
    let errors = folder.fails(
        2,
        &[
            "linear",
            "eigen",
            "1 0 0; 0 1 0; 0 0 1",
            "--plot",
            "eigen.svg",
        ],
    );
    assert!(errors.contains("3 × 3"), "{errors}");
    assert!(
        folder
            .fails(1, &["linear", "eigen", "1 2 3"])
            .contains("1 × 3")
    );
    assert!(
        folder
            .fails(2, &["linear", "eigen", "1 2; 3"])
            .contains("row 2 has 1 number")
    );
}

#[test]
fn a_matrix_is_taken_apart_and_put_together() {
    let folder = Folder::new();
    folder.put("x.csv", "a,b\n1,2\n3,4\n5,6.5\n");
    let words = [
        "linear",
        "svd",
        "x.csv",
        "--rank",
        "2",
        "--approximation",
        "sum.csv",
        "--left",
        "u.csv",
        "-o",
        "v.csv",
        "--json",
    ];
    let found = folder.done(&words).json();
    assert_eq!(found["rank"], 2);
    let sum = folder.text("sum.csv");
    let again: Vec<f64> = sum
        .lines()
        .skip(1)
        .flat_map(|line| {
            line.split(',')
                .skip(1)
                .map(|cell| cell.parse().unwrap())
                .collect::<Vec<f64>>()
        })
        .collect();
    for (value, expected) in again.iter().zip([1.0, 2.0, 3.0, 4.0, 5.0, 6.5]) {
        assert!(close(*value, expected), "{sum}");
    }
    assert!(folder.text("v.csv").starts_with("column,v1,v2\na,"));
    assert!(folder.text("u.csv").starts_with("row,u1,u2\n0,"));
    let errors = folder.fails(2, &["linear", "svd", "x.csv", "--rank", "3"]);
    assert!(
        errors.contains("--rank") && errors.contains('2'),
        "{errors}"
    );
    let inverse = folder
        .done(&["linear", "pseudo-inverse", "1 0; 0 2; 0 0", "--json"])
        .json();
    assert_eq!(inverse["pseudo_inverse"][1][1], 0.5);
}

#[test]
fn least_squares_takes_a_column_a_file_or_a_matrix() {
    let folder = Folder::new();
    folder.put("table.csv", "a,price\n0,1\n1,3\n2,5\n4,9\n");
    folder.put("a.csv", "a\n0\n1\n2\n4\n");
    folder.put("y.csv", "price\n1\n3\n5\n9\n");
    let calls = [
        ["table.csv", "price"],
        ["table.csv", "1"],
        ["a.csv", "y.csv"],
        ["a.csv", "1; 3; 5; 9"],
    ];
    for [matrix, target] in calls {
        let words = [
            "linear",
            "least-squares",
            matrix,
            "--target",
            target,
            "--intercept",
            "--json",
        ];
        let found = folder.done(&words).json();
        assert!(
            close(number(&found["weights"][0][0]), 2.0),
            "{matrix} {target}: {found}"
        );
        assert!(
            close(number(&found["intercepts"][0]), 1.0),
            "{matrix} {target}"
        );
        assert!(number(&found["residual_sum_of_squares"][0]) < 1e-20);
    }
    let text = folder
        .done(&[
            "linear",
            "least-squares",
            "1 1; 2 2; 3 3",
            "--target",
            "2; 4; 6",
        ])
        .text;
    assert!(
        text.contains("rank 1") && text.contains("the shortest"),
        "{text}"
    );
    folder.fails(
        2,
        &["linear", "least-squares", "1 0; 0 1", "--target", "price"],
    );
    let errors = folder.fails(
        1,
        &["linear", "least-squares", "1 0; 0 1", "--target", "1; 2; 3"],
    );
    assert!(errors.contains("expected 2, got 3"), "{errors}");
}

#[test]
fn covariances_add_up_and_are_drawn() {
    let folder = Folder::new();
    let of = |name: &str, part: &str| {
        folder
            .done(&["linear", name, "iris", "--part", part, "--json"])
            .json()["matrix"]
            .clone()
    };
    for name in ["covariance", "scatter"] {
        let [total, within, between] = ["total", "within", "between"].map(|part| of(name, part));
        for i in 0..4 {
            for j in 0..4 {
                let sum = number(&within[i][j]) + number(&between[i][j]);
                assert!(close(sum, number(&total[i][j])), "{name} {i} {j}");
            }
        }
    }
    assert!(close(
        number(&of("scatter", "total")[0][0]),
        149.0 * number(&of("covariance", "total")[0][0])
    ));
    assert_eq!(of("correlation", "total")[2][2], 1.0);
    let words = [
        "linear",
        "correlation",
        "iris",
        "--plot",
        "map.svg",
        "-o",
        "map.csv",
        "-q",
    ];
    folder.done(&words);
    assert!(folder.text("map.svg").contains("petal"));
    assert_eq!(folder.text("map.csv").lines().count(), 5);
    folder.put("plain.csv", "a,b\n1,2\n3,5\n2,2\n");
    let errors = folder.fails(
        2,
        &["linear", "covariance", "plain.csv", "--part", "within"],
    );
    assert!(errors.contains("--label"), "{errors}");
}

#[test]
fn a_chosen_line_is_measured_beside_the_best() {
    let folder = Folder::new();
    folder.put("points.csv", "x,y\n0,0\n2,0.5\n4,1.4\n6,1.6\n");
    let words = [
        "linear",
        "line",
        "points.csv",
        "--direction",
        "1,0.3",
        "--plot",
        "line.svg",
        "-o",
        "feet.csv",
        "--json",
    ];
    let found = folder.done(&words).json();
    assert!(number(&found["best"]["error"]) <= number(&found["chosen"]["error"]));
    assert!(number(&found["ratio"]) >= 1.0);
    let picture = folder.text("line.svg");
    assert!(picture.contains(">best<") && picture.contains(">chosen<"));
    assert_eq!(folder.text("feet.csv").lines().count(), 5);
    let through = [
        "linear",
        "line",
        "points.csv",
        "--direction",
        "1,0.3",
        "--through",
        "0,5",
        "--json",
    ];
    assert!(
        number(&folder.done(&through).json()["chosen"]["error"])
            > number(&found["chosen"]["error"])
    );
    assert!(
        folder
            .fails(2, &["linear", "line", "points.csv", "--direction", "0,0"])
            .contains("--direction")
    );
    assert!(
        folder
            .fails(1, &["linear", "line", "points.csv", "--direction", "1"])
            .contains("expected 2, got 1")
    );
    assert!(
        folder
            .fails(2, &["linear", "line", "points.csv", "--direction", "a,b"])
            .contains("numbers between commas")
    );
}

#[test]
fn a_sphere_is_curved_and_a_rolled_sheet_is_not() {
    let folder = Folder::new();
    let sheet = folder
        .done(&["linear", "angles", "swiss-roll:1500", "--json"])
        .json();
    assert_eq!(sheet["verdict"], "flat", "{sheet}");
    let mut text = String::from("x,y,z\n");
    for place in 0..900 {
        let height = 1.0 - 2.0 * (f64::from(place) + 0.5) / 900.0;
        let angle = f64::from(place) * 2.399_963;
        let radius = (1.0 - height * height).sqrt();
        text.push_str(&format!(
            "{},{},{height}\n",
            radius * angle.cos(),
            radius * angle.sin()
        ));
    }
    folder.put("sphere.csv", &text);
    let sphere = folder
        .done(&["linear", "angles", "sphere.csv", "-o", "triangles.csv"])
        .text;
    assert!(sphere.contains("positive curvature"), "{sphere}");
    assert_eq!(folder.text("triangles.csv").lines().count(), 201);
    let errors = folder.fails(
        2,
        &["linear", "angles", "sphere.csv", "--triangle-size", "2"],
    );
    assert!(errors.contains("--triangle-size"), "{errors}");
}

#[test]
fn classes_that_are_not_normal_are_named() {
    let folder = Folder::new();
    let mut text = String::from("x,y,class\n");
    // Sums of twelve even numbers are as good as normal.
    let mut state = 12_345_u64;
    let mut even = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as f64 + 0.5) / f64::from(1_u32 << 31)
    };
    for _ in 0..200 {
        let mut bell = || (0..12).map(|_| even()).sum::<f64>() - 6.0;
        let (a, b, c) = (bell(), bell(), bell());
        text.push_str(&format!("{a},{b},bell\n"));
        text.push_str(&format!("{},{c},skew\n", -even().ln()));
    }
    folder.put("classes.csv", &text);
    let answer = folder.done(&[
        "linear",
        "normality",
        "classes.csv",
        "--label",
        "class",
        "--json",
    ]);
    let found = answer.json();
    assert_eq!(found["not_normal"], serde_json::json!(["skew"]), "{found}");
    assert!(found["warnings"][0].as_str().unwrap().contains("skew"));
    let text = folder.done(&["linear", "normality", "iris"]).text;
    assert!(
        text.contains("setosa") && text.contains("all rows"),
        "{text}"
    );
}

#[test]
fn mistakes_name_the_command() {
    let folder = Folder::new();
    assert!(
        folder
            .fails(2, &["linear", "eigne", "1"])
            .contains("`eigen`")
    );
    let errors = folder.fails(2, &["linear", "svd", "iris", "--rnk", "2"]);
    assert!(
        errors.contains("charta linear svd") && errors.contains("--rank"),
        "{errors}"
    );
    assert!(
        folder
            .fails(2, &["linear", "line", "iris"])
            .contains("--direction")
    );
    assert!(
        folder
            .fails(2, &["linear", "iris"])
            .contains("charta linear eigen iris")
    );
    for command in [
        "eigen",
        "svd",
        "pseudo-inverse",
        "least-squares",
        "covariance",
        "line",
        "angles",
        "normality",
    ] {
        let page = folder.done(&["linear", command, "--help"]).text;
        assert!(
            page.contains("Usage: charta linear") && page.contains("--json"),
            "{page}"
        );
    }
}
