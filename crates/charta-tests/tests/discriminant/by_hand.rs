//! Small enough to be worked on paper.

use super::*;

/// Class a: (±1, 0), (0, ±1), mean (0, 0), sums of squares diag(2, 2). Class b: (3, 2), (5, 2), mean
/// (4, 2), sums of squares diag(2, 0). Together 6 rows.
fn two_classes() -> (Array2<f64>, Labels<'static>) {
    let x = array![
        [1.0, 0.0],
        [-1.0, 0.0],
        [0.0, 1.0],
        [0.0, -1.0],
        [3.0, 2.0],
        [5.0, 2.0]
    ];
    (x, Labels::from_words(&["a", "a", "a", "a", "b", "b"]))
}

/// Three classes of four rows each, mean + (±1, ±2), with means (3, 0), (0, 6) and (−3, −6).
fn three_classes() -> (Array2<f64>, Labels<'static>) {
    let means = [(3.0, 0.0), (0.0, 6.0), (-3.0, -6.0)];
    let corners = [(1.0, 2.0), (1.0, -2.0), (-1.0, 2.0), (-1.0, -2.0)];
    let mut x = Array2::zeros((12, 2));
    for (i, mean) in means.iter().enumerate() {
        for (j, corner) in corners.iter().enumerate() {
            x[[4 * i + j, 0]] = mean.0 + corner.0;
            x[[4 * i + j, 1]] = mean.1 + corner.1;
        }
    }
    let words: Vec<String> = (0..12).map(|i| (i / 4).to_string()).collect();
    (x, Labels::from_words(&words))
}

#[test]
fn two_classes_about_the_grand_mean() {
    // W = diag(4, 2) / 6 = diag(2/3, 1/3). The difference of the means is (4, 2), and W⁻¹ (4, 2) =
    // (6, 6): the axis is along (1, 1), of variance 2/3 + 1/3 = 1 within classes as it is. Between:
    // B = p_a p_b (4, 2)(4, 2)ᵀ, so λ = 2/9 · (4, 2)·(6, 6) = 2/9 · 36 = 8.
    let (x, labels) = two_classes();
    for solver in [Solver::Eigen, Solver::Svd] {
        let model = Lda {
            solver,
            ..Lda::default()
        }
        .fit(labelled(&x, &labels))
        .unwrap();
        near("axis", model.components(), &row(&[1.0, 1.0]), 1e-14);
        let figures = model.diagnostics();
        assert!((figures.values("all_separations").unwrap()[0] - 8.0).abs() < 1e-12);
        assert!((model.explained_variance_ratio()[0] - 1.0).abs() < 1e-15);
        assert_eq!(figures.value("training_accuracy"), Some(1.0));
        // The mean is (4/3, 2/3), 2 along the axis: the classes lie at 0 − 2 and 6 − 2.
        let marks = model.marks();
        assert_eq!((marks[0].name.as_str(), marks[1].name.as_str()), ("a", "b"));
        assert!((marks[0].place[0] + 2.0).abs() < 1e-14);
        assert!((marks[1].place[0] - 4.0).abs() < 1e-14);
        // (2, 0) lies at 0: decisions −½ 2² + log 2/3 and −½ 4² + log 1/3, which differ by 6 + log 2.
        let (of_row, probabilities, decisions) = probabilities(&model, &row(&[2.0, 0.0]));
        assert_eq!(of_row, [0]);
        let want = row(&[-2.0 + (2.0_f64 / 3.0).ln(), -8.0 - 3.0_f64.ln()]);
        near("decisions", &decisions, &want, 1e-12);
        let second = 1.0 / (1.0 + 2.0 * 6.0_f64.exp());
        near(
            "probabilities",
            &probabilities,
            &row(&[1.0 - second, second]),
            1e-14,
        );
    }
}

#[test]
fn two_classes_about_the_mean_of_their_means() {
    // c = (2, 1): both classes are (2, 1) away, so B = (p_a + p_b) (2, 1)(2, 1)ᵀ and
    // λ = (2, 1) · W⁻¹ (2, 1) = (2, 1) · (3, 3) = 9. The axis stays; the classes lie at −3 and 3.
    let (x, labels) = two_classes();
    let model = Lda {
        centre: Centre::Classes,
        ..Lda::default()
    }
    .fit(labelled(&x, &labels))
    .unwrap();
    near("axis", model.components(), &row(&[1.0, 1.0]), 1e-14);
    assert!((model.parts().eigenvalues[0] - 9.0).abs() < 1e-12);
    assert!((model.marks()[0].place[0] + 3.0).abs() < 1e-14);
    assert!((model.marks()[1].place[0] - 3.0).abs() < 1e-14);
    // Where zero is does not change the probabilities.
    let grand = Lda::default().fit(labelled(&x, &labels)).unwrap();
    near(
        "probabilities",
        &probabilities(&model, &x).1,
        &probabilities(&grand, &x).1,
        1e-14,
    );
}

