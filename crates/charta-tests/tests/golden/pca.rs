//! PCA against scikit-learn's numbers: every solver, both precisions, every diagnostic.

mod rules;

use crate::support::{
    check_same_data, close, close_each, close_whole, dense, golden, indices, matrix, number,
    outside_data, signs, vector,
};
use charta::data::OwnedFeatures;
use charta::dimension::{Components, ParallelAnalysis, minka_evidence};
use charta::methods::pca::PcaModel;
use charta::methods::pca::Solver;
use charta::methods::pca::{Missing, Pca};
use charta::{Data, Fit, InverseTransform, Model, Run, Transform};
use charta_io::{Content, ReadOptions, read};
use ndarray::{Array1, Array2, Axis, s};
use serde_json::Value as Json;

const SOLVERS: [Solver; 4] = [
    Solver::Covariance,
    Solver::Dual,
    Solver::Svd,
    Solver::Randomized,
];

/// The stored fit to compare with: scikit-learn's exact solvers.
fn stored<'a>(reference: &'a Json, list: &str, solver: &str, precision: &str) -> &'a Json {
    reference[list]
        .as_array()
        .unwrap()
        .iter()
        .find(|fit| fit["solver"] == solver && fit["dtype"] == precision)
        .unwrap_or_else(|| panic!("no {solver} {precision} in {list}"))
}

struct Case<'a> {
    name: &'a str,
    reference: &'a Json,
    fit: &'a Json,
    /// For variances; axes and coordinates get a hundred times as much.
    tolerance: f64,
}

impl Case<'_> {
    fn check(&self, model: &PcaModel, data: &Data<'_>) {
        self.check_variances(model);
        self.check_axes(model, data);
        if !self.fit["score"].is_null() {
            self.check_likelihood(model, data);
        }
    }

    fn title(&self, what: &str) -> String {
        format!("{}, {what}", self.name)
    }

    fn check_variances(&self, model: &PcaModel) {
        let figures = model.diagnostics();
        for name in [
            "explained_variance",
            "explained_variance_ratio",
            "singular_values",
        ] {
            let theirs = vector(&self.fit[name]);
            let ours = figures.values(name).unwrap();
            close_each(&self.title(name), ours, &theirs, self.tolerance);
        }
        let wide = number(&self.reference["data"]["n_rows"])
            < number(&self.reference["data"]["n_columns"]);
        if !wide {
            let theirs = number(&self.fit["noise_variance"]);
            close(
                &self.title("noise variance"),
                figures.value("noise_variance").unwrap(),
                theirs,
                self.tolerance * 100.0,
            );
        }
        let error = number(&self.fit["reconstruction"]["mean_per_row"]);
        let total = figures.value("total_variance").unwrap();
        let ours = figures.value("reconstruction_error").unwrap();
        assert!(
            (ours - error).abs() <= self.tolerance * total,
            "{}: {ours} against {error}",
            self.title("reconstruction error")
        );
    }

    fn check_axes(&self, model: &PcaModel, data: &Data<'_>) {
        let columns = indices(&self.reference["subset"]["columns"]);
        let rows = indices(&self.reference["subset"]["rows"]);
        let theirs = matrix(&self.fit["components"]);
        let axes = model.components().select(Axis(1), &columns);
        let axes = axes.slice(s![..theirs.nrows(), ..]).to_owned();
        let signs = signs(&axes, &theirs);
        let tolerance = self.tolerance * 100.0;
        let ours = &axes * &signs.view().insert_axis(Axis(1));
        close_whole(
            &self.title("components"),
            &ours.view(),
            &theirs.view(),
            tolerance,
        );
        let mean = model.mean().select(Axis(0), &columns);
        let their_mean = vector(&self.fit["mean"]).insert_axis(Axis(0));
        close_whole(
            &self.title("mean"),
            &mean.insert_axis(Axis(0)).view(),
            &their_mean.view(),
            self.tolerance.max(1e-12),
        );
        let map = model.embedding().unwrap().select(Axis(0), &rows);
        let back = model.inverse_transform(&map.view()).unwrap();
        let their_map = matrix(&self.fit["transform"]);
        let map = map.slice(s![.., ..their_map.ncols()]).to_owned() * &signs;
        close_whole(
            &self.title("transform"),
            &map.view(),
            &their_map.view(),
            tolerance,
        );
        close_whole(
            &self.title("inverse"),
            &back.select(Axis(1), &columns).view(),
            &matrix(&self.fit["inverse_transform"]).view(),
            tolerance,
        );
        let placed = model.transform(data).unwrap().select(Axis(0), &rows);
        let placed = placed.slice(s![.., ..their_map.ncols()]).to_owned() * &signs;
        close_whole(
            &self.title("placed again"),
            &placed.view(),
            &their_map.view(),
            tolerance,
        );
    }

    fn check_likelihood(&self, model: &PcaModel, data: &Data<'_>) {
        let run = Run::new();
        let tolerance = self.tolerance * 100.0;
        let theirs = number(&self.fit["score"]);
        close(
            &self.title("score"),
            model.score(&run, data).unwrap(),
            theirs,
            tolerance,
        );
        close(
            &self.title("log-likelihood"),
            model.diagnostics().value("log_likelihood").unwrap(),
            theirs,
            tolerance,
        );
        let rows = indices(&self.reference["subset"]["rows"]);
        let each = model
            .score_samples(&run, data)
            .unwrap()
            .select(Axis(0), &rows);
        close_each(
            &self.title("score of rows"),
            &each,
            &vector(&self.fit["score_samples"]),
            tolerance,
        );
        let corner = &self.reference["subset"]["corner"];
        let corner = indices(corner);
        let covariance = model
            .covariance()
            .select(Axis(0), &corner)
            .select(Axis(1), &corner);
        close_whole(
            &self.title("covariance"),
            &covariance.view(),
            &matrix(&self.fit["covariance_corner"]).view(),
            tolerance,
        );
    }
}

