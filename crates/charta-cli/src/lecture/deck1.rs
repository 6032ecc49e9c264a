//! Deck 1: S.-H. Wu, Dimensionality Reduction: selection, PCA, LDA, kernel PCA, Isomap, LLE.

use super::deck::Expect::{AtLeast, AtMost, Contains, Near};
use super::deck::{Deck, Item, Number};

/// Four rows on a cross: covariance with eigenvalues 4 and 1.
const CROSS: (&str, &str) = ("cross.csv", "x1,x2\n3,3\n-1,-1\n2,0\n0,2\n");

/// Two classes of different size, with scatter matrices that are short by hand.
const TWO: (&str, &str) = (
    "two.csv",
    "x1,x2,class\n0,0,A\n2,0,A\n1,1,A\n1,-1,A\n4,0,B\n6,0,B\n",
);

/// Three classes, whose discriminant axes are not orthogonal.
const THREE: (&str, &str) = (
    "three.csv",
    "x1,x2,class\n0,0,A\n1,1,A\n0,2,A\n4,1,B\n5,2,B\n4,3,B\n1,5,C\n2,6,C\n1,7,C\n",
);

/// Two classes far apart: large variance between them, another direction within.
const GROUPS: (&str, &str) = (
    "groups.csv",
    "x1,x2,class\n0,2,A\n0,-2,A\n1,0,A\n-1,0,A\n10,2,B\n10,-2,B\n11,0,B\n9,0,B\n",
);

/// Two classes on parallel lines.
const STRIPES: (&str, &str) = (
    "stripes.csv",
    "x1,x2,class\n-4,-3.5,A\n-3,-2.5,A\n-2,-1.5,A\n-1,-0.5,A\n0,0.5,A\n1,1.5,A\n2,2.5,A\n3,3.5,A\n4,4.5,A\n\
     -4,-4.5,B\n-3,-3.5,B\n-2,-2.5,B\n-1,-1.5,B\n0,-0.5,B\n1,0.5,B\n2,1.5,B\n3,2.5,B\n4,3.5,B\n",
);

/// Classes that lie apart along the direction of largest variance.
const SAME: (&str, &str) = (
    "same.csv",
    "x1,x2,class\n-4,-1,A\n-4,0,A\n-4,1,A\n-3,-1,A\n-3,0,A\n-3,1,A\n-2,-1,A\n-2,0,A\n-2,1,A\n\
     2,-1,B\n2,0,B\n2,1,B\n3,-1,B\n3,0,B\n3,1,B\n4,-1,B\n4,0,B\n4,1,B\n",
);

/// Classes that lie apart across the direction of largest variance.
const ACROSS: (&str, &str) = (
    "across.csv",
    "x1,x2,class\n-4,-1.25,A\n-4,-0.75,A\n-2,-1.25,A\n-2,-0.75,A\n0,-1.25,A\n0,-0.75,A\n2,-1.25,A\n2,-0.75,A\n\
     4,-1.25,A\n4,-0.75,A\n-4,1.25,B\n-4,0.75,B\n-2,1.25,B\n-2,0.75,B\n0,1.25,B\n0,0.75,B\n2,1.25,B\n2,0.75,B\n\
     4,1.25,B\n4,0.75,B\n",
);

/// Six rows in the plane.
const POINTS: (&str, &str) = ("points.csv", "x1,x2\n1,0\n-1,0\n0,1\n0,-1\n1,1\n-1,1\n");

/// The same rows in the feature space of the kernel (x·y)²: x1², √2 x1 x2, x2².
const LIFTED: (&str, &str) = (
    "lifted.csv",
    "x1^2,sqrt2 x1 x2,x2^2\n1,0,0\n1,0,0\n0,0,1\n0,0,1\n1,1.4142135623730951,1\n1,-1.4142135623730951,1\n",
);

/// The six rows and two new ones.
const MORE_POINTS: (&str, &str) = (
    "more.csv",
    "x1,x2\n1,0\n-1,0\n0,1\n0,-1\n1,1\n-1,1\n2,1\n3,-1\n",
);

/// Those rows in the feature space.
const MORE_LIFTED: (&str, &str) = (
    "more_lifted.csv",
    "x1^2,sqrt2 x1 x2,x2^2\n1,0,0\n1,0,0\n0,0,1\n0,0,1\n1,1.4142135623730951,1\n1,-1.4142135623730951,1\n\
     4,2.8284271247461903,1\n9,-4.242640687119286,1\n",
);

/// Nine rows at unit steps along a U.
const U: (&str, &str) = (
    "u.csv",
    "x,y\n0,3\n0,2\n0,1\n0,0\n1,0\n2,0\n2,1\n2,2\n2,3\n",
);

