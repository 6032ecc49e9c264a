//! The rules that choose how many, and missing values.

use super::*;

#[test]
fn minka_agrees_for_every_rank() {
    let reference = golden("pca_minka.json");
    for (name, set) in reference["data_sets"].as_object().unwrap() {
        let spectrum = vector(&set["spectrum"]);
        if spectrum.iter().any(|&value| value < 1e-12) {
            continue;
        }
        let n_rows = number(&set["n_rows"]) as usize;
        let evidence = minka_evidence(spectrum.as_slice().unwrap(), n_rows).unwrap();
        let theirs = vector(&set["log_evidence"]);
        close_each(name, &Array1::from_vec(evidence), &theirs, 1e-9);
        let chosen = charta::dimension::minka(spectrum.as_slice().unwrap(), n_rows).unwrap();
        assert_eq!(chosen as f64, number(&set["chosen"]), "{name}");
    }
}

#[test]
fn minka_of_digits_leaves_out_constant_columns() {
    let reference = golden("pca_minka.json");
    let chosen = &reference["data_sets"]["digits_without_constant_columns"]["chosen"];
    let pca = Pca {
        n_components: Components::Mle,
        ..Pca::default()
    };
    let model = pca.fit(&dense("digits")).unwrap();
    assert_eq!(model.n_components() as f64, number(chosen));
}

#[test]
fn parallel_analysis_agrees() {
    let reference = golden("pca_horn.json");
    for (name, set) in reference["data_sets"].as_object().unwrap() {
        for case in set["cases"].as_array().unwrap() {
            // A near tie in the reference is no ground for a test: see the golden README.
            let tie = name == "wine" && case["matrix"] == "covariance";
            if case["null"] != "normal" || tie {
                continue;
            }
            let correlation = case["matrix"] == "correlation";
            let x = dense(name.split('_').next().unwrap());
            check_parallel(&format!("{name} {}", case["matrix"]), &x, correlation, case);
        }
    }
}

fn check_parallel(name: &str, x: &Array2<f64>, correlation: bool, case: &Json) {
    let pca = Pca {
        n_components: Components::Parallel,
        standardize: correlation,
        ..Pca::default()
    };
    let model = pca.fit(x).unwrap();
    assert_eq!(
        model.n_components() as f64,
        number(&case["chosen_by_quantile_95"]),
        "{name}"
    );
    let columns: Vec<usize> = (0..x.ncols())
        .filter(|&j| x.column(j).iter().any(|v| *v != x[[0, j]]))
        .collect();
    let variances = x.select(Axis(1), &columns).var_axis(Axis(0), 1.0);
    let analysis = ParallelAnalysis {
        repetitions: 1000,
        correlation,
        ..ParallelAnalysis::default()
    };
    let thresholds = analysis
        .thresholds(&Run::new(), x.nrows(), &variances)
        .unwrap();
    let theirs = vector(&case["null_quantile_95"]);
    // Two random samples of 1,000 agree to their own spread.
    close_each(name, &Array1::from_vec(thresholds), &theirs, 0.02);
}

#[test]
fn missing_values_agree_with_the_maximum_likelihood_model() {
    let reference = golden("pca_missing.json");
    let mut x = dense("iris");
    for place in reference["missing"].as_array().unwrap() {
        let place = indices(place);
        x[[place[0], place[1]]] = f64::NAN;
    }
    for case in reference["cases"].as_array().unwrap() {
        let k = number(&case["n_components"]) as usize;
        let theirs = &case["probabilistic"];
        let pca = Pca {
            n_components: Components::Count(k),
            missing: Missing::Em,
            population: true,
            tolerance: 1e-11,
            max_iterations: 20_000,
            ..Pca::default()
        };
        let model = pca.fit(&x).unwrap();
        let eigenvalues = vector(&theirs["model_eigenvalues"]);
        close_each(
            "eigenvalues",
            model.explained_variance(),
            &eigenvalues.slice(s![..k]).to_owned(),
            1e-6,
        );
        close(
            "noise",
            model.noise_variance(),
            number(&theirs["noise_variance"]),
            1e-6,
        );
        close_each("mean", model.mean(), &vector(&theirs["mean"]), 1e-7);
        let error = pca
            .fit(&x)
            .unwrap()
            .embedding()
            .unwrap()
            .iter()
            .any(|v| v.is_nan());
        assert!(!error);
    }
}