fn check_data_set(name: &str, x: &Array2<f64>) {
    let reference = golden(&format!("pca_{name}.json"));
    check_same_data(x, &reference);
    let single = x.mapv(|value| value as f32);
    for solver in SOLVERS {
        for (list, whiten) in [("fits", false), ("whitened", true)] {
            // Where rows are fewer than columns, this one divides the noise as we do.
            let fit = stored(&reference, list, "covariance_eigh", "float64");
            let pca = Pca {
                n_components: Components::Count(number(&fit["n_components"]) as usize),
                solver,
                whiten,
                ..Pca::default()
            };
            let title = format!("{name} {solver} whiten={whiten}");
            let case = |name, tolerance| Case {
                name,
                reference: &reference,
                fit,
                tolerance,
            };
            let model = pca.fit(x).unwrap();
            case(&title, 1e-6).check(&model, &Data::from(x));
            let model = pca.fit(&single).unwrap();
            let title = format!("{title} f32");
            case(&title, 1e-4).check(&model, &Data::from(&single));
        }
    }
    check_choices(name, x, &reference["choices"], false);
    if !reference["correlation"].is_null() {
        check_choices(name, x, &reference["correlation"]["choices"], true);
    }
}

fn check_choices(name: &str, x: &Array2<f64>, choices: &Json, standardize: bool) {
    for choice in choices.as_array().unwrap() {
        let wanted = &choice["n_components"];
        let n_components = match wanted.as_f64() {
            Some(share) => Components::Proportion(share),
            // Its choice on digits counts three constant columns: see the golden README.
            None if name == "digits" => continue,
            None => Components::Mle,
        };
        let pca = Pca {
            n_components,
            standardize,
            ..Pca::default()
        };
        let model = pca.fit(x).unwrap();
        assert_eq!(
            model.n_components() as f64,
            number(&choice["chosen"]),
            "{name}, {wanted}, standardize={standardize}"
        );
    }
}

#[test]
fn digits_agree() {
    check_data_set("digits", &dense("digits"));
}

#[test]
fn wine_agrees() {
    check_data_set("wine", &dense("wine"));
}

#[test]
fn iris_agrees() {
    check_data_set("iris", &dense("iris"));
}

#[test]
fn fewer_rows_than_columns_agree() {
    let x = dense("digits").slice(s![..40, ..]).to_owned();
    check_data_set("digits_40", &x);
}