pub(super) const DECK: Deck = Deck {
    number: 1,
    title: "Dimensionality Reduction",
    author: "Shan-Hung Wu",
    items: &[
        Item {
            slide: "Why Dimensionality Reduction?",
            title: "Fewer inputs, less memory, no larger error",
            text: "Selection names the inputs that may be left unobserved: six of the ten measurements of the diabetes data predict the disease at least as \
                   well as all ten, because a model with fewer parameters varies less. The plan of a run tells its memory before anything is computed.",
            files: &[],
            commands: &[
                "sequential-selection diabetes --scorer linear --measure mean_squared_error --epsilon 1 --json",
                "sequential-selection diabetes --scorer linear --measure mean_squared_error --json",
                "isomap digits --plan --json",
                "pca digits -n 9 -o nine.csv --quiet",
                "isomap nine.csv --label digit --plan --json",
            ],
            python: "import charta\n\
                     X, y = charta.diabetes()\n\
                     select = charta.SequentialFeatureSelector('linear', scoring='neg_mean_squared_error', tol=1.0, cv=5).fit(X, y)\n\
                     print(select.get_support().sum(), select.error_)\n\
                     digits, _ = charta.digits()\n\
                     print(charta.Isomap(n_neighbors=10).plan(digits)['bytes'])",
            rust: "let model = SequentialSelection { scorer: Scorer::Linear, measure: Measure::MeanSquaredError, epsilon: Some(1.0), ..Default::default() }.fit(&data)?;\n\
                   let bytes = Isomap::default().plan(&Shape::of(&data))?.bytes();",
            figures: &[],
            numbers: &[
                Number {
                    what: "inputs kept, k < d = 10",
                    slide: "k < d",
                    from: "1:/diagnostics/n_components",
                    expect: Near(6.0, 0.0),
                },
                Number {
                    what: "squared error with these six inputs",
                    slide: "robust to small datasets",
                    from: "1:/diagnostics/error",
                    expect: AtMost(3014.0),
                },
                Number {
                    what: "squared error with all ten inputs",
                    slide: "–",
                    from: "2:/diagnostics/path_error/9",
                    expect: AtLeast(3029.0),
                },
                Number {
                    what: "bytes of a run with 64 inputs",
                    slide: "–",
                    from: "3:/plan/bytes",
                    expect: AtLeast(7.0e7),
                },
                Number {
                    what: "bytes of a run with 9 inputs",
                    slide: "reduce the space",
                    from: "5:/plan/bytes",
                    expect: AtMost(7.05e7),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Caution",
            title: "Normal classes stay normal after a linear map, not after others",
            text: "Three normal classes in four columns, and the same rows along two discriminant axes: Mardia's tests reject normality for no class, before or after. The coordinates of kernel PCA are \
                   not a linear map of the inputs, and there the tests reject it for every class.",
            files: &[],
            commands: &[
                "linear normality blobs:600,centers=3,columns=4 --json",
                "lda blobs:600,centers=3,columns=4 -o linear.csv --quiet",
                "linear normality linear.csv --label blob --json",
                "kernel-pca blobs:600,centers=3,columns=4 -o nonlinear.csv --quiet",
                "linear normality nonlinear.csv --label blob --json",
            ],
            python: "import charta\n\
                     from charta import linear\n\
                     X, y = charta.blobs(600, centers=3, columns=4)\n\
                     for rows in (X, charta.LDA(n_components=2).fit(X, y).transform(X)):\n    \
                         print([found['p'] for found in linear.normality(rows, y)['classes'].values()])",
            rust: "let found = charta::linear::Normality::of(&Run::new(), &data)?;",
            figures: &[],
            numbers: &[
                Number {
                    what: "classes that are not normal, of the inputs",
                    slide: "normally distributed within each class",
                    from: "1:/not_normal",
                    expect: Contains("[]"),
                },
                Number {
                    what: "classes that are not normal, after the linear map",
                    slide: "the data are still normal",
                    from: "3:/not_normal",
                    expect: Contains("[]"),
                },
                Number {
                    what: "probability of the first class under normality, after kernel PCA",
                    slide: "only if those assumptions are still valid",
                    from: "5:/classes/0/test/p",
                    expect: AtMost(0.001),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Sequential Forward Selection",
            title: "Forward selection with a threshold ε",
            text: "Starting from no input, each step adds the input whose set has the lowest error on held-out rows, and the search ends when a step lowers \
                   the error by no more than ε. A third of the rows of wine is held out; four inputs of thirteen are left.",
            files: &[],
            commands: &[
                "sequential-selection wine --epsilon 0.005 --validation 0.3 --scorer lda --picture errors=forward.svg --json",
            ],
            python: "import charta\n\
                     X, y = charta.wine()\n\
                     forward = charta.SequentialFeatureSelector('lda', tol=0.005, cv=0.3).fit(X, y)\n\
                     print(forward.path_, forward.path_error_)\n\
                     charta.plot_model(forward, 'errors').save('forward.svg')",
            rust: "SequentialSelection { scorer: Scorer::Lda, epsilon: Some(0.005), validation: Validation::HoldOut(0.3), ..Default::default() }.fit(&data)?",
            figures: &[(
                "forward.svg",
                "Error of the held-out rows against the number of inputs.",
            )],
            numbers: &[
                Number {
                    what: "first input: the least error alone",
                    slide: "j = arg min err(F ∪ x_j)",
                    from: "1:/diagnostics/path/0",
                    expect: Contains("flavanoids"),
                },
                Number {
                    what: "errors of 53 rows with one input",
                    slide: "err(F ∪ x_j) < err(F) − ε",
                    from: "1:/diagnostics/path_error/0",
                    expect: Near(12.0 / 53.0, 1e-9),
                },
                Number {
                    what: "with two inputs",
                    slide: "err(F ∪ x_j) < err(F) − ε",
                    from: "1:/diagnostics/path_error/1",
                    expect: Near(5.0 / 53.0, 1e-9),
                },
                Number {
                    what: "with three inputs",
                    slide: "err(F ∪ x_j) < err(F) − ε",
                    from: "1:/diagnostics/path_error/2",
                    expect: Near(3.0 / 53.0, 1e-9),
                },
                Number {
                    what: "with four inputs, where it ends",
                    slide: "err(F ∪ x_j) < err(F) − ε",
                    from: "1:/diagnostics/error",
                    expect: Near(1.0 / 53.0, 1e-9),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Sequential Backward Selection",
            title: "Backward selection, and the number of fits in both directions",
            text: "Starting from all inputs, each step removes the input whose loss raises the error least, while it rises by less than ε. A search to the end \
                   judges d + (d − 1) + … + 1 sets and the one it starts from: 92 for the 13 inputs of wine, in either direction.",
            files: &[],
            commands: &[
                "sequential-selection wine --direction backward --epsilon 0.005 --validation 0.3 --scorer lda --json",
                "sequential-selection wine --scorer lda --json",
                "sequential-selection wine --scorer lda --direction backward --json",
            ],
            python: "import charta\n\
                     X, y = charta.wine()\n\
                     backward = charta.SequentialFeatureSelector('lda', direction='backward', tol=0.005, cv=0.3).fit(X, y)\n\
                     print(backward.path_)\n\
                     print(charta.SequentialFeatureSelector('lda', n_features_to_select='best').fit(X, y).n_sets_evaluated_)",
            rust: "SequentialSelection { direction: Direction::Backward, epsilon: Some(0.005), scorer: Scorer::Lda, ..Default::default() }.fit(&data)?",
            figures: &[],
            numbers: &[
                Number {
                    what: "first input removed",
                    slide: "j = arg min err(F − x_j)",
                    from: "1:/diagnostics/path/0",
                    expect: Contains("flavanoids"),
                },
                Number {
                    what: "error with all inputs",
                    slide: "err(F)",
                    from: "1:/diagnostics/path_error_before/0",
                    expect: Near(1.0 / 53.0, 1e-9),
                },
                Number {
                    what: "error without it",
                    slide: "err(F − x_j) < err(F) + ε",
                    from: "1:/diagnostics/path_error/0",
                    expect: Near(0.0, 1e-9),
                },
                Number {
                    what: "sets judged forward, d = 13",
                    slide: "d + (d − 1) + … = O(d²)",
                    from: "2:/diagnostics/n_sets_evaluated",
                    expect: Near(92.0, 0.0),
                },
                Number {
                    what: "sets judged backward, d = 13",
                    slide: "d + (d − 1) + … = O(d²)",
                    from: "3:/diagnostics/n_sets_evaluated",
                    expect: Near(92.0, 0.0),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Sequential Forward Selection",
            title: "Selection for a regressor",
            text: "The predictor may be a regressor: least squares on the diabetes data, judged by the mean squared error of five folds. The search ends after six \
                   inputs, because no seventh lowers the error by more than 1.",
            files: &[],
            commands: &[
                "sequential-selection diabetes --scorer linear --measure mean_squared_error --epsilon 1 --picture errors=regression.svg --json",
            ],
            python: "import charta\n\
                     X, y = charta.diabetes()\n\
                     select = charta.SequentialFeatureSelector('linear', scoring='neg_mean_squared_error', tol=1.0, cv=5).fit(X, y)\n\
                     print(select.path_, select.path_error_)\n\
                     charta.plot_model(select, 'errors').save('regression.svg')",
            rust: "SequentialSelection { scorer: Scorer::Linear, measure: Measure::MeanSquaredError, epsilon: Some(1.0), ..Default::default() }.fit(&data)?",
            figures: &[(
                "regression.svg",
                "Mean squared error against the number of inputs.",
            )],
            numbers: &[
                Number {
                    what: "predictor",
                    slide: "classifier/regressor",
                    from: "1:/diagnostics/scorer",
                    expect: Contains("linear regression"),
                },
                Number {
                    what: "inputs kept",
                    slide: "–",
                    from: "1:/diagnostics/n_components",
                    expect: Near(6.0, 0.0),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Are We Satisfied? (feature selection)",
            title: "A local search misses the best set",
            text: "Forward selection on the diabetes data ends with eight inputs and error 3013; trying all 2¹⁰ sets finds six inputs with error 3001. The first five \
                   steps agree with the best sets of their size, the sixth does not.",
            files: &[],
            commands: &[
                "sequential-selection diabetes --scorer linear --measure mean_squared_error --json",
                "sequential-selection diabetes --scorer linear --measure mean_squared_error --direction exhaustive --json",
            ],
            python: "import charta\n\
                     X, y = charta.diabetes()\n\
                     options = dict(n_features_to_select='best', scoring='neg_mean_squared_error', cv=5)\n\
                     for direction in ('forward', 'exhaustive'):\n    \
                         select = charta.SequentialFeatureSelector('linear', direction=direction, **options).fit(X, y)\n    \
                         print(direction, select.n_sets_evaluated_, select.get_support().sum(), select.error_)",
            rust: "SequentialSelection { direction: Direction::Exhaustive, scorer: Scorer::Linear, measure: Measure::MeanSquaredError, ..Default::default() }.fit(&data)?",
            figures: &[],
            numbers: &[
                Number {
                    what: "sets that the forward search judged",
                    slide: "O(d²)",
                    from: "1:/diagnostics/n_sets_evaluated",
                    expect: Near(56.0, 0.0),
                },
                Number {
                    what: "least error that it found",
                    slide: "not guaranteed to be optimal",
                    from: "1:/diagnostics/best_error",
                    expect: AtLeast(3012.0),
                },
                Number {
                    what: "all sets of ten inputs",
                    slide: "–",
                    from: "2:/diagnostics/n_sets_evaluated",
                    expect: Near(1024.0, 0.0),
                },
                Number {
                    what: "least error of all sets",
                    slide: "–",
                    from: "2:/diagnostics/best_error",
                    expect: AtMost(3001.0),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Are We Satisfied? (feature selection)",
            title: "Combinations of pixels beat single pixels",
            text: "The nine best pixels of the handwritten digits leave 13 % of the held-out rows wrong; the first nine principal components, which are combinations of \
                   all pixels and know nothing of the classes, leave 9 %.",
            files: &[],
            commands: &[
                "sequential-selection digits -n 9 --scorer lda --validation 3 --json",
                "pca digits -n 9 -o components.csv --quiet",
                "sequential-selection components.csv --label digit -n 9 --scorer lda --validation 3 --json",
            ],
            python: "import charta\n\
                     X, y = charta.digits()\n\
                     pixels = charta.SequentialFeatureSelector('lda', n_features_to_select=9, cv=3).fit(X, y)\n\
                     Z = charta.PCA(9).fit_transform(X)\n\
                     combinations = charta.SequentialFeatureSelector('lda', n_features_to_select=9, cv=3).fit(Z, y)\n\
                     print(pixels.error_, combinations.error_)",
            rust: "let model = Pca { n_components: Components::Count(9), ..Default::default() }.fit(&data)?;",
            figures: &[],
            numbers: &[
                Number {
                    what: "error with nine pixels",
                    slide: "pixels do not carry much discriminative information",
                    from: "1:/diagnostics/error",
                    expect: AtLeast(0.12),
                },
                Number {
                    what: "error with nine combinations",
                    slide: "combinations of pixels carry identities",
                    from: "3:/diagnostics/error",
                    expect: AtMost(0.10),
                },
            ],
            departures: "The slide speaks of photographs of faces; the built-in images with classes are handwritten digits.",
        },
        Item {
            slide: "Principal Component Analysis; Solving w_1, …, w_k",
            title: "Principal components by hand",
            text: "Four rows on a cross around (1, 1). With divisor N their covariance is (2.5, 1.5; 1.5, 2.5), with eigenvalues 4 and 1 and the orthonormal \
                   eigenvectors (1, 1)/√2 and (1, −1)/√2. The coordinates are z = Wᵀ(x − m), of variance λ, or 1 after division by √λ.",
            files: &[CROSS],
            commands: &[
                "pca cross.csv --population -o z.csv --input-plot cross.svg --json",
                "pca cross.csv --population --whiten -o white.csv --quiet",
                "pca white.csv --population --json",
            ],
            python: "import charta, numpy as np\n\
                     X = np.array([[3, 3], [-1, -1], [2, 0], [0, 2.0]])\n\
                     pca = charta.PCA(population=True).fit(X)\n\
                     W = pca.components_.T\n\
                     print(pca.explained_variance_, W.T @ W, pca.mean_)\n\
                     assert np.allclose(pca.transform(X), (X - pca.mean_) @ W)\n\
                     print(charta.PCA(population=True, whiten=True).fit_transform(X).var(axis=0))\n\
                     charta.plot_input(pca, X).save('cross.svg')",
            rust: "let model = Pca { population: true, whiten: true, ..Default::default() }.fit(&x)?;\n\
                   let z = model.transform(&x)?;",
            figures: &[(
                "cross.svg",
                "The rows with both principal components, two standard deviations to either side of the mean.",
            )],
            numbers: &[
                Number {
                    what: "mean m, first entry",
                    slide: "m",
                    from: "1:/diagnostics/mean/0",
                    expect: Near(1.0, 1e-12),
                },
                Number {
                    what: "largest eigenvalue = Var(z1)",
                    slide: "w1ᵀS w1 = λ1",
                    from: "1:/diagnostics/explained_variance/0",
                    expect: Near(4.0, 1e-12),
                },
                Number {
                    what: "second eigenvalue = Var(z2)",
                    slide: "w2ᵀS w2 = λ2",
                    from: "1:/diagnostics/explained_variance/1",
                    expect: Near(1.0, 1e-12),
                },
                Number {
                    what: "w1, first entry = 1/√2",
                    slide: "‖w_i‖ = 1",
                    from: "1:/diagnostics/components/0/0",
                    expect: Near(std::f64::consts::FRAC_1_SQRT_2, 1e-12),
                },
                Number {
                    what: "w1, second entry",
                    slide: "‖w_i‖ = 1",
                    from: "1:/diagnostics/components/0/1",
                    expect: Near(std::f64::consts::FRAC_1_SQRT_2, 1e-12),
                },
                Number {
                    what: "w2, first entry",
                    slide: "w2ᵀw1 = 0",
                    from: "1:/diagnostics/components/1/0",
                    expect: Near(std::f64::consts::FRAC_1_SQRT_2, 1e-12),
                },
                Number {
                    what: "w2, second entry",
                    slide: "w2ᵀw1 = 0",
                    from: "1:/diagnostics/components/1/1",
                    expect: Near(-std::f64::consts::FRAC_1_SQRT_2, 1e-12),
                },
                Number {
                    what: "variance of z1 divided by √λ1",
                    slide: "unit variance",
                    from: "3:/diagnostics/explained_variance/0",
                    expect: Near(1.0, 1e-12),
                },
                Number {
                    what: "variance of z2 divided by √λ2",
                    slide: "unit variance",
                    from: "3:/diagnostics/explained_variance/1",
                    expect: Near(1.0, 1e-12),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Effects of PCA (figure)",
            title: "Centred and rotated: before and after",
            text: "Left the input with its principal axes, right the same rows along these axes: centred, and \
                   with a diagonal covariance: the principal axes of the new coordinates are their own axes.",
            files: &[],
            commands: &[
                "pca gaussian-pair:600 --population --input-plot before.svg --plot after.svg -o z.csv --json",
                "pca z.csv --population --json",
            ],
            python: "import charta, numpy as np\n\
                     X, y = charta.gaussian_pair(600)\n\
                     pca = charta.PCA(population=True).fit(X)\n\
                     Z = pca.transform(X)\n\
                     print(np.corrcoef(X.T)[0, 1], np.corrcoef(Z.T)[0, 1])\n\
                     charta.plot_input(pca, X, labels=y).save('before.svg')\n\
                     charta.plot(pca, labels=y).save('after.svg')",
            rust: "let model = Pca { population: true, ..Default::default() }.fit(&x)?;\n\
                   let (mean, axes) = (model.mean(), model.components());",
            figures: &[
                ("before.svg", "Before: the input and its principal axes."),
                ("after.svg", "After: the same rows along these axes."),
            ],
            numbers: &[
                Number {
                    what: "first axis of z: its own first coordinate",
                    slide: "Σ_z is always diagonal",
                    from: "2:/diagnostics/components/0/0",
                    expect: Near(1.0, 1e-9),
                },
                Number {
                    what: "first axis of z: nothing of the second",
                    slide: "Σ_z is always diagonal",
                    from: "2:/diagnostics/components/0/1",
                    expect: Near(0.0, 1e-9),
                },
                Number {
                    what: "mean of z1",
                    slide: "PCA centers the instances",
                    from: "2:/diagnostics/mean/0",
                    expect: Near(0.0, 1e-12),
                },
                Number {
                    what: "variance of z1",
                    slide: "highest variance",
                    from: "2:/diagnostics/explained_variance/0",
                    expect: Near(0.136_212, 1e-6),
                },
                Number {
                    what: "λ1 of the input",
                    slide: "λ1",
                    from: "1:/diagnostics/explained_variance/0",
                    expect: Near(0.136_212, 1e-6),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Effects of PCA (figure)",
            title: "A diagonal covariance makes naive Bayes feasible",
            text: "Two classes lie on parallel lines, and each input alone says next to nothing of the class. Naive Bayes, which takes the inputs for independent within \
                   a class, fails on them; along the principal axes, which are not correlated, it makes no mistake.",
            files: &[STRIPES],
            commands: &[
                "sequential-selection stripes.csv -n 2 --scorer naive_bayes --json",
                "pca stripes.csv --input-plot stripes.svg -o z.csv --quiet",
                "sequential-selection z.csv --label class -n 2 --scorer naive_bayes --json",
            ],
            python: "import charta, pandas as pd\n\
                     table = pd.read_csv('stripes.csv')\n\
                     X, y = table[['x1', 'x2']], table['class']\n\
                     Z = charta.PCA(2).fit_transform(X)\n\
                     for rows in (X, Z):\n    \
                         print(charta.SequentialFeatureSelector('naive_bayes', n_features_to_select=2).fit(rows, y).error_)",
            rust: "let z = Pca::default().fit(&data)?.transform(&data)?;\n\
                   let error = SequentialSelection { scorer: Scorer::NaiveBayes, n_components: FeatureCount::Count(2), ..Default::default() }.fit(&labelled)?.chosen().error;",
            figures: &[("stripes.svg", "The two classes with the principal axes.")],
            numbers: &[
                Number {
                    what: "error of naive Bayes on the inputs",
                    slide: "–",
                    from: "1:/diagnostics/error",
                    expect: AtLeast(0.5),
                },
                Number {
                    what: "error of naive Bayes along the principal axes",
                    slide: "naive Bayes' classifiers feasible",
                    from: "3:/diagnostics/error",
                    expect: Near(0.0, 1e-12),
                },
            ],
            departures: "",
        },
        Item {
            slide: "The Scree Graph",
            title: "How many components: proportion of variance and elbow",
            text: "The variances of the components of the handwritten digits and their cumulative proportion. More than 90 % of the variance takes 21 of the 64 components; \
                   the elbow is at 12. Other rules stand beside these two.",
            files: &[],
            commands: &[
                "scree digits --plot scree.svg --json",
                "pca digits -n 0.9 --json",
                "pca digits -n elbow --json",
            ],
            python: "import charta\n\
                     X, y = charta.digits()\n\
                     print(charta.PCA(0.9).fit(X).n_components_, charta.PCA('elbow').fit(X).n_components_)\n\
                     scree = charta.scree(X)\n\
                     print(scree)\n\
                     scree.plot().save('scree.svg')",
            rust: "let scree = Scree::of(&Run::new(), &data, &ScreeOptions::default())?;\n\
                   let model = Pca { n_components: Components::Proportion(0.9), ..Default::default() }.fit(&x)?;",
            figures: &[(
                "scree.svg",
                "Scree graph with the number of components by each rule.",
            )],
            numbers: &[
                Number {
                    what: "components for 90 % of the variance",
                    slide: "more than 90 %",
                    from: "2:/diagnostics/n_components",
                    expect: Near(21.0, 0.0),
                },
                Number {
                    what: "the same in the table of rules",
                    slide: "more than 90 %",
                    from: "1:/rules/1/n_components",
                    expect: Near(21.0, 0.0),
                },
                Number {
                    what: "components before the elbow",
                    slide: "elbow",
                    from: "3:/diagnostics/n_components",
                    expect: Near(12.0, 0.0),
                },
            ],
            departures: "The slide does not name its data.",
        },
        Item {
            slide: "Are We Satisfied? (1/3)",
            title: "Eigenfaces",
            text: "698 images of a head in every pose and light. The components are images themselves: the first has one side of the head light and the other dark. \
                   Nine of them hold 72 % of the variance of 1,024 pixels.",
            files: &[],
            commands: &[
                "pca head -n 9 --components-plot eigenfaces.png --components-color grey --json",
            ],
            python: "import charta\n\
                     X, y = charta.head()\n\
                     pca = charta.PCA(9).fit(X)\n\
                     print(pca.explained_variance_ratio_.sum())\n\
                     charta.plot_components(pca, image_shape=(32, 32), color='grey').save('eigenfaces.png')",
            rust: "let model = Pca { n_components: Components::Count(9), ..Default::default() }.fit(&x)?;\n\
                   let eigenfaces = model.components();    // nine rows of 32 × 32 pixels",
            figures: &[("eigenfaces.png", "Mean and first nine eigenfaces.")],
            numbers: &[Number {
                what: "proportion of the variance of the first image",
                slide: "–",
                from: "1:/diagnostics/explained_variance_ratio/0",
                expect: Near(0.310, 0.001),
            }],
            departures: "Drawn heads in place of photographs.",
        },
        Item {
            slide: "Are We Satisfied? (1/3)",
            title: "One input of large variance hides the others",
            text: "The thirteen measurements of wine are in different units, and one of them, proline, has variances in the tens of thousands: 99.8 % of the variance lies along it. \
                   After z-normalization the first component holds 36 % and mixes all measurements.",
            files: &[],
            commands: &[
                "pca wine --plot raw.svg --json",
                "pca wine --scale z-score --plot normalized.svg --json",
            ],
            python: "import charta\n\
                     X, y = charta.wine()\n\
                     for scale in (False, True):\n    \
                         pca = charta.PCA(2, scale=scale).fit(X)\n    \
                         print(pca.explained_variance_ratio_)\n    \
                         charta.plot(pca, y).save('normalized.svg' if scale else 'raw.svg')",
            rust: "let model = Pca { standardize: true, ..Default::default() }.fit(&x)?;",
            figures: &[
                ("raw.svg", "As measured."),
                ("normalized.svg", "After z-normalization."),
            ],
            numbers: &[
                Number {
                    what: "proportion of the first component, as measured",
                    slide: "variance of an input may be very high",
                    from: "1:/diagnostics/explained_variance_ratio/0",
                    expect: AtLeast(0.998),
                },
                Number {
                    what: "proportion of the first component, z-normalized",
                    slide: "z-normalization before PCA",
                    from: "2:/diagnostics/explained_variance_ratio/0",
                    expect: Near(0.362, 0.001),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Are We Satisfied? (1/3)",
            title: "When PCA helps: few large eigenvalues",
            text: "The four lengths of iris are highly correlated, and one component holds 92 % of their variance. Ten independent columns have ten eigenvalues of about \
                   the same size: nine components are needed for 90 %, and parallel analysis finds no correlation beyond chance.",
            files: &[],
            commands: &[
                "scree iris --plot few.svg --json",
                "scree blobs:500,centers=1,columns=10 --plot many.svg --json",
            ],
            python: "import charta\n\
                     for X, y in (charta.iris(), charta.blobs(500, centers=1, columns=10)):\n    \
                         print(charta.scree(X))",
            rust: "let advice = Scree::of(&Run::new(), &data, &ScreeOptions::default())?.recommendation;",
            figures: &[
                ("few.svg", "Iris: one large eigenvalue."),
                ("many.svg", "Independent columns: none stands out."),
            ],
            numbers: &[
                Number {
                    what: "components for 90 % of iris",
                    slide: "small number of large eigenvalues",
                    from: "1:/recommendation/n_components",
                    expect: Near(1.0, 0.0),
                },
                Number {
                    what: "components for 90 % of ten independent columns",
                    slide: "–",
                    from: "2:/recommendation/n_components",
                    expect: Near(9.0, 0.0),
                },
                Number {
                    what: "the reason given",
                    slide: "inputs highly correlated",
                    from: "2:/recommendation/reason",
                    expect: Contains("no correlation beyond chance"),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Are We Satisfied? (2/3)",
            title: "Karhunen–Loève expansion",
            text: "Two groups far apart along x1, which vary more along x2. PCA takes them for one group and finds x1; the expansion averages the covariances of the \
                   classes, weighted by their priors, and finds x2, with variance 8/3 within the classes.",
            files: &[GROUPS],
            commands: &[
                "karhunen-loeve groups.csv --input-plot groups.svg --json",
                "pca groups.csv --json",
            ],
            python: "import charta, pandas as pd\n\
                     table = pd.read_csv('groups.csv')\n\
                     X, y = table[['x1', 'x2']], table['class']\n\
                     expansion = charta.KarhunenLoeve(2).fit(X, y)\n\
                     print(expansion.components_, expansion.explained_variance_, expansion.priors_)\n\
                     charta.plot_input(expansion, X, y).save('groups.svg')\n\
                     print(charta.PCA(1).fit(X).components_)",
            rust: "let model = KarhunenLoeve::default().fit(&Data::from(&x).with_labels(y)?)?;",
            figures: &[("groups.svg", "The groups with both axes of the expansion.")],
            numbers: &[
                Number {
                    what: "first variance within the classes, 8/3",
                    slide: "average weighted by the priors",
                    from: "1:/diagnostics/explained_variance/0",
                    expect: Near(8.0 / 3.0, 1e-12),
                },
                Number {
                    what: "second variance within the classes, 2/3",
                    slide: "average weighted by the priors",
                    from: "1:/diagnostics/explained_variance/1",
                    expect: Near(2.0 / 3.0, 1e-12),
                },
                Number {
                    what: "first axis is x2",
                    slide: "–",
                    from: "1:/diagnostics/components/0/1",
                    expect: Near(1.0, 1e-12),
                },
                Number {
                    what: "first principal component is x1",
                    slide: "PCA is a one-group procedure",
                    from: "2:/diagnostics/components/0/0",
                    expect: Near(1.0, 1e-12),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Linear Discriminant Analysis (1/3) to (3/3)",
            title: "Fisher's discriminant by hand",
            text: "Four rows of class A around (1, 0), two of class B around (5, 0). With the slide's matrices S_within is 20/3 along x1, the class means lie at ±2 from their \
                   mean, so S_between is 24, and J = 3.6. About the mean of all rows, which is usual, J = 3.2.",
            files: &[TWO],
            commands: &[
                "lda two.csv --population=false --centre classes --input-plot fisher.svg --json",
                "lda two.csv --population=false --json",
            ],
            python: "import charta, pandas as pd\n\
                     table = pd.read_csv('two.csv')\n\
                     X, y = table[['x1', 'x2']], table['class']\n\
                     lda = charta.LDA(population=False, centre='classes').fit(X, y)\n\
                     print(lda.separation_, lda.class_means_)\n\
                     charta.plot_input(lda, X, y).save('fisher.svg')",
            rust: "let model = Lda { population: false, centre: Centre::Classes, ..Default::default() }.fit(&Data::from(&x).with_labels(y)?)?;",
            figures: &[(
                "fisher.svg",
                "Both classes, the discriminant axis, and the feet of the rows on it.",
            )],
            numbers: &[
                Number {
                    what: "mean of class A along x1",
                    slide: "m_1",
                    from: "1:/diagnostics/class_means/0/0",
                    expect: Near(1.0, 1e-12),
                },
                Number {
                    what: "mean of class B along x1",
                    slide: "m_2",
                    from: "1:/diagnostics/class_means/1/0",
                    expect: Near(5.0, 1e-12),
                },
                Number {
                    what: "S_within / N along x1, 20/18",
                    slide: "Σ N_i S_i",
                    from: "1:/diagnostics/covariance_within/0/0",
                    expect: Near(20.0 / 18.0, 1e-12),
                },
                Number {
                    what: "S_within / N along x2, 8/18",
                    slide: "Σ N_i S_i",
                    from: "1:/diagnostics/covariance_within/1/1",
                    expect: Near(8.0 / 18.0, 1e-12),
                },
                Number {
                    what: "J(w1) with m the mean of the class means",
                    slide: "m = (1/K) Σ m_i",
                    from: "1:/diagnostics/separation/0",
                    expect: Near(3.6, 1e-12),
                },
                Number {
                    what: "J(w1) with m the mean of all rows",
                    slide: "–",
                    from: "2:/diagnostics/separation/0",
                    expect: Near(3.2, 1e-12),
                },
            ],
            departures: "The lecture's S_i divide by N_i − 1 and its m is the unweighted mean of the class means; charta has both as options, and the usual definitions as defaults.",
        },
        Item {
            slide: "Linear Discriminant Analysis (3/3)",
            title: "Orthogonal discriminant axes",
            text: "The eigenvectors of S_within⁻¹ S_between are not orthogonal. With the constraint of the slide they are: both axes of these nine rows in the plane form a rotation, \
                   which leaves all distances as they are, while the usual axes change them.",
            files: &[THREE],
            commands: &[
                "lda three.csv -n 2 --orthogonal --quality --input-plot orthogonal.svg --json",
                "lda three.csv -n 2 --quality --input-plot usual.svg --json",
            ],
            python: "import charta, pandas as pd\n\
                     table = pd.read_csv('three.csv')\n\
                     X, y = table[['x1', 'x2']], table['class']\n\
                     W = charta.LDA(n_components=2, orthogonal=True).fit(X, y).components_\n\
                     print(W @ W.T)",
            rust: "let model = Lda { orthogonal: true, ..Default::default() }.fit(&Data::from(&x).with_labels(y)?)?;",
            figures: &[
                ("orthogonal.svg", "Orthogonal axes."),
                (
                    "usual.svg",
                    "Axes that are not correlated within the classes.",
                ),
            ],
            numbers: &[
                Number {
                    what: "change of the distances by orthogonal axes (stress)",
                    slide: "orthogonal to each other",
                    from: "1:/quality/stress_1",
                    expect: Near(0.0, 1e-12),
                },
                Number {
                    what: "change of the distances by the usual axes",
                    slide: "–",
                    from: "2:/quality/stress_1",
                    expect: AtLeast(0.1),
                },
                Number {
                    what: "J(w1) = 10 + √9.75 of orthogonal axes",
                    slide: "J(w_1) the highest",
                    from: "1:/diagnostics/separation/0",
                    expect: Near(13.122_498_999_199, 1e-9),
                },
                Number {
                    what: "J(w1) = 10 + √9.75 of the usual axes",
                    slide: "J(w_1) the highest",
                    from: "2:/diagnostics/separation/0",
                    expect: Near(13.122_498_999_199, 1e-9),
                },
            ],
            departures: "Orthogonality and uncorrelated coordinates within classes exclude each other; the slides ask for the first and solve for the second. `--orthogonal` does what they ask.",
        },
        Item {
            slide: "Deciding k",
            title: "At most K − 1 axes",
            text: "S_between is a sum of K matrices of rank 1 whose vectors add to zero, so its rank is at most K − 1: nine axes for ten digits, two for three growers of wine.",
            files: &[],
            commands: &["lda digits -n all --json", "lda wine -n all --json"],
            python: "import charta\n\
                     for X, y in (charta.digits(), charta.wine()):\n    \
                         print(len(set(y)), charta.LDA().fit(X, y).transform(X).shape[1])",
            rust: "Lda { n_components: ComponentCount::All, ..Default::default() }.fit(&data)?.n_components()",
            figures: &[],
            numbers: &[
                Number {
                    what: "axes for K = 10 digits",
                    slide: "K − 1",
                    from: "1:/diagnostics/n_components",
                    expect: Near(9.0, 0.0),
                },
                Number {
                    what: "axes for K = 3 growers",
                    slide: "K − 1",
                    from: "2:/diagnostics/n_components",
                    expect: Near(2.0, 0.0),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Are We Satisfied? (LDA)",
            title: "A singular S_within: PCA first",
            text: "Thirty rows of three classes in fifty columns: S_within has rank 27 and no inverse. charta projects the rows to the 27 principal components first and says so, and it warns \
                   that a perfect separation of so few rows means nothing.",
            files: &[],
            commands: &["lda blobs:30,centers=3,columns=50 --plot singular.svg --json"],
            python: "import charta\n\
                     X, y = charta.blobs(30, centers=3, columns=50)\n\
                     lda = charta.LDA(n_components=2).fit(X, y)    # warns\n\
                     print(lda.rank_within_)",
            rust: "Lda { singular: Singular::Pca, ..Default::default() }.fit(&data)?",
            figures: &[("singular.svg", "The three classes along both axes.")],
            numbers: &[
                Number {
                    what: "rank of S_within, N − K",
                    slide: "S_within must be invertible",
                    from: "1:/diagnostics/rank_within",
                    expect: Near(27.0, 0.0),
                },
                Number {
                    what: "what is done",
                    slide: "apply PCA first",
                    from: "1:/warnings/1",
                    expect: Contains("projected to 27 principal components"),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Are We Satisfied? (LDA)",
            title: "Any classifier after LDA",
            text: "The two discriminant coordinates of wine are a table like any other: three classifiers are cross-validated on them and make no mistake. The model predicts new rows \
                   itself, too.",
            files: &[],
            commands: &[
                "lda wine --save lda.charta -o z.csv --plot wine.svg --json",
                "sequential-selection z.csv --label class -n 2 --scorer k_nearest --json",
                "sequential-selection z.csv --label class -n 2 --scorer naive_bayes --json",
                "sequential-selection z.csv --label class -n 2 --scorer logistic --json",
                "predict lda.charta wine --json",
            ],
            python: "import charta\n\
                     from sklearn.model_selection import cross_val_score\n\
                     from sklearn.naive_bayes import GaussianNB\n\
                     from sklearn.neighbors import KNeighborsClassifier\n\
                     from sklearn.pipeline import make_pipeline\n\
                     X, y = charta.wine()\n\
                     for classifier in (GaussianNB(), KNeighborsClassifier()):\n    \
                         print(cross_val_score(make_pipeline(charta.LDA(n_components=2), classifier), X, y).mean())",
            rust: "let model = Lda::default().fit(&data)?;\n\
                   let (z, predicted) = (model.transform(&x)?, model.predict(&x)?);",
            figures: &[("wine.svg", "Wine along its two discriminant axes.")],
            numbers: &[
                Number {
                    what: "error of k nearest neighbours",
                    slide: "any classifier",
                    from: "2:/diagnostics/error",
                    expect: Near(0.0, 1e-12),
                },
                Number {
                    what: "error of naive Bayes",
                    slide: "any classifier",
                    from: "3:/diagnostics/error",
                    expect: Near(0.0, 1e-12),
                },
                Number {
                    what: "error of logistic regression",
                    slide: "any classifier",
                    from: "4:/diagnostics/error",
                    expect: Near(0.0, 1e-12),
                },
                Number {
                    what: "accuracy of the model's own predictions",
                    slide: "–",
                    from: "5:/evaluation/accuracy",
                    expect: Near(1.0, 1e-12),
                },
            ],
            departures: "On the command line the discriminant axes have seen all rows before the classifiers are cross-validated; a pipeline in Python fits them within each fold.",
        },
        Item {
            slide: "Are We Satisfied? (LDA)",
            title: "When LDA helps: classes in groups",
            text: "Three normal groups are separated without a mistake. A circle around another has the same mean, and the line between the classes that LDA draws is no better than \
                   chance.",
            files: &[],
            commands: &[
                "lda blobs:300,centers=3,columns=2 --input-plot groups.svg --json",
                "lda circles:400,noise=0.05 --input-plot circles.svg --json",
            ],
            python: "import charta\n\
                     for X, y in (charta.blobs(300, centers=3, columns=2), charta.circles(400, noise=0.05)):\n    \
                         print(charta.LDA().fit(X, y).score(X, y))",
            rust: "let model = Lda::default().fit(&data)?;\n\
                   let predicted = model.predict(&x)?;",
            figures: &[
                ("groups.svg", "Classes in groups."),
                ("circles.svg", "A class around another."),
            ],
            numbers: &[
                Number {
                    what: "accuracy for groups",
                    slide: "distributed in groups (e.g., normal)",
                    from: "1:/diagnostics/training_accuracy",
                    expect: Near(1.0, 1e-12),
                },
                Number {
                    what: "accuracy for circles",
                    slide: "–",
                    from: "2:/diagnostics/training_accuracy",
                    expect: AtMost(0.6),
                },
            ],
            departures: "",
        },
        Item {
            slide: "PCA vs. LDA (figure)",
            title: "Handwritten digits in two of nine coordinates",
            text: "The digits along the first two principal components and the first two discriminant axes, drawn as numerals. LDA leads to groups that are further apart: 0, 4 and 6 stand \
                   alone, and the nearest neighbours tell more of the class.",
            files: &[],
            commands: &["compare digits --methods pca,lda --glyphs --plot digits.png --json"],
            python: "import charta\n\
                     X, y = charta.digits()\n\
                     found = charta.compare(X, {'PCA': charta.PCA(2), 'LDA': charta.LDA(n_components=2)}, labels=y)\n\
                     print(found)\n\
                     found.plot(glyphs=True).save('digits.png')",
            rust: "let panels = [Pca::default().fit(&data)?.transform(&x)?, Lda::default().fit(&data)?.transform(&x)?];",
            figures: &[("digits.png", "PCA and LDA of 1,797 handwritten digits.")],
            numbers: &[
                Number {
                    what: "k-NN accuracy in the plane of PCA",
                    slide: "–",
                    from: "1:/maps/0/nearest_accuracy",
                    expect: AtMost(0.66),
                },
                Number {
                    what: "k-NN accuracy in the plane of LDA",
                    slide: "better separation between classes",
                    from: "1:/maps/1/nearest_accuracy",
                    expect: AtLeast(0.68),
                },
            ],
            departures: "1,797 digits of the same source in place of the slide's set.",
        },
        Item {
            slide: "PCA vs. LDA (homework)",
            title: "The same direction, and orthogonal directions",
            text: "If the classes lie apart along the direction of largest variance, both methods find it. If they lie apart across that direction, PCA keeps what the classes have in common and \
                   LDA what separates them: the directions are orthogonal.",
            files: &[SAME, ACROSS],
            commands: &[
                "pca same.csv -n 1 --input-plot same_pca.svg --json",
                "lda same.csv -n 1 --orthogonal --input-plot same_lda.svg --json",
                "pca across.csv -n 1 --input-plot across_pca.svg --json",
                "lda across.csv -n 1 --orthogonal --input-plot across_lda.svg --json",
            ],
            python: "import charta, pandas as pd\n\
                     for name in ('same.csv', 'across.csv'):\n    \
                         table = pd.read_csv(name)\n    \
                         X, y = table[['x1', 'x2']], table['class']\n    \
                         pca, lda = charta.PCA(1).fit(X), charta.LDA(n_components=1, orthogonal=True).fit(X, y)\n    \
                         print(name, pca.components_, lda.components_)\n    \
                         charta.plot_input(pca, X, y).save(name.replace('.csv', '_pca.svg'))\n    \
                         charta.plot_input(lda, X, y).save(name.replace('.csv', '_lda.svg'))",
            rust: "let axes = (Pca::default().fit(&data)?.components().clone(), Lda::default().fit(&data)?.components().clone());",
            figures: &[
                ("same_pca.svg", "PCA: along the classes."),
                ("same_lda.svg", "LDA: the same direction."),
                ("across_pca.svg", "PCA: the direction of largest variance."),
                ("across_lda.svg", "LDA: orthogonal to it."),
            ],
            numbers: &[
                Number {
                    what: "PCA, classes along: x1",
                    slide: "the same",
                    from: "1:/diagnostics/components/0/0",
                    expect: Near(1.0, 1e-12),
                },
                Number {
                    what: "LDA, classes along: x1",
                    slide: "the same",
                    from: "2:/diagnostics/components/0/0",
                    expect: Near(1.0, 1e-12),
                },
                Number {
                    what: "PCA, classes across: x1",
                    slide: "orthogonal",
                    from: "3:/diagnostics/components/0/0",
                    expect: Near(1.0, 1e-12),
                },
                Number {
                    what: "LDA, classes across: x1",
                    slide: "orthogonal",
                    from: "4:/diagnostics/components/0/0",
                    expect: Near(0.0, 1e-12),
                },
                Number {
                    what: "LDA, classes across: x2",
                    slide: "orthogonal",
                    from: "4:/diagnostics/components/0/1",
                    expect: Near(1.0, 1e-12),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Kernel PCA: Basic Idea (Fig. 1)",
            title: "Contour lines of constant feature value",
            text: "Rows along a parabola, with lines on which the first coordinate has the same value. For the linear kernel they are straight and perpendicular to an axis; for a polynomial \
                   kernel, PCA in its feature space bends them across the parabola.",
            files: &[],
            commands: &[
                "kernel-pca curve:150 --kernel linear --input-plot linear.svg --contours --json",
                "kernel-pca curve:150 --kernel polynomial --degree 4 --gamma 1 --input-plot polynomial.svg --contours --json",
                "pca curve:150 --json",
            ],
            python: "import charta\n\
                     X, t = charta.curve(150)\n\
                     linear = charta.KernelPCA(2, kernel='linear').fit(X)\n\
                     bent = charta.KernelPCA(2, kernel='poly', degree=4, gamma=1).fit(X)\n\
                     for name, estimator in (('linear.svg', linear), ('polynomial.svg', bent)):\n    \
                         charta.plot_input(estimator, X, t, contours=0).save(name)",
            rust: "let kernel = Kernel { kernel: KernelKind::Polynomial, degree: 4, gamma: Gamma::Value(1.0), ..Default::default() };\n\
                   let model = KernelPca { kernel, ..Default::default() }.fit(&x)?;",
            figures: &[
                ("linear.svg", "Linear kernel."),
                ("polynomial.svg", "Polynomial kernel of degree 4."),
            ],
            numbers: &[
                Number {
                    what: "share of the first component, linear kernel",
                    slide: "standard dot product",
                    from: "1:/diagnostics/explained_variance_ratio/0",
                    expect: Near(0.786_696, 1e-6),
                },
                Number {
                    what: "share of the first component, PCA",
                    slide: "PCA",
                    from: "3:/diagnostics/explained_variance_ratio/0",
                    expect: Near(0.786_696, 1e-6),
                },
            ],
            departures: "The slide shows a figure of B. Schölkopf et al. with an unnamed cloud; rows along a parabola stand for it.",
        },
        Item {
            slide: "Solving α^(1), …, α^(k)",
            title: "Kernel PCA by hand: PCA in the feature space",
            text: "The kernel (x·y)² has the feature map (x1², √2 x1 x2, x2²). For six rows in the plane the eigenvalues of the centred kernel matrix are 4, 2 and 2/3, which is N = 6 times those of PCA \
                   of the lifted rows, and all distances between the coordinates agree.",
            files: &[POINTS, LIFTED],
            commands: &[
                "kernel-pca points.csv -n 3 --kernel polynomial --degree 2 --gamma 1 --coef0 0 -o z.csv --json",
                "pca lifted.csv -n 3 --population --json",
                "quality lifted.csv z.csv --json",
            ],
            python: "import charta, numpy as np\n\
                     X = np.loadtxt('points.csv', delimiter=',', skiprows=1)\n\
                     lifted = np.loadtxt('lifted.csv', delimiter=',', skiprows=1)\n\
                     kernel = charta.KernelPCA(3, kernel='poly', degree=2, gamma=1, coef0=0).fit(X)\n\
                     pca = charta.PCA(3, population=True).fit(lifted)\n\
                     print(kernel.eigenvalues_, len(X) * pca.explained_variance_)\n\
                     assert np.allclose(abs(kernel.transform(X)), abs(pca.transform(lifted)))",
            rust: "let kernel = Kernel { kernel: KernelKind::Polynomial, degree: 2, gamma: Gamma::Value(1.0), coef0: 0.0, ..Default::default() };\n\
                   let model = KernelPca { n_components: ComponentCount::Count(3), kernel, ..Default::default() }.fit(&x)?;",
            figures: &[],
            numbers: &[
                Number {
                    what: "first eigenvalue of K",
                    slide: "λ̃ = N λ",
                    from: "1:/diagnostics/eigenvalues/0",
                    expect: Near(4.0, 1e-12),
                },
                Number {
                    what: "first eigenvalue of S after the lifting, 4/6",
                    slide: "λ",
                    from: "2:/diagnostics/explained_variance/0",
                    expect: Near(4.0 / 6.0, 1e-12),
                },
                Number {
                    what: "second eigenvalue of K",
                    slide: "λ̃ = N λ",
                    from: "1:/diagnostics/eigenvalues/1",
                    expect: Near(2.0, 1e-12),
                },
                Number {
                    what: "second eigenvalue of S, 2/6",
                    slide: "λ",
                    from: "2:/diagnostics/explained_variance/1",
                    expect: Near(2.0 / 6.0, 1e-12),
                },
                Number {
                    what: "third eigenvalue of K",
                    slide: "λ̃ = N λ",
                    from: "1:/diagnostics/eigenvalues/2",
                    expect: Near(2.0 / 3.0, 1e-12),
                },
                Number {
                    what: "third eigenvalue of S, 2/18",
                    slide: "λ",
                    from: "2:/diagnostics/explained_variance/2",
                    expect: Near(2.0 / 18.0, 1e-12),
                },
                Number {
                    what: "difference of all distances (stress): ‖w‖ = 1",
                    slide: "α ← α / (√λ̃ ‖α‖)",
                    from: "3:/quality/stress_1",
                    expect: Near(0.0, 1e-12),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Centering Φ(x) (homework)",
            title: "Centring in the feature space, also for new rows",
            text: "The kernel matrix is centred by its row and column means, and the kernels of a new row by the same means. Two new rows are placed beside the six of the fit: all distances, \
                   between old and new, are those of the lifted rows, which would not be so without centring the new ones.",
            files: &[POINTS, MORE_POINTS, MORE_LIFTED],
            commands: &[
                "kernel-pca points.csv -n 3 --kernel polynomial --degree 2 --gamma 1 --coef0 0 --save kernel.charta --quiet",
                "transform kernel.charta more.csv -o z.csv --quiet",
                "quality more_lifted.csv z.csv --json",
                "kernel-pca points.csv -n 3 --kernel polynomial --degree 2 --gamma 1 --coef0 0 -o fitted.csv --quiet",
                "pca fitted.csv --json",
            ],
            python: "import charta, numpy as np\n\
                     X = np.loadtxt('points.csv', delimiter=',', skiprows=1)\n\
                     more = np.loadtxt('more.csv', delimiter=',', skiprows=1)\n\
                     lifted = np.loadtxt('more_lifted.csv', delimiter=',', skiprows=1)\n\
                     kernel = charta.KernelPCA(3, kernel='poly', degree=2, gamma=1, coef0=0).fit(X)\n\
                     pca = charta.PCA(3).fit(lifted[:6])\n\
                     print(kernel.transform(X).mean(axis=0))\n\
                     assert np.allclose(abs(kernel.transform(more)), abs(pca.transform(lifted)))",
            rust: "let z = model.transform(&more)?;    // centred by the means of the fit",
            figures: &[],
            numbers: &[
                Number {
                    what: "mean of the first coordinate over the rows of the fit",
                    slide: "centered",
                    from: "5:/diagnostics/mean/0",
                    expect: Near(0.0, 1e-12),
                },
                Number {
                    what: "difference of all distances, new rows included (stress)",
                    slide: "Homework",
                    from: "3:/quality/stress_1",
                    expect: Near(0.0, 1e-12),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Why Nonlinear Mappings?; PCA vs. Kernel PCA (figure)",
            title: "Circles that no projection separates",
            text: "A linear map of two circles keeps one within the other: along its first component a quarter of the rows is taken for the wrong circle. The first component of kernel PCA with a \
                   Gaussian kernel is the distance from the centre, and separates them.",
            files: &[],
            commands: &[
                "pca circles:300 -n 1 --quality --json",
                "kernel-pca circles:300 -n 1 --gamma 2 --quality --json",
                "compare circles:300 --methods pca,kernel_pca:gamma=2 --plot circles.svg --quiet",
                "kernel-pca circles:300 --gamma 2 --input-plot contours.svg --contours --quiet",
            ],
            python: "import charta\n\
                     X, y = charta.circles(300)\n\
                     for estimator in (charta.PCA(1), charta.KernelPCA(1, kernel='rbf', gamma=2)):\n    \
                         print(estimator.fit(X).quality(X, labels=y)['nearest_accuracy'])\n\
                     charta.plot_input(charta.KernelPCA(2, kernel='rbf', gamma=2).fit(X), X, y, contours=0).save('contours.svg')",
            rust: "let kernel = Kernel { gamma: Gamma::Value(2.0), ..Default::default() };\n\
                   let model = KernelPca { kernel, ..Default::default() }.fit(&x)?;",
            figures: &[
                ("circles.svg", "PCA and kernel PCA."),
                (
                    "contours.svg",
                    "Lines of constant value of the first kernel component.",
                ),
            ],
            numbers: &[
                Number {
                    what: "k-NN accuracy along one component of PCA",
                    slide: "this linear mapping does not help",
                    from: "1:/quality/nearest_accuracy/0",
                    expect: AtMost(0.9),
                },
                Number {
                    what: "k-NN accuracy along one component of kernel PCA",
                    slide: "–",
                    from: "2:/quality/nearest_accuracy/0",
                    expect: Near(1.0, 1e-12),
                },
            ],
            departures: "The data of the slide's figure is not named.",
        },
        Item {
            slide: "Manifold-Preserved Nonlinear Mapping",
            title: "Images of a head form a manifold of three dimensions",
            text: "698 images of 1,024 pixels that differ in two angles of pose and one of light. Three coordinates of Isomap leave less than 2 % of the variance of the distances along the manifold; \
                   a linear map needs 35 components for 90 % of the variance of the pixels.",
            files: &[],
            commands: &[
                "isomap head -k 6 -n 3 --images-plot head.png --scree-plot residual.svg --json",
                "pca head -n 0.9 --json",
            ],
            python: "import charta\n\
                     X, turn = charta.head()\n\
                     isomap = charta.Isomap(n_neighbors=6, n_components=3).fit(X)\n\
                     print(isomap.residual_variance_[:3], charta.PCA(0.9).fit(X).n_components_)\n\
                     charta.plot_images(isomap, X, turn, image_shape=(32, 32)).save('head.png')\n\
                     charta.plot_scree(isomap).save('residual.svg')",
            rust: "let model = Isomap { n_components: 3, neighborhood: Neighborhood::nearest(6), ..Default::default() }.fit(&x)?;",
            figures: &[
                (
                    "head.png",
                    "The images in the plane of the first two coordinates.",
                ),
                ("residual.svg", "Residual variance by number of dimensions."),
            ],
            numbers: &[
                Number {
                    what: "residual variance with three dimensions",
                    slide: "trajectory in the 10000-dimensional space",
                    from: "1:/diagnostics/residual_variance/2",
                    expect: AtMost(0.02),
                },
                Number {
                    what: "residual variance with one dimension",
                    slide: "–",
                    from: "1:/diagnostics/residual_variance/0",
                    expect: AtLeast(0.1),
                },
                Number {
                    what: "principal components for 90 %",
                    slide: "the structure may not be preserved",
                    from: "2:/diagnostics/n_components",
                    expect: AtLeast(30.0),
                },
            ],
            departures: "Drawn heads of 32 × 32 pixels in place of photographs of 100 × 100.",
        },
        Item {
            slide: "Isomap (figure)",
            title: "Geodesic against Euclidean distance",
            text: "Two points on neighbouring turns of a rolled-up sheet. The straight line between them (dashed) is 6.3 long, the shortest path along the neighbour graph (red) 72.7; on the sheet itself \
                   they are 69.1 apart. On the map the straight line is as long as the path.",
            files: &[],
            commands: &[
                "isomap swiss-roll:800 -k 7 --path 610,748 --graph --plot map.svg --input-plot roll.svg --json",
            ],
            python: "import charta\n\
                     X, t = charta.swiss_roll(800)\n\
                     isomap = charta.Isomap(n_neighbors=7).fit(X)\n\
                     print(isomap.shortest_path(610, 748))\n\
                     charta.plot(isomap, t, edges=True, path=[610, 748]).save('map.svg')\n\
                     charta.plot_input(isomap, X, t, edges=True, path=[610, 748]).save('roll.svg')",
            rust: "let graph = Neighborhood::nearest(7).graph(&Run::new(), &data)?.graph;\n\
                   let path = graph.shortest_path(610, 748);",
            figures: &[
                (
                    "roll.svg",
                    "The input: graph, path along it, and the straight line.",
                ),
                ("map.svg", "The map: the path is nearly straight."),
            ],
            numbers: &[
                Number {
                    what: "Euclidean distance in the input",
                    slide: "Euclidean distance in the input space",
                    from: "1:/path/input_distance",
                    expect: Near(6.26, 0.01),
                },
                Number {
                    what: "length along the graph (69.1 on the sheet)",
                    slide: "distance along the manifold",
                    from: "1:/path/length",
                    expect: Near(69.10, 4.0),
                },
                Number {
                    what: "Euclidean distance on the map",
                    slide: "mutual distances as close to the geodesic",
                    from: "1:/path/map_distance",
                    expect: Near(69.10, 4.0),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Measuring the Geodesic Distances",
            title: "Mahalanobis instead of Euclidean distance",
            text: "Mahalanobis distances between rows are Euclidean distances between whitened rows. Isomap of two clouds by this distance has the same eigenvalues as Isomap of their whitened \
                   principal components.",
            files: &[],
            commands: &[
                "isomap gaussian-pair:400 --metric mahalanobis --json",
                "pca gaussian-pair:400 --whiten -o white.csv --quiet",
                "isomap white.csv --label cloud --json",
                "isomap gaussian-pair:400 --json",
            ],
            python: "import charta\n\
                     X, y = charta.gaussian_pair(400)\n\
                     white = charta.PCA(2, whiten=True).fit_transform(X)\n\
                     print(charta.Isomap(n_neighbors=10, metric='mahalanobis').fit(X).eigenvalues_)\n\
                     print(charta.Isomap(n_neighbors=10).fit(white).eigenvalues_)",
            rust: "let search = Search { metric: Metric::Mahalanobis, ..Default::default() };\n\
                   let model = Isomap { neighborhood: Neighborhood { search, ..Neighborhood::nearest(10) }, ..Default::default() }.fit(&x)?;",
            figures: &[],
            numbers: &[
                Number {
                    what: "first eigenvalue, Mahalanobis distance",
                    slide: "Mahalanobis distance",
                    from: "1:/diagnostics/eigenvalues/0",
                    expect: Near(449.766_734, 1e-5),
                },
                Number {
                    what: "first eigenvalue, whitened rows",
                    slide: "covariance matrix Σ",
                    from: "3:/diagnostics/eigenvalues/0",
                    expect: Near(449.766_734, 1e-5),
                },
                Number {
                    what: "first eigenvalue, Euclidean distance",
                    slide: "–",
                    from: "4:/diagnostics/eigenvalues/0",
                    expect: AtMost(300.0),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Identifying the Neighborhood",
            title: "ε or n nearest, and a graph in one piece",
            text: "Rows are neighbours within a radius ε or among the n nearest. With ε = 3 or n = 7 the graph of the rolled-up sheet is connected; with ε = 1.5 it falls into pieces, \
                   which charta reports and joins, or refuses with `--disconnected error`.",
            files: &[],
            commands: &[
                "isomap swiss-roll:800 --radius 3 --json",
                "isomap swiss-roll:800 -k 7 --graph --plot connected.svg --json",
                "isomap swiss-roll:800 --radius 1.5 --graph --plot pieces.svg --json",
            ],
            python: "import charta\n\
                     X, t = charta.swiss_roll(800)\n\
                     for options in ({'radius': 3}, {'n_neighbors': 7}, {'radius': 1.5}):\n    \
                         print(options, charta.Isomap(**options).fit(X).n_connected_components_)",
            rust: "let neighborhood = Neighborhood { radius: Some(1.5), disconnected: Disconnected::Error, ..Default::default() };\n\
                   let refused = Isomap { neighborhood, ..Default::default() }.fit(&x).unwrap_err();",
            figures: &[
                ("connected.svg", "n = 7: one piece."),
                (
                    "pieces.svg",
                    "ε = 1.5: pieces joined by bridges, and a torn map.",
                ),
            ],
            numbers: &[
                Number {
                    what: "pieces with ε = 3",
                    slide: "still connected",
                    from: "1:/diagnostics/n_connected_components",
                    expect: Near(1.0, 0.0),
                },
                Number {
                    what: "pieces with n = 7",
                    slide: "still connected",
                    from: "2:/diagnostics/n_connected_components",
                    expect: Near(1.0, 0.0),
                },
                Number {
                    what: "pieces with ε = 1.5",
                    slide: "chosen carefully",
                    from: "3:/diagnostics/n_connected_components",
                    expect: AtLeast(2.0),
                },
                Number {
                    what: "what charta says",
                    slide: "chosen carefully",
                    from: "3:/warnings/0",
                    expect: Contains("connected components"),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Finding {z^(t)} (1/3) to (3/3)",
            title: "A U straightened by hand",
            text: "Nine rows at unit steps along a U. The distances along it are those of nine points on a line, so B = −½ J D² J has one eigenvalue, 2 (1² + 2² + 3² + 4²) = 60, and \
                   z = U D^½ is 4, 3, …, −4, centred, without any error.",
            files: &[U],
            commands: &[
                "isomap u.csv --radius 1.1 -n 1 --path 0,8 --input-plot u.svg --graph -o z.csv --json",
            ],
            python: "import charta, numpy as np\n\
                     X = np.loadtxt('u.csv', delimiter=',', skiprows=1)\n\
                     isomap = charta.Isomap(radius=1.1, n_components=1).fit(X)\n\
                     print(isomap.eigenvalues_, isomap.embedding_.ravel())\n\
                     D = abs(np.subtract.outer(np.arange(9.0), np.arange(9.0)))\n\
                     J = np.eye(9) - 1 / 9\n\
                     print(np.linalg.eigvalsh(-0.5 * J @ D**2 @ J)[-1])",
            rust: "let neighborhood = Neighborhood { radius: Some(1.1), ..Default::default() };\n\
                   let model = Isomap { n_components: 1, neighborhood, ..Default::default() }.fit(&x)?;",
            figures: &[("u.svg", "The U with its graph: 8 along it, 2 across.")],
            numbers: &[
                Number {
                    what: "eigenvalue of B",
                    slide: "B = U D Uᵀ",
                    from: "1:/diagnostics/eigenvalues/0",
                    expect: Near(60.0, 1e-9),
                },
                Number {
                    what: "geodesic distance of the ends",
                    slide: "d_{r,s}",
                    from: "1:/path/length",
                    expect: Near(8.0, 1e-12),
                },
                Number {
                    what: "their distance on the line",
                    slide: "‖z^(r) − z^(s)‖",
                    from: "1:/path/map_distance",
                    expect: Near(8.0, 1e-9),
                },
                Number {
                    what: "middle row: the centre",
                    slide: "Σ z_i = 0",
                    from: "z.csv:4:isomap1",
                    expect: Near(0.0, 1e-9),
                },
                Number {
                    what: "error of the distances",
                    slide: "exact solution",
                    from: "1:/diagnostics/reconstruction_error",
                    expect: Near(0.0, 1e-9),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Deciding k (Isomap)",
            title: "Low rank: how many coordinates",
            text: "The k largest eigenvalues of B give the best approximation of rank k in the Frobenius norm. Of a rolled-up sheet the residual variance falls at k = 2 and no further, and charta marks \
                   that number.",
            files: &[],
            commands: &[
                "isomap swiss-roll:800 -k 7 --scree-plot residual.svg --json",
                "isomap swiss-roll:800 -k 7 -n 1 --json",
            ],
            python: "import charta\n\
                     X, t = charta.swiss_roll(800)\n\
                     for k in (1, 2, 3):\n    \
                         isomap = charta.Isomap(n_neighbors=7, n_components=k).fit(X)\n    \
                         print(k, isomap.residual_variance_[k - 1], isomap.reconstruction_error_)\n\
                     charta.plot_scree(isomap).save('residual.svg')",
            rust: "let residuals = model.diagnostics().values(\"residual_variance\").unwrap().to_vec();\n\
                   let advised = charta::dimension::residual_elbow(&residuals);",
            figures: &[(
                "residual.svg",
                "Residual variance by number of dimensions, with the elbow.",
            )],
            numbers: &[
                Number {
                    what: "residual variance, k = 1",
                    slide: "‖B − B̃‖_F",
                    from: "1:/diagnostics/residual_variance/0",
                    expect: AtLeast(0.015),
                },
                Number {
                    what: "residual variance, k = 2",
                    slide: "‖B − B̃‖_F",
                    from: "1:/diagnostics/residual_variance/1",
                    expect: AtMost(0.0012),
                },
                Number {
                    what: "reconstruction error, k = 1",
                    slide: "minimized",
                    from: "2:/diagnostics/reconstruction_error",
                    expect: AtLeast(40.0),
                },
                Number {
                    what: "reconstruction error, k = 2",
                    slide: "minimized",
                    from: "1:/diagnostics/reconstruction_error",
                    expect: AtMost(15.0),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Are We Satisfied? (1/2, Isomap)",
            title: "Distances between classes in Isomap",
            text: "d′ = (1 − α) d + α c adds the distances between the classes. With α = 0.5 the three growers of wine become three islands; cross-validation of the k-NN error chooses α = 0.1, because \
                   no larger weight makes held-out rows easier to classify.",
            files: &[],
            commands: &[
                "isomap wine --scale z-score --plot without.svg --json",
                "isomap wine --scale z-score --alpha 0.5 --quality --plot with.svg --json",
                "isomap wine --scale z-score --alpha auto --json",
            ],
            python: "import charta\n\
                     from sklearn.preprocessing import StandardScaler\n\
                     X, y = charta.wine()\n\
                     X = StandardScaler().fit_transform(X)\n\
                     half = charta.Isomap(n_neighbors=10, alpha=0.5).fit(X, y)\n\
                     print(half.quality(X, labels=y)['nearest_accuracy'])\n\
                     print(charta.Isomap(n_neighbors=10, alpha='auto').fit(X, y).alpha_)",
            rust: "let model = Isomap { alpha: ClassWeight::Auto, ..Default::default() }.fit(&Data::from(&x).with_labels(y)?)?;",
            figures: &[("without.svg", "α = 0."), ("with.svg", "α = 0.5.")],
            numbers: &[
                Number {
                    what: "weight given",
                    slide: "(1 − α) d + α c",
                    from: "2:/diagnostics/alpha",
                    expect: Near(0.5, 0.0),
                },
                Number {
                    what: "k-NN accuracy on the map",
                    slide: "–",
                    from: "2:/quality/nearest_accuracy/0",
                    expect: AtLeast(0.99),
                },
                Number {
                    what: "weight by cross-validation",
                    slide: "tuned using the cross validation",
                    from: "3:/diagnostics/alpha",
                    expect: Near(0.1, 1e-9),
                },
                Number {
                    what: "accuracy with α = 0",
                    slide: "–",
                    from: "3:/diagnostics/accuracies/0",
                    expect: AtMost(0.956),
                },
                Number {
                    what: "accuracy with α = 0.1",
                    slide: "–",
                    from: "3:/diagnostics/accuracies/1",
                    expect: AtLeast(0.966),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Are We Satisfied? (2/2, Isomap)",
            title: "New rows by interpolation",
            text: "A hundred new rows of a bent sheet are placed by the weights that reconstruct them from their neighbours, without another fit. Beside their true places on the sheet they deviate \
                   as little as the rows of the fit.",
            files: &[],
            commands: &[
                "isomap s-curve:600 -k 10 --placement interpolation --save map.charta -o fitted.csv --quiet",
                "transform map.charta s-curve:100,seed=1 -o new.csv --plot new.svg --quiet",
                "data s-curve:600 -o sheet.csv --quiet",
                "data s-curve:100,seed=1 -o new_sheet.csv --quiet",
                "quality s-curve:600 fitted.csv --known sheet.csv --known-columns position,y --json",
                "quality s-curve:100,seed=1 new.csv --known new_sheet.csv --known-columns position,y --json",
            ],
            python: "import charta, numpy as np\n\
                     from scipy.spatial import procrustes\n\
                     X, t = charta.s_curve(600)\n\
                     new, position = charta.s_curve(100, random_state=1)\n\
                     isomap = charta.Isomap(n_neighbors=10, placement='interpolation').fit(X)\n\
                     print(procrustes(np.c_[position, new[:, 1]], isomap.transform(new))[2])",
            rust: "let model = Isomap { placement: Placement::Interpolation, ..Default::default() }.fit(&x)?;\n\
                   let z = model.transform(&new)?;",
            figures: &[("new.svg", "The new rows on the map.")],
            numbers: &[
                Number {
                    what: "deviation from the true places, rows of the fit",
                    slide: "–",
                    from: "5:/quality/procrustes_disparity",
                    expect: AtMost(0.002),
                },
                Number {
                    what: "deviation from the true places, new rows",
                    slide: "z = Σ w_s z^(s)",
                    from: "6:/quality/procrustes_disparity",
                    expect: AtMost(0.002),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Locally Linear Embedding (1/2), (2/2)",
            title: "Weights that do not change with place, angle and scale",
            text: "The weights that reconstruct a row from its neighbours sum to 1, so they stay if all rows are moved. LLE of wine and of the same rows moved and rotated (all its principal components) \
                   has the same eigenvalues.",
            files: &[],
            commands: &[
                "lle wine --scale z-score -k 8 --json",
                "pca wine --scale z-score -n 13 -o rotated.csv --quiet",
                "lle rotated.csv --label class -k 8 --json",
                "lle moved-face:600 -k 8 --images-plot faces.png --json",
            ],
            python: "import charta\n\
                     X, y = charta.wine()\n\
                     X = (X - X.mean(axis=0)) / X.std(axis=0)\n\
                     rotated = 3 * charta.PCA(13).fit_transform(X) + 5\n\
                     for rows in (X, rotated):\n    \
                         print(charta.LLE(n_neighbors=8).fit(rows).eigenvalues_)",
            rust: "let model = Lle { neighborhood: Neighborhood::nearest(8), ..Default::default() }.fit(&x)?;",
            figures: &[(
                "faces.png",
                "LLE of images of a face moved over noise: two directions of motion.",
            )],
            numbers: &[
                Number {
                    what: "second eigenvalue, rows as they are",
                    slide: "the combination is still valid",
                    from: "1:/diagnostics/eigenvalues/1",
                    expect: Near(1.430_36e-4, 1e-9),
                },
                Number {
                    what: "second eigenvalue, rows moved and rotated",
                    slide: "the combination is still valid",
                    from: "3:/diagnostics/eigenvalues/1",
                    expect: Near(1.430_36e-4, 1e-9),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Locally Linear Embedding (2/2)",
            title: "n ≤ d, or a ridge",
            text: "With n = 8 neighbours in d = 13 columns GᵀG is invertible, and a ridge of 10⁻⁹ or 10⁻¹² of its trace makes no difference. With n = 20 it is singular: the rows are reconstructed exactly, \
                   and the error is the ridge. charta always adds one, 10⁻³ of the trace unless told otherwise.",
            files: &[],
            commands: &[
                "lle wine --scale z-score -k 8 --regularization 1e-9 --json",
                "lle wine --scale z-score -k 8 --regularization 1e-12 --json",
                "lle wine --scale z-score -k 20 --regularization 1e-9 --json",
            ],
            python: "import charta\n\
                     X, y = charta.wine()\n\
                     X = (X - X.mean(axis=0)) / X.std(axis=0)\n\
                     for n, ridge in ((8, 1e-9), (8, 1e-12), (20, 1e-9)):\n    \
                         print(n, ridge, charta.LLE(n_neighbors=n, reg=ridge).fit(X).reconstruction_error_)",
            rust: "let model = Lle { regularization: 1e-9, neighborhood: Neighborhood::nearest(20), ..Default::default() }.fit(&x)?;",
            figures: &[],
            numbers: &[
                Number {
                    what: "error, n = 8, ridge 10⁻⁹",
                    slide: "n ≤ d",
                    from: "1:/diagnostics/reconstruction_error",
                    expect: Near(9.0461e-6, 1e-9),
                },
                Number {
                    what: "error, n = 8, ridge 10⁻¹²",
                    slide: "n ≤ d",
                    from: "2:/diagnostics/reconstruction_error",
                    expect: Near(9.0462e-6, 1e-9),
                },
                Number {
                    what: "error, n = 20, ridge 10⁻⁹",
                    slide: "invertible",
                    from: "3:/diagnostics/reconstruction_error",
                    expect: AtMost(1e-12),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Locally Linear Embedding (2/2); Solving {z^(t)} (1/3) to (3/3)",
            title: "Cov(z) = I, and the constant eigenvector discarded",
            text: "The eigenvector 1 of M, with eigenvalue 0, is discarded, so that the coordinates have mean 0. With `--unit-covariance` their covariance is the unit matrix: both its eigenvalues \
                   are 1. Without, the coordinates have length 1, and the map is the same but for its scale.",
            files: &[],
            commands: &[
                "lle wine --scale z-score -k 8 --unit-covariance -o z.csv --plot lle.svg --json",
                "pca z.csv --columns lle1,lle2 --population --json",
            ],
            python: "import charta, numpy as np\n\
                     X, y = charta.wine()\n\
                     X = (X - X.mean(axis=0)) / X.std(axis=0)\n\
                     Z = charta.LLE(n_neighbors=8, unit_covariance=True).fit_transform(X)\n\
                     print(Z.mean(axis=0), np.cov(Z.T, bias=True))",
            rust: "let model = Lle { unit_covariance: true, neighborhood: Neighborhood::nearest(8), ..Default::default() }.fit(&x)?;",
            figures: &[("lle.svg", "LLE of wine with unit covariance.")],
            numbers: &[
                Number {
                    what: "first eigenvalue of Cov(z)",
                    slide: "Cov(z) = I",
                    from: "2:/diagnostics/explained_variance/0",
                    expect: Near(1.0, 1e-9),
                },
                Number {
                    what: "second eigenvalue of Cov(z)",
                    slide: "Cov(z) = I",
                    from: "2:/diagnostics/explained_variance/1",
                    expect: Near(1.0, 1e-9),
                },
                Number {
                    what: "mean of z1",
                    slide: "E[z] = 0",
                    from: "2:/diagnostics/mean/0",
                    expect: Near(0.0, 1e-12),
                },
                Number {
                    what: "mean of z2",
                    slide: "E[z] = 0",
                    from: "2:/diagnostics/mean/1",
                    expect: Near(0.0, 1e-12),
                },
                Number {
                    what: "first eigenvalue kept is above 0",
                    slide: "discard 1",
                    from: "1:/diagnostics/eigenvalues/0",
                    expect: AtLeast(1e-8),
                },
            ],
            departures: "The slide divides by N − 1, charta, as the paper, by N.",
        },
        Item {
            slide: "Summary of Nonlinear Methods",
            title: "Interpolation for LLE",
            text: "LLE gives no mapping either, and the same interpolation places new rows: those of the fit come back to their own places, and new ones lie among them. The distances of the sheet are \
                   kept better by Isomap, the neighbourhoods by both.",
            files: &[],
            commands: &[
                "lle s-curve:600 -k 10 --save lle.charta -o fitted.csv --plot fitted.svg --json",
                "transform lle.charta s-curve:600 -o again.csv --quiet",
                "transform lle.charta s-curve:100,seed=1 -o new.csv --plot new.svg --quiet",
                "quality s-curve:600 again.csv --known fitted.csv --json",
                "quality s-curve:100,seed=1 new.csv --json",
            ],
            python: "import charta, numpy as np\n\
                     X, t = charta.s_curve(600)\n\
                     new, position = charta.s_curve(100, random_state=1)\n\
                     lle = charta.LLE(n_neighbors=10).fit(X)\n\
                     assert np.allclose(lle.transform(X), lle.embedding_)\n\
                     print(charta.trustworthiness(new, lle.transform(new)))",
            rust: "let z = Lle { neighborhood: Neighborhood::nearest(10), ..Default::default() }.fit(&x)?.transform(&new)?;",
            figures: &[
                ("fitted.svg", "The rows of the fit."),
                ("new.svg", "A hundred new rows."),
            ],
            numbers: &[
                Number {
                    what: "rows of the fit placed again: deviation",
                    slide: "interpolation applies to LLE",
                    from: "4:/quality/procrustes_disparity",
                    expect: Near(0.0, 1e-12),
                },
                Number {
                    what: "trustworthiness of the new rows",
                    slide: "interpolation applies to LLE",
                    from: "5:/quality/trustworthiness/0",
                    expect: AtLeast(0.9),
                },
            ],
            departures: "",
        },
        Item {
            slide: "Summary of Nonlinear Methods",
            title: "LLE is kernel PCA with the LLE kernel",
            text: "The matrices of a fit are written out: the weights W, M = (I − W)ᵀ(I − W), and the pseudo-inverse of M, the kernel of LLE. The smallest eigenvalue of M is 0, the next are those of LLE; \
                   and kernel PCA of the kernel gives the same map, up to the sign and scale of each axis.",
            files: &[],
            commands: &[
                "lle wine --scale z-score -k 8 --unit-covariance --steps steps -o z.csv --json",
                "linear eigen steps/M.npy --json",
                "kernel-pca steps/kernel.npy --kernel-matrix -o kernel.csv --plot kernel.svg --quiet",
                "pca kernel.csv --whiten -o white.csv --quiet",
                "quality wine z.csv --known white.csv --json",
            ],
            python: "import charta, numpy as np\n\
                     X, y = charta.wine()\n\
                     X = (X - X.mean(axis=0)) / X.std(axis=0)\n\
                     lle = charta.LLE(n_neighbors=8)\n\
                     steps = lle.steps(X)\n\
                     Z = lle.fit_transform(X)\n\
                     print(np.linalg.eigvalsh(steps['M'])[:3], lle.eigenvalues_)\n\
                     K = charta.KernelPCA(2, kernel='precomputed').fit_transform(steps['kernel'])\n\
                     print([abs(np.corrcoef(Z[:, axis], K[:, axis])[0, 1]) for axis in range(2)])",
            rust: "let steps = Lle { neighborhood: Neighborhood::nearest(8), ..Default::default() }.steps_in(&Run::new(), &data)?;\n\
                   let kernel = steps.get(\"kernel\").unwrap();",
            figures: &[("kernel.svg", "Kernel PCA with the kernel of LLE.")],
            numbers: &[
                Number {
                    what: "smallest eigenvalue of M, of the vector 1",
                    slide: "0 must be the smallest eigenvalue",
                    from: "2:/eigenvalues/177/real",
                    expect: Near(0.0, 1e-12),
                },
                Number {
                    what: "next eigenvalue of M",
                    slide: "c_1",
                    from: "2:/eigenvalues/176/real",
                    expect: Near(4.936_432e-7, 1e-12),
                },
                Number {
                    what: "first eigenvalue of LLE",
                    slide: "c_1",
                    from: "1:/diagnostics/eigenvalues/0",
                    expect: Near(4.936_432e-7, 1e-12),
                },
                Number {
                    what: "deviation of the maps from each other",
                    slide: "LLE is equivalent to kernel PCA",
                    from: "5:/quality/procrustes_disparity",
                    expect: Near(0.0, 1e-9),
                },
            ],
            departures: "",
        },
    ],
};