#[test]
fn two_classes_with_divisor_less_one_and_weights() {
    // Covariances with n − 1: diag(2/3, 2/3) and diag(2, 0), weighted 4/6 and 2/6: diag(10/9, 4/9).
    // The axis is along W⁻¹ (4, 2) = (3.6, 4.5), that is (4, 5), of variance (160 + 100) / 9.
    let (x, labels) = two_classes();
    let method = Lda {
        population: false,
        ..Lda::default()
    };
    let model = method.fit(labelled(&x, &labels)).unwrap();
    let length = (260.0_f64 / 9.0).sqrt();
    near(
        "axis",
        model.components(),
        &row(&[4.0 / length, 5.0 / length]),
        1e-14,
    );
    // Equal priors as weights: diag(4/3, 1/3), axis along (3, 6) or (1, 2), variance 4/3 + 4/3.
    let method = Lda {
        priors: Priors::Equal,
        pooling: Pooling::Priors,
        ..method
    };
    let model = method.fit(labelled(&x, &labels)).unwrap();
    let length = (8.0_f64 / 3.0).sqrt();
    near(
        "axis",
        model.components(),
        &row(&[1.0 / length, 2.0 / length]),
        1e-14,
    );
    assert!((model.parts().centre[0] - 2.0).abs() < 1e-15);
}

#[test]
fn three_classes_with_uncorrelated_and_orthogonal_axes() {
    // W = diag(1, 4), B = (1/3) Σ m mᵀ = [[6, 6], [6, 24]]. In units (x, y/2) W is the identity and
    // B = [[6, 3], [3, 6]]: eigenvalues 9 and 3 along (1, 1)/√2 and (1, −1)/√2, that is
    // (1, ½)/√2 and (1, −½)/√2 in the columns.
    let (x, labels) = three_classes();
    let root = 2.0_f64.sqrt();
    for solver in [Solver::Eigen, Solver::Svd] {
        let method = Lda {
            solver,
            ..Lda::default()
        };
        let model = method.fit(labelled(&x, &labels)).unwrap();
        let want = array![[1.0, 0.5], [1.0, -0.5]] / root;
        near("axes", model.components(), &want, 1e-14);
        near(
            "shares",
            &model.explained_variance_ratio().insert_axis(Axis(0)),
            &row(&[0.75, 0.25]),
            1e-14,
        );
        // Orthogonal: the first is the same, of length 1: (2, 1)/√5. The second can only be
        // (1, −2)/√5, with J = (6 − 24 + 96) / (1 + 16) = 78/17; its sign makes −2 positive.
        let method = Lda {
            orthogonal: true,
            ..method
        };
        let model = method.fit(labelled(&x, &labels)).unwrap();
        let want = array![[2.0, 1.0], [-1.0, 2.0]] / 5.0_f64.sqrt();
        near("orthogonal axes", model.components(), &want, 1e-14);
        let ratios = &model.parts().ratios;
        assert!((ratios[0] - 9.0).abs() < 1e-12 && (ratios[1] - 78.0 / 17.0).abs() < 1e-12);
        // Classes are told by the same rule.
        assert_eq!(model.training_accuracy(), Some(1.0));
    }
}

#[test]
fn karhunen_loeve_of_two_classes() {
    // As worked above: diag(10/9, 4/9) with n − 1 and the data's priors, diag(4/3, 1/3) with equal
    // ones, diag(2/3, 1/3) with divisor n. PCA's first axis would lean towards (4, 2).
    let (x, labels) = two_classes();
    let base = KarhunenLoeve::default();
    let equal = KarhunenLoeve {
        priors: Priors::Equal,
        ..base.clone()
    };
    let population = KarhunenLoeve {
        population: true,
        ..base.clone()
    };
    let cases = [
        (base.clone(), [10.0 / 9.0, 4.0 / 9.0]),
        (equal, [4.0 / 3.0, 1.0 / 3.0]),
        (population, [2.0 / 3.0, 1.0 / 3.0]),
    ];
    for (method, want) in cases {
        let model = method.fit(labelled(&x, &labels)).unwrap();
        near("axes", model.components(), &Array2::eye(2), 1e-14);
        let variances = model.explained_variance().clone().insert_axis(Axis(0));
        near("variances", &variances, &row(&want), 1e-14);
        let total = model.parts().total_variance;
        assert!((total - want[0] - want[1]).abs() < 1e-14);
        let back = model
            .inverse_transform(&model.embedding().unwrap())
            .unwrap();
        near("back", &back, &x, 1e-14);
    }
    // Means (0, 0) and (4, 2) with priors 2/3 and 1/3 have variances 2/9 · 16 and 2/9 · 4.
    let model = base.fit(labelled(&x, &labels)).unwrap();
    let between = model.between_variance().insert_axis(Axis(0));
    near("between", &between, &row(&[32.0 / 9.0, 8.0 / 9.0]), 1e-14);
    // The centre is (4/3, 2/3); whitened, (1, 0) lies at (−1/3, −2/3) over the deviations.
    let whitened = KarhunenLoeve {
        whiten: true,
        ..base
    };
    let model = whitened.fit(labelled(&x, &labels)).unwrap();
    let placed = model.transform(&row(&[1.0, 0.0])).unwrap();
    let want = row(&[
        -1.0 / 3.0 / (10.0_f64 / 9.0).sqrt(),
        -2.0 / 3.0 / (2.0 / 3.0),
    ]);
    near("whitened", &placed, &want, 1e-14);
    let back = model.inverse_transform(&placed.view()).unwrap();
    near("back", &back, &row(&[1.0, 0.0]), 1e-14);
}