#[test]
fn standardized_columns_agree_with_a_standard_scaler() {
    for name in ["digits", "wine", "iris"] {
        let x = dense(name);
        let reference = golden(&format!("pca_{name}.json"));
        let fit = &reference["correlation"]["fit"];
        let columns = indices(&reference["subset"]["columns"]);
        let rows = indices(&reference["subset"]["rows"]);
        for solver in SOLVERS {
            let pca = Pca {
                n_components: Components::Count(number(&fit["n_components"]) as usize),
                standardize: true,
                solver,
                ..Pca::default()
            };
            let model = pca.fit(&x).unwrap();
            let title = format!("{name} {solver}");
            let figures = model.diagnostics();
            for figure in [
                "explained_variance",
                "explained_variance_ratio",
                "singular_values",
            ] {
                let ours = figures.values(figure).unwrap();
                let title = format!("{title} {figure}");
                close_each(&title, ours, &vector(&fit[figure]), 1e-6);
            }
            let noise = model.noise_variance();
            close(&title, noise, number(&fit["noise_variance"]), 1e-4);
            let theirs = matrix(&fit["components"]);
            let axes = model.components().select(Axis(1), &columns);
            let signs = signs(&axes.slice(s![..theirs.nrows(), ..]).to_owned(), &theirs);
            let theirs = matrix(&fit["transform"]);
            let map = model.embedding().unwrap().select(Axis(0), &rows);
            let map = map.slice(s![.., ..theirs.ncols()]).to_owned() * &signs;
            close_whole(&title, &map.view(), &theirs.view(), 1e-4);
        }
    }
}

#[test]
fn every_rank_agrees() {
    for name in ["digits", "wine", "iris"] {
        let x = dense(name);
        let reference = golden(&format!("pca_{name}.json"));
        for rank in reference["by_rank"].as_array().unwrap() {
            let k = number(&rank["n_components"]) as usize;
            let pca = Pca {
                n_components: Components::Count(k),
                ..Pca::default()
            };
            let model = pca.fit(&x).unwrap();
            let title = format!("{name}, {k} components");
            close(
                &title,
                model.explained_variance_ratio().sum(),
                number(&rank["explained_variance_ratio_sum"]),
                1e-9,
            );
            if rank["score"].is_null() || number(&rank["noise_variance"]) < 1e-9 {
                continue;
            }
            let score = model.score(&Run::new(), &Data::from(&x)).unwrap();
            close(&title, score, number(&rank["score"]), 1e-8);
        }
    }
}

#[test]
#[ignore = "needs data outside the project: fashion_mnist.npz"]
fn fashion_agrees() {
    let path = outside_data("fashion_mnist.npz");
    let table = read(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
    let Content::Features(OwnedFeatures::F32(all)) = table.content else {
        panic!("single precision expected");
    };
    let part = all.slice(s![..10_000, ..]).to_owned();
    for (name, single) in [("fashion_10k", &part), ("fashion_70k", &all)] {
        let reference = golden(&format!("pca_{name}.json"));
        let fit = stored(&reference, "fits", "covariance_eigh", "float64");
        let pca = |solver| Pca {
            n_components: Components::Count(number(&fit["n_components"]) as usize),
            solver,
            ..Pca::default()
        };
        let check = |title: &str, model: &PcaModel, data: &Data<'_>, tolerance| {
            let case = Case {
                name: title,
                reference: &reference,
                fit,
                tolerance,
            };
            case.check(model, data);
        };
        let solvers: &[Solver] = if name == "fashion_10k" {
            &[Solver::Covariance, Solver::Svd, Solver::Randomized]
        } else {
            &[Solver::Covariance, Solver::Randomized]
        };
        for &solver in solvers {
            let model = pca(solver).fit(single).unwrap();
            check(
                &format!("{name} {solver} f32"),
                &model,
                &Data::from(single),
                1e-4,
            );
            if name == "fashion_10k" {
                let double = single.mapv(f64::from);
                let model = pca(solver).fit(&double).unwrap();
                check(
                    &format!("{name} {solver}"),
                    &model,
                    &Data::from(&double),
                    1e-6,
                );
            }
        }
    }
}
