//! The pictures of linear methods: biplots, bars, loadings and curves.

use std::path::Path;

use charta_plot::{Arrow, Bars, Color, Curve, Line, Loadings, Mark, Scatter};

use crate::{ALL, Outcome, Random, STILL, clusters, save};

pub(crate) fn draw(folder: &Path) -> Outcome {
    biplots(folder)?;
    bars(folder)?;
    loadings(folder)?;
    curves(folder)
}

fn arrow(name: &str, vector: [f64; 2]) -> Arrow {
    let name = name.to_owned();
    Arrow { name, vector }
}

fn means(points: &[[f64; 2]], of_row: &[Option<usize>], names: &[String]) -> Vec<Mark> {
    let mean = |(class, name): (usize, &String)| {
        let own = points
            .iter()
            .zip(of_row)
            .filter(|(_, of)| **of == Some(class));
        let own: Vec<&[f64; 2]> = own.map(|(point, _)| point).collect();
        let place = [0, 1]
            .map(|axis| own.iter().map(|point| point[axis]).sum::<f64>() / own.len().max(1) as f64);
        Mark {
            name: format!("mean of {name}"),
            place,
            class: Some(class),
        }
    };
    names.iter().enumerate().map(mean).collect()
}

fn biplots(folder: &Path) -> Outcome {
    let mut random = Random(5);
    let flowers: Vec<String> = ["setosa", "versicolor", "virginica"]
        .map(str::to_owned)
        .to_vec();
    let of_row: Vec<Option<usize>> = (0..150).map(|row| Some(row / 50)).collect();
    let points: Vec<[f64; 2]> = (0..150)
        .map(|row| {
            let middle = [-7.6, 1.8, 5.8][row / 50];
            [
                middle + random.normal(),
                0.4 * (middle - 1.0).abs() - 1.2 + random.normal(),
            ]
        })
        .collect();
    let marks = means(&points, &of_row, &flowers);
    let arrows = [
        arrow("sepal length", [0.36, -0.66]),
        arrow("sepal width", [-0.08, -0.73]),
        arrow("petal length", [0.86, 0.17]),
        arrow("petal width", [0.36, 0.08]),
    ];
    let color = Color::Classes {
        title: "class",
        names: &flowers,
        of_row: &of_row,
    };
    let scatter = Scatter {
        title: "Flowers: biplot with the means of the classes".into(),
        subtitle: "150 rows, 4 features".into(),
        axes: ["LD1 (99.1 %)".into(), "LD2 (0.9 %)".into()],
        color,
        marks: &marks,
        arrows: &arrows,
        ..Scatter::new(&points)
    };
    save(folder, "biplot", |format| scatter.draw(format), ALL)?;
    let (points, of_row) = clusters(40_000, 12, &mut random);
    let names: Vec<String> = (0..12).map(|class| format!("class {class}")).collect();
    let marks = means(&points, &of_row, &names);
    let arrows: Vec<Arrow> = (0..64)
        .map(|feature| {
            arrow(
                &format!("pixel {feature}"),
                [random.normal(), random.normal()],
            )
        })
        .collect();
    let scatter = Scatter {
        title: "Many arrows on density".into(),
        color: Color::Classes {
            title: "class",
            names: &names,
            of_row: &of_row,
        },
        marks: &marks,
        arrows: &arrows,
        ..Scatter::new(&points)
    };
    save(folder, "biplot_crowded", |format| scatter.draw(format), ALL)
}

fn bars(folder: &Path) -> Outcome {
    let correlations = [1.0, 0.93, 0.81, 0.44, 0.18, 0.02];
    let names: Vec<String> = (1..=6).map(|pair| format!("pair {pair}")).collect();
    let bars = Bars {
        names: &names,
        title: "Canonical correlations".into(),
        subtitle: "6 pairs of 100 rows".into(),
        axis: "correlation".into(),
        range: Some([0.0, 1.0]),
        ..Bars::new(&correlations)
    };
    save(folder, "bars", |format| bars.draw(format), STILL)?;
    let values: Vec<f64> = (0..55)
        .map(|i| 900.0 * f64::exp(-0.08 * f64::from(i)) - 120.0)
        .collect();
    let names: Vec<String> = (0..55)
        .map(|i| format!("mean of the feature number {i}"))
        .collect();
    for (name, horizontal) in [("bars_lying", true), ("bars_standing", false)] {
        let bars = Bars {
            names: &names,
            horizontal,
            title: "Forty of fifty-five bars".into(),
            axis: "difference".into(),
            ..Bars::new(&values)
        };
        save(folder, name, |format| bars.draw(format), STILL)?;
    }
    Ok(())
}

fn loadings(folder: &Path) -> Outcome {
    let mut random = Random(17);
    for (name, n_features, n_components) in [
        ("loadings_iris", 4, 2),
        ("loadings", 13, 6),
        ("loadings_many", 64, 20),
    ] {
        let components: Vec<Vec<f64>> = (0..n_components)
            .map(|_| (0..n_features).map(|_| 0.4 * random.normal()).collect())
            .collect();
        let features: Vec<String> = (0..n_features)
            .map(|feature| format!("feature {feature} (cm)"))
            .collect();
        let names: Vec<String> = (1..=n_components)
            .map(|component| format!("component {component}"))
            .collect();
        let picture = Loadings {
            component_names: &names,
            title: "Loadings of the features".into(),
            subtitle: "factor analysis, varimax".into(),
            ..Loadings::new(&components, &features)
        };
        save(folder, name, |format| picture.draw(format), STILL)?;
    }
    Ok(())
}

fn curves(folder: &Path) -> Outcome {
    let mut random = Random(23);
    let likelihood: Vec<f64> = (0..40)
        .map(|i| -13_000.0 - 9000.0 * f64::exp(-0.3 * f64::from(i)))
        .collect();
    let lines = [Line::new("log-likelihood", &likelihood)];
    let curve = Curve {
        title: "Log-likelihood of factor analysis".into(),
        subtitle: "40 iterations".into(),
        axes: ["iteration".into(), "log-likelihood".into()],
        ..Curve::new(&lines)
    };
    save(folder, "curve", |format| curve.draw(format), STILL)?;
    let losses: Vec<Vec<f64>> = (1..=4)
        .map(|run| {
            let loss = |i: i32| f64::exp(-0.01 * f64::from(run * i)) + 1e-4;
            (0..500)
                .map(|i| loss(i) * f64::exp(0.1 * random.normal()))
                .collect()
        })
        .collect();
    let lines: Vec<Line<'_>> = losses
        .iter()
        .enumerate()
        .map(|(run, values)| Line::new(format!("start {run}"), values))
        .collect();
    let curve = Curve {
        title: "Reconstruction error of four starts".into(),
        axes: ["iteration".into(), "error".into()],
        logarithmic: true,
        ..Curve::new(&lines)
    };
    save(
        folder,
        "curve_logarithmic",
        |format| curve.draw(format),
        STILL,
    )
}
