//! Lecture 5: principal components as lines of least error, kernel PCA, and LLE.

use super::deck::{Deck, Expect, Item, Number};

pub(super) const DECK: Deck = Deck {
    number: 5,
    title: "Unsupervised Learning: Dimensionality Reduction",
    author: "lecture slides",
    items: &[
        TASKS,
        TECHNIQUES,
        TRUE_DIMENSION,
        RECONSTRUCTION,
        CHOSEN_LINE,
        SCATTER_MATRIX,
        BEST_LINE,
        EIGENVALUES,
        TWO_ALIKE,
        OUTLIERS,
        NORMALIZATION,
        EIGENFACES,
        RESIDUAL,
        POLAR,
        GRAM_MATRIX,
        FEATURE_ERROR,
        DISTANCE_LOSS,
        PRE_IMAGES,
        SPHERES,
        SIGMA,
        VALIDATION,
        DENOISING,
        DICTIONARY,
        INVARIANCE,
        MOVED_FACE,
    ],
};

/// Points with the mean (0.54, 0.52), whose first axis has the slope 0.45.
const POINTS: (&str, &str) = ("points.csv", include_str!("data/points.csv"));
/// Points near a line, with variances 0.0938 and 0.0007 along their axes.
const LINE: (&str, &str) = ("line.csv", include_str!("data/line.csv"));
/// Points near a bent curve, with variances 0.1260 and 0.0054.
const CURVE: (&str, &str) = ("curve.csv", include_str!("data/curve.csv"));
/// Points near a circle, with variances 0.0884 and 0.0725.
const RING: (&str, &str) = ("ring.csv", include_str!("data/ring.csv"));
/// Points all over a square, with variances 0.0881 and 0.0769.
const SQUARE: (&str, &str) = ("square.csv", include_str!("data/square.csv"));

const TASKS: Item = Item {
    slide: "Unsupervised Learning",
    title: "A density, and clusters",
    text: "Probabilistic PCA fits a Gaussian to unlabelled rows and tells their log-likelihood. k-means finds groups of similar rows, here the three clouds that \
           the rows were drawn from.",
    files: &[POINTS],
    commands: &[
        "pca points.csv -n 1 --json",
        "kmeans blobs:300,centers=3,columns=2 --n-clusters 3 --color-by cluster --input-plot clusters.svg --save clusters.charta --json",
        "predict clusters.charta blobs:300,centers=3,columns=2 --json",
    ],
    python: "import charta\nimport pandas as pd\n\n\
             X = pd.read_csv(\"points.csv\").to_numpy()\n\
             print(charta.PCA(1).fit(X).score(X))\n\
             B, y = charta.blobs(300, centers=3, columns=2, random_state=0)\n\
             print([(charta.KMeans(3).fit(B).labels_ == cluster).sum() for cluster in range(3)])\n",
    rust: "KMeans { n_clusters: 3, ..KMeans::default() }.fit(&data)?",
    figures: &[(
        "clusters.svg",
        "Three clouds, coloured by the clusters that k-means found",
    )],
    numbers: &[
        Number {
            what: "mean log-likelihood of the rows; −½ (2 ln 2π + ln |Σ| + 2) by hand: 0.94633",
            slide: "fit a Gaussian to the data",
            from: "1:/diagnostics/log_likelihood",
            expect: Expect::Near(0.946_33, 1e-5),
        },
        Number {
            what: "agreement of the clusters with the clouds (adjusted Rand index)",
            slide: "groups of similar objects",
            from: "3:/evaluation/adjusted_rand",
            expect: Expect::Near(1.0, 0.0),
        },
    ],
    departures: "charta fits one Gaussian (PCA, factor analysis), no mixtures of Gaussians.",
};

const TECHNIQUES: Item = Item {
    slide: "What is dimensionality reduction?",
    title: "The techniques of the list, side by side",
    text: "Wines of three growers in two dimensions by PCA, kernel PCA, ICA, a self-organizing map, LLE, MDS and an autoencoder. All keep rows that are similar \
           together, each in its own way.",
    files: &[],
    commands: &[
        "compare wine --scale z-score --methods pca,kernel_pca,ica,som,lle,mds,autoencoder --plot techniques.svg --json",
    ],
    python: "import charta\n\n\
             X, y = charta.wine()\n\
             X = (X - X.mean(0)) / X.std(0)\n\
             found = charta.compare(X, [\"pca\", \"kernel_pca\", \"ica\", \"som\", \"lle\", \"mds\", \"autoencoder\"], labels=y)\n\
             found.plot().save(\"techniques.svg\")\n",
    rust: "methods::find(\"lle\")?.parse(&parameters)?.fit(&run, &data)?",
    figures: &[(
        "techniques.svg",
        "Seven maps of the same rows, with the quality of each",
    )],
    numbers: &[
        Number {
            what: "trustworthiness of PCA",
            slide: "preserve similarity",
            from: "1:/maps/0/trustworthiness",
            expect: Expect::AtLeast(0.85),
        },
        Number {
            what: "trustworthiness of the self-organizing map",
            slide: "preserve similarity",
            from: "1:/maps/3/trustworthiness",
            expect: Expect::AtLeast(0.85),
        },
        Number {
            what: "trustworthiness of MDS",
            slide: "preserve similarity",
            from: "1:/maps/5/trustworthiness",
            expect: Expect::AtLeast(0.85),
        },
        Number {
            what: "trustworthiness of the autoencoder",
            slide: "preserve similarity",
            from: "1:/maps/6/trustworthiness",
            expect: Expect::AtLeast(0.85),
        },
    ],
    departures: "The slide lists names only.",
};

const TRUE_DIMENSION: Item = Item {
    slide: "What is the true dimensionality of this data?",
    title: "The true dimension of four data sets",
    text: "A line, a curve and a circle with noise have one dimension, an evenly covered square has two. The estimate looks at the rows around each row, at the \
           scale at which neither noise nor bends add directions.",
    files: &[],
    commands: &[
        "dimension line:1000 --json",
        "dimension curve:1000 --json",
        "dimension ring:1000 --plot ring.svg --json",
        "dimension square:1000 --json",
        "data ring:1000 -o ring.csv -q",
        "plot ring.csv --columns x,y -o points.png --title 'A circle with noise'",
    ],
    python: "import charta\n\n\
             for data in (charta.line, charta.curve, charta.ring, charta.square):\n    \
                 X, _ = data(1000, random_state=0)\n    \
                 print(data.__name__, charta.dimension(X).dimension)\n",
    rust: "let estimates = Intrinsic::of(&run, &data, &options)?;\n\
             Verdict::of(&run, &data, &estimates, None, &options)?.dimension",
    figures: &[
        ("points.png", "The third data set"),
        (
            "ring.svg",
            "Estimates of its dimension: noise counts as a second direction at small scales",
        ),
    ],
    numbers: &[
        Number {
            what: "dimension of the line",
            slide: "1",
            from: "1:/verdict/dimension",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "dimension of the curve",
            slide: "1",
            from: "2:/verdict/dimension",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "dimension of the circle",
            slide: "1",
            from: "3:/verdict/dimension",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "dimension of the random data",
            slide: "2",
            from: "4:/verdict/dimension",
            expect: Expect::Near(2.0, 0.0),
        },
    ],
    departures: "The points of the slides are not given: look-alikes of 1,000 rows are drawn.",
};

const RECONSTRUCTION: Item = Item {
    slide: "Reconstruction error",
    title: "The line of least squared distances",
    text: "Each row is projected orthogonally to the line b + αv; R is the sum of the squared lengths of the perpendiculars. The line goes through the mean. For \
           the best line, R is m − 1 times the second eigenvalue of the covariance: 39 · 0.0089037 = 0.34724, a mean of 0.0086811 a row.",
    files: &[POINTS],
    commands: &[
        "pca points.csv -n 1 --errors -o coordinates.csv --save line.charta --input-plot feet.svg --json",
        "denoise line.charta points.csv -o on-the-line.csv --json",
        "pca on-the-line.csv -n 2 --json",
    ],
    python: "import charta\nimport pandas as pd\n\n\
             X = pd.read_csv(\"points.csv\").to_numpy()\n\
             pca = charta.PCA(1).fit(X)\n\
             on_the_line = pca.inverse_transform(pca.transform(X))\n\
             print(((X - on_the_line) ** 2).sum(), pca.row_errors(X).sum())\n\
             charta.plot_input(pca, X).save(\"feet.svg\")\n",
    rust: "let model = Pca { n_components: Components::Count(1), ..Pca::default() }.fit(&data)?;\n\
             model.as_row_errors().unwrap().row_errors_in(&run, &data)?",
    figures: &[(
        "feet.svg",
        "The best line with the feet of the perpendiculars",
    )],
    numbers: &[
        Number {
            what: "mean squared distance to the line, R / m",
            slide: "R = Σ ‖xᵢ − x̂ᵢ‖²",
            from: "1:/reconstruction_error/mean",
            expect: Expect::Near(0.008_681_1, 1e-7),
        },
        Number {
            what: "share of the first axis in the variance of the reconstructed rows",
            slide: "x̂ᵢ = b + αᵢ v",
            from: "3:/diagnostics/explained_variance_ratio/0",
            expect: Expect::Near(1.0, 1e-12),
        },
        Number {
            what: "mean of the reconstructed rows, first column",
            slide: "b is the mean",
            from: "3:/diagnostics/mean/0",
            expect: Expect::Near(0.54, 5e-4),
        },
    ],
    departures: "The points of the slide are not given: 40 points with the same mean and the same best direction are used.",
};

const CHOSEN_LINE: Item = Item {
    slide: "Example with v ∝ (1, 0.3)",
    title: "A line that one chooses, and the best one",
    text: "The line through the mean along (1, 0.3) has a larger sum of squared distances than the best line. No other direction is better than the first \
           eigenvector of the scatter matrix.",
    files: &[POINTS],
    commands: &["linear line points.csv --direction 1,0.3 --plot lines.svg --json"],
    python: "import charta\nimport pandas as pd\n\n\
             X = pd.read_csv(\"points.csv\").to_numpy()\n\
             found = charta.linear.line(X, [1, 0.3])\n\
             print(found.chosen.error, found.best.error, found.best.direction)\n",
    rust: "LineFit::of(&run, &data, &[1.0, 0.3], None)?",
    figures: &[(
        "lines.svg",
        "The chosen line with the feet of the perpendiculars, and the best line",
    )],
    numbers: &[
        Number {
            what: "squared distances from the chosen line; NumPy: 0.38195565",
            slide: "v ∝ (1, 0.3)",
            from: "1:/chosen/error",
            expect: Expect::Near(0.381_955_65, 1e-8),
        },
        Number {
            what: "squared distances from the best line, 39 λ₂ = 0.34724496",
            slide: "v ∝ (1, 0.45)",
            from: "1:/best/error",
            expect: Expect::Near(0.347_244_96, 1e-8),
        },
    ],
    departures: "Points of our own with the mean and the best direction of the slide.",
};

const SCATTER_MATRIX: Item = Item {
    slide: "What is the scatter matrix",
    title: "Scatter and covariance matrix",
    text: "The scatter matrix is the sum of products of centred columns; divided by the number of rows it is the estimated covariance. The first principal \
           component is its eigenvector, with the same direction.",
    files: &[POINTS],
    commands: &[
        "linear scatter points.csv -o scatter.csv --json",
        "linear covariance points.csv --population --json",
        "pca points.csv --population --json",
    ],
    python: "import charta\nimport pandas as pd\n\n\
             X = pd.read_csv(\"points.csv\").to_numpy()\n\
             print(charta.linear.scatter(X), charta.linear.covariance(X, population=True))\n",
    rust: "let found = Covariances::of(&run, &data)?;\n\
           found.covariance(&found.scatter, true)",
    figures: &[],
    numbers: &[
        Number {
            what: "S₁₁",
            slide: "Sₖₗ = Σ (xᵢ(k) − b(k)) (xᵢ(l) − b(l))",
            from: "1:/matrix/0/0",
            expect: Expect::Near(2.03681097, 1e-6),
        },
        Number {
            what: "S₁₂",
            slide: "Sₖₗ = Σ (xᵢ(k) − b(k)) (xᵢ(l) − b(l))",
            from: "1:/matrix/0/1",
            expect: Expect::Near(0.75970205, 1e-6),
        },
        Number {
            what: "covariance with divisor m = 40, S₁₂ / 40",
            slide: "1/m Σ (xᵢ − μ_X)(yᵢ − μ_Y)",
            from: "2:/matrix/0/1",
            expect: Expect::Near(0.0189925512, 1e-8),
        },
    ],
    departures: "",
};

const BEST_LINE: Item = Item {
    slide: "Example with optimal line",
    title: "The optimal line of the example",
    text: "The mean and the first principal axis, as printed on the slide.",
    files: &[POINTS],
    commands: &["pca points.csv -n 2 --input-plot axes.svg --json"],
    python: "import charta\nimport pandas as pd\n\n\
             X = pd.read_csv(\"points.csv\").to_numpy()\n\
             pca = charta.PCA(2).fit(X)\n\
             v = pca.components_[0]\n\
             print(pca.mean_, v / v[0])\n",
    rust: "Pca::default().fit(&data)?.components()",
    figures: &[("axes.svg", "Both principal axes over the points")],
    numbers: &[
        Number {
            what: "mean, first column",
            slide: "b = (0.54, 0.52)",
            from: "1:/diagnostics/mean/0",
            expect: Expect::Near(0.54, 0.005),
        },
        Number {
            what: "mean, second column",
            slide: "b = (0.54, 0.52)",
            from: "1:/diagnostics/mean/1",
            expect: Expect::Near(0.52, 0.005),
        },
        Number {
            what: "first part of the unit vector along (1, 0.45), which is 0.9119",
            slide: "v ∝ (1, 0.45)",
            from: "1:/diagnostics/components/0/0",
            expect: Expect::Near(0.911_9, 0.002),
        },
        Number {
            what: "second part, which is 0.4104",
            slide: "v ∝ (1, 0.45)",
            from: "1:/diagnostics/components/0/1",
            expect: Expect::Near(0.410_4, 0.002),
        },
    ],
    departures: "The points were drawn so that mean and direction are those of the slide; the numbers show that charta finds them.",
};

const EIGENVALUES: Item = Item {
    slide: "Examples of eigenvalues",
    title: "Eigenvalues show the linear dimension",
    text: "For points near a line, and even near a bent curve, the first eigenvalue holds almost all variance, which suggests one dimension.",
    files: &[LINE, CURVE],
    commands: &[
        "pca line.csv --input-plot line.svg --json",
        "pca curve.csv --input-plot curve.svg --json",
        "scree line.csv --json",
        "scree curve.csv --json",
    ],
    python: "import charta\nimport pandas as pd\n\n\
             for name in (\"line\", \"curve\"):\n    \
                 X = pd.read_csv(name + \".csv\").to_numpy()\n    \
                 print(charta.PCA().fit(X).explained_variance_, charta.scree(X))\n",
    rust: "Pca::default().fit(&data)?.explained_variance()",
    figures: &[
        ("line.svg", "Points near a line, with the principal axes"),
        ("curve.svg", "Points near a curve"),
    ],
    numbers: &[
        Number {
            what: "first eigenvalue, line",
            slide: "λ₁ = 0.0938",
            from: "1:/diagnostics/explained_variance/0",
            expect: Expect::Near(0.093_8, 5e-5),
        },
        Number {
            what: "second eigenvalue, line",
            slide: "λ₂ = 0.0007",
            from: "1:/diagnostics/explained_variance/1",
            expect: Expect::Near(0.000_7, 5e-5),
        },
        Number {
            what: "components for 90 % of the variance, line",
            slide: "the dimensionality is 1",
            from: "3:/rules/1/n_components",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "first eigenvalue, curve",
            slide: "λ₁ = 0.1260",
            from: "2:/diagnostics/explained_variance/0",
            expect: Expect::Near(0.126_0, 1e-4),
        },
        Number {
            what: "second eigenvalue, curve",
            slide: "λ₂ = 0.0054",
            from: "2:/diagnostics/explained_variance/1",
            expect: Expect::Near(0.005_4, 5e-5),
        },
        Number {
            what: "components for 90 % of the variance, curve",
            slide: "the dimensionality is 1",
            from: "4:/rules/1/n_components",
            expect: Expect::Near(1.0, 0.0),
        },
    ],
    departures: "The points of the slides are not given: 100 points of each shape were drawn and stretched to the printed variances; the numbers show that charta finds them.",
};

const TWO_ALIKE: Item = Item {
    slide: "Examples of eigenvalues (cont'd)",
    title: "PCA cannot tell a circle from random points",
    text: "Both have two eigenvalues of about the same size, though the circle has one dimension. Isomap of a circle needs two dimensions too, for a circle cannot be \
           laid out on a line; an estimate of the dimension around each point tells them apart.",
    files: &[RING, SQUARE],
    commands: &[
        "pca ring.csv --input-plot ring.svg --json",
        "pca square.csv --input-plot square.svg --json",
        "dimension ring.csv --json",
        "dimension square.csv --json",
    ],
    python: "import charta\nimport pandas as pd\n\n\
             for name in (\"ring\", \"square\"):\n    \
                 X = pd.read_csv(name + \".csv\").to_numpy()\n    \
                 print(charta.PCA().fit(X).explained_variance_, charta.dimension(X).dimension)\n",
    rust: "Verdict::of(&run, &data, &estimates, None, &options)?.dimension",
    figures: &[
        ("ring.svg", "Points near a circle, with the principal axes"),
        ("square.svg", "Random points"),
    ],
    numbers: &[
        Number {
            what: "first eigenvalue, circle",
            slide: "λ₁ = 0.0884",
            from: "1:/diagnostics/explained_variance/0",
            expect: Expect::Near(0.088_4, 5e-5),
        },
        Number {
            what: "second eigenvalue, circle",
            slide: "λ₂ = 0.0725",
            from: "1:/diagnostics/explained_variance/1",
            expect: Expect::Near(0.072_5, 5e-5),
        },
        Number {
            what: "first eigenvalue, random points",
            slide: "λ₁ = 0.0881",
            from: "2:/diagnostics/explained_variance/0",
            expect: Expect::Near(0.088_1, 5e-5),
        },
        Number {
            what: "second eigenvalue, random points",
            slide: "λ₂ = 0.0769",
            from: "2:/diagnostics/explained_variance/1",
            expect: Expect::Near(0.076_9, 5e-5),
        },
        Number {
            what: "dimension of the circle",
            slide: "non-linear dimension 1",
            from: "3:/verdict/dimension",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "dimension of the random points",
            slide: "non-linear dimension 2",
            from: "4:/verdict/dimension",
            expect: Expect::Near(2.0, 0.0),
        },
    ],
    departures: "Points of our own with the printed variances, as above.",
};

const OUTLIERS: Item = Item {
    slide: "Remarks: outliers",
    title: "Four far points turn the first axis",
    text: "60 points lie near a line of slope 0.43, four others far above. The far points turn the first axis upwards; without the rows farthest from the centre it \
           is the old one.",
    files: &[("outliers.csv", include_str!("data/outliers.csv"))],
    commands: &[
        "pca outliers.csv -n 1 --input-plot all.svg --json",
        "pca outliers.csv -n 1 --trim 0.07 --input-plot trimmed.svg --json",
    ],
    python: "import charta\nimport pandas as pd\n\n\
             X = pd.read_csv(\"outliers.csv\").to_numpy()\n\
             print(charta.PCA(1).fit(X).components_)\n\
             trimmed = charta.PCA(1, trim=0.07).fit(X)\n\
             print(trimmed.components_, trimmed.rows_left_out_)\n",
    rust: "Pca { trim: 0.07, ..Pca::default() }.fit(&data)?",
    figures: &[
        ("all.svg", "The first axis of all rows"),
        (
            "trimmed.svg",
            "The first axis without the four farthest rows",
        ),
    ],
    numbers: &[
        Number {
            what: "first part of the axis, all rows",
            slide: "outliers affect the eigenvectors",
            from: "1:/diagnostics/components/0/0",
            expect: Expect::AtMost(0.1),
        },
        Number {
            what: "first part of the axis, trimmed; NumPy on the 60 rows: 0.91719",
            slide: "discard far points",
            from: "2:/diagnostics/components/0/0",
            expect: Expect::Near(0.917_19, 1e-5),
        },
        Number {
            what: "rows left out",
            slide: "discard far points",
            from: "2:/diagnostics/n_rows_left_out",
            expect: Expect::Near(4.0, 0.0),
        },
        Number {
            what: "the first of them",
            slide: "",
            from: "2:/diagnostics/rows_left_out/0",
            expect: Expect::Near(60.0, 0.0),
        },
    ],
    departures: "Rows are discarded by their distance from the centre, step by step, not by distances of pairs.",
};

const NORMALIZATION: Item = Item {
    slide: "Remarks: normalization",
    title: "Columns of different sizes",
    text: "One of the thirteen measurements of wine varies so much more than the others that it is the first principal component. With the correlation matrix, or \
           with columns scaled one by one, all of them count.",
    files: &[],
    commands: &[
        "pca wine --plot raw.svg --json",
        "pca wine --standardize --plot standardized.svg --json",
        "pca wine --scale min-max --json",
    ],
    python: "import charta\n\n\
             X, y = charta.wine()\n\
             for scale in (False, True):\n    \
                 print(charta.PCA(2, scale=scale).fit(X).explained_variance_ratio_)\n\
             low, high = X.min(0), X.max(0)\n\
             print(charta.PCA(2).fit((X - low) / (high - low)).explained_variance_ratio_)\n",
    rust: "Pca { standardize: true, ..Pca::default() }.fit(&data)?",
    figures: &[
        ("raw.svg", "Covariance matrix"),
        ("standardized.svg", "Correlation matrix"),
    ],
    numbers: &[
        Number {
            what: "share of the first axis, covariance",
            slide: "muddle the true correlations",
            from: "1:/diagnostics/explained_variance_ratio/0",
            expect: Expect::Near(0.998_09, 1e-5),
        },
        Number {
            what: "share of the first axis, correlation",
            slide: "work with the correlation",
            from: "2:/diagnostics/explained_variance_ratio/0",
            expect: Expect::Near(0.361_99, 1e-5),
        },
        Number {
            what: "share of the first axis, columns from 0 to 1",
            slide: "normalize the input dimensions",
            from: "3:/diagnostics/explained_variance_ratio/0",
            expect: Expect::Near(0.407_49, 1e-5),
        },
    ],
    departures: "The slide has no example.",
};

const EIGENFACES: Item = Item {
    slide: "Eigenfaces example",
    title: "Eigenfaces, and faces rebuilt from them",
    text: "Principal components of images are images. New heads are rebuilt from the mean and 60 of 1,024 components.",
    files: &[],
    commands: &[
        "pca head -n 24 --components-plot eigenfaces.png --components-color grey --json",
        "pca head -n 60 --save heads.charta --json",
        "denoise heads.charta head:12,seed=3 --images-plot rebuilt.png --image-ink light -o rebuilt.npy --json",
        "pca head -n 0.95 --json",
    ],
    python: "import charta\n\n\
             X, _ = charta.head(698, random_state=0)\n\
             pca = charta.PCA(60).fit(X)\n\
             charta.plot_components(charta.PCA(24).fit(X), image_shape=(32, 32), color=\"grey\").save(\"eigenfaces.png\")\n\
             new, _ = charta.head(12, random_state=3)\n\
             rebuilt = pca.inverse_transform(pca.transform(new))\n\
             charta.image_grid([new, rebuilt], titles=[\"original\", \"rebuilt\"]).save(\"rebuilt.png\")\n",
    rust: "let coordinates = model.transform(&new)?;\n\
             model.as_inverse().unwrap().inverse_transform_in(&run, &coordinates.view())?",
    figures: &[
        (
            "eigenfaces.png",
            "The mean and the first 24 principal components",
        ),
        (
            "rebuilt.png",
            "Twelve new heads above, rebuilt from 60 components below",
        ),
    ],
    numbers: &[
        Number {
            what: "components for 95 % of the variance of 1,024 pixels",
            slide: "components reconstruct the images",
            from: "4:/diagnostics/n_components",
            expect: Expect::AtMost(64.0),
        },
        Number {
            what: "mean squared change of a pixel from 0 to 1",
            slide: "components reconstruct the images",
            from: "3:/mean_squared_change",
            expect: Expect::AtMost(0.003),
        },
    ],
    departures: "Photographs may not be shipped: heads that charta draws stand for them.",
};

const RESIDUAL: Item = Item {
    slide: "Uses of PCA",
    title: "Removing the linear component",
    text: "What a first component leaves of points near a curve is its bend, which varies in one direction only; more flexible models can be fitted to it.",
    files: &[CURVE],
    commands: &[
        "pca curve.csv -n 1 -o along.csv --save line.charta --json",
        "denoise line.charta curve.csv --residual -o rest.csv --json",
        "pca rest.csv --json",
        "plot rest.csv -o rest.svg --title 'What the line leaves'",
    ],
    python: "import charta\nimport pandas as pd\n\n\
             X = pd.read_csv(\"curve.csv\").to_numpy()\n\
             pca = charta.PCA(1).fit(X)\n\
             rest = X - pca.inverse_transform(pca.transform(X))\n\
             print(charta.PCA().fit(rest).explained_variance_)\n",
    rust: "&rows - &model.as_inverse().unwrap().inverse_transform_in(&run, &model.transform(&rows)?.view())?",
    figures: &[(
        "rest.svg",
        "Each row minus its point on the line: one direction is left",
    )],
    numbers: &[
        Number {
            what: "variance that is left, which is λ₂",
            slide: "λ₂ = 0.0054",
            from: "3:/diagnostics/explained_variance/0",
            expect: Expect::Near(0.005_4, 5e-5),
        },
        Number {
            what: "share of one direction in it",
            slide: "removing the linear component",
            from: "3:/diagnostics/explained_variance_ratio/0",
            expect: Expect::Near(1.0, 1e-12),
        },
    ],
    departures: "The slide has no example.",
};

const POLAR: Item = Item {
    slide: "Making PCA non-linear",
    title: "The circle in polar coordinates",
    text: "The points near a circle, once as they are and once as radius and angle around its middle. After this change of coordinates one principal component has \
           nearly all the variance.",
    files: &[RING, ("polar.csv", include_str!("data/polar.csv"))],
    commands: &[
        "pca ring.csv --json",
        "pca polar.csv --input-plot polar.svg --json",
        "kernel-pca circles:400,noise=0.03 --kernel polynomial --degree 2 --coef0 0 -n 3 -o map.csv --json",
        "lda map.csv --label circle --json",
    ],
    python: "import charta\nimport numpy as np\nimport pandas as pd\n\n\
             X = pd.read_csv(\"ring.csv\").to_numpy() - 0.5\n\
             polar = np.column_stack([np.hypot(*X.T), np.arctan2(X[:, 1], X[:, 0])])\n\
             print(charta.PCA().fit(X).explained_variance_ratio_, charta.PCA().fit(polar).explained_variance_ratio_)\n",
    rust: "Pca::default().fit(&polar)?",
    figures: &[("polar.svg", "Radius and angle, with the principal axes")],
    numbers: &[
        Number {
            what: "share of the first axis, Cartesian coordinates",
            slide: "about half the variance",
            from: "1:/diagnostics/explained_variance_ratio/0",
            expect: Expect::Near(0.549, 0.001),
        },
        Number {
            what: "share of the first axis, polar coordinates",
            slide: "polar coordinates would help",
            from: "2:/diagnostics/explained_variance_ratio/0",
            expect: Expect::AtLeast(0.999),
        },
        Number {
            what: "two circles of different radius that the products of coordinates (x², xy, y²) separate by a plane",
            slide: "PCA in the higher dimensional space",
            from: "4:/diagnostics/training_accuracy",
            expect: Expect::Near(1.0, 0.0),
        },
    ],
    departures: "The command line has no formulas for columns: the file in polar coordinates is made beforehand.",
};

const GRAM_MATRIX: Item = Item {
    slide: "PCA in feature space (I)–(IV)",
    title: "Eigenvectors of the Gram matrix",
    text: "With a linear kernel the feature space is the input. The eigenvalues of the centred Gram matrix are those of the scatter matrix, m − 1 times those of the \
           covariance: 99 · 0.126056 = 12.47958; the coordinates are those of PCA.",
    files: &[CURVE],
    commands: &[
        "kernel-pca curve.csv --kernel linear -o gram.csv --plot gram.svg --json",
        "pca curve.csv -o scatter.csv --json",
        "quality curve.csv gram.csv --known scatter.csv --json",
    ],
    python: "import charta\nimport numpy as np\nimport pandas as pd\n\n\
             X = pd.read_csv(\"curve.csv\").to_numpy()\n\
             centred = X - X.mean(0)\n\
             print(np.linalg.eigvalsh(centred.T @ centred), charta.KernelPCA(2, kernel=\"linear\").fit(X).eigenvalues_)\n",
    rust: "KernelPca { kernel: Kernel { kernel: KernelKind::Linear, ..Kernel::default() }, ..KernelPca::default() }.fit(&data)?",
    figures: &[("gram.svg", "Kernel PCA with a linear kernel: that of PCA")],
    numbers: &[
        Number {
            what: "first eigenvalue of the centred Gram matrix",
            slide: "K a = λ a with the same eigenvalue",
            from: "1:/diagnostics/eigenvalues/0",
            expect: Expect::Near(12.479_585, 1e-5),
        },
        Number {
            what: "first eigenvalue of the covariance",
            slide: "λ₁ = 0.1260",
            from: "2:/diagnostics/explained_variance/0",
            expect: Expect::Near(0.126_056_4, 1e-6),
        },
        Number {
            what: "disparity of the two maps",
            slide: "φ(x)ᵀ v = kₓᵀ a",
            from: "3:/quality/procrustes_disparity",
            expect: Expect::AtMost(1e-20),
        },
        Number {
            what: "its scale",
            slide: "‖a‖² = 1/λ",
            from: "3:/quality/procrustes_scale",
            expect: Expect::Near(1.0, 1e-9),
        },
    ],
    departures: "",
};

const FEATURE_ERROR: Item = Item {
    slide: "Representation obtained by kernel PCA",
    title: "Reconstruction error in feature space",
    text: "The squared distance of each row from its projection, by kernels alone. With two components it is large, with a hundred small, and with all of them 0.",
    files: &[],
    commands: &[
        "kernel-pca concentric-spheres:300,noise=0.1 --gamma 0.3 -n 2 --errors -o two.csv --plot two.svg --json",
        "kernel-pca concentric-spheres:300,noise=0.1 --gamma 0.3 -n 100 --errors -o hundred.csv --json",
        "kernel-pca concentric-spheres:300,noise=0.1 --gamma 0.3 -n all --errors -o all.csv --json",
        "plot two.csv --columns kernel_pca1,kernel_pca2,reconstruction_error --color-by reconstruction_error --title 'Error of each row' -o errors.svg",
    ],
    python: "import charta\n\n\
             X, y = charta.concentric_spheres(300, noise=0.1, random_state=0)\n\
             for n in (2, 100, None):\n    \
                 print(n, charta.KernelPCA(n, kernel=\"rbf\", gamma=0.3).fit(X).row_errors(X).mean())\n",
    rust: "model.as_row_errors().unwrap().row_errors_in(&run, &data)?",
    figures: &[(
        "errors.svg",
        "Two components; colours: the error of each row",
    )],
    numbers: &[
        Number {
            what: "mean error, 2 components",
            slide: "‖φ(x) − Πφ(x)‖²",
            from: "1:/reconstruction_error/mean",
            expect: Expect::AtLeast(0.5),
        },
        Number {
            what: "mean error, 100 components",
            slide: "‖φ(x) − Πφ(x)‖²",
            from: "2:/reconstruction_error/mean",
            expect: Expect::AtMost(0.001),
        },
        Number {
            what: "largest error, all components",
            slide: "0 on the training data",
            from: "3:/reconstruction_error/largest",
            expect: Expect::AtMost(1e-10),
        },
    ],
    departures: "",
};

const DISTANCE_LOSS: Item = Item {
    slide: "Alternative reconstruction error measures",
    title: "Distances in feature space that the map keeps",
    text: "The mean of d² − d̂² over all pairs of rows, with distances by the kernel and in the map. It falls to 0 with the number of components.",
    files: &[],
    commands: &[
        "kernel-pca concentric-spheres:300,noise=0.1 --gamma 0.3 -n 2 --json",
        "kernel-pca concentric-spheres:300,noise=0.1 --gamma 0.3 -n 100 --json",
        "kernel-pca concentric-spheres:300,noise=0.1 --gamma 0.3 -n all --scree-plot spectrum.svg --json",
    ],
    python: "import charta\n\n\
             X, y = charta.concentric_spheres(300, noise=0.1, random_state=0)\n\
             for n in (2, 100, None):\n    \
                 print(n, charta.KernelPCA(n, kernel=\"rbf\", gamma=0.3).fit(X).distance_loss_)\n",
    rust: "model.diagnostics().get(\"distance_loss\")",
    figures: &[(
        "spectrum.svg",
        "Variance of each component in feature space",
    )],
    numbers: &[
        Number {
            what: "mean over pairs, 2 components; NumPy: 1.1673544",
            slide: "average over all pairs",
            from: "1:/diagnostics/distance_loss",
            expect: Expect::Near(1.167_354_4, 1e-6),
        },
        Number {
            what: "100 components",
            slide: "average over all pairs",
            from: "2:/diagnostics/distance_loss",
            expect: Expect::AtMost(0.002),
        },
        Number {
            what: "all components",
            slide: "average over all pairs",
            from: "3:/diagnostics/distance_loss",
            expect: Expect::AtMost(1e-10),
        },
    ],
    departures: "Distances are squared, as in the formula of the slide.",
};

const PRE_IMAGES: Item = Item {
    slide: "Alternative reconstruction error measures: pre-images",
    title: "Approximate pre-images",
    text: "A point of the feature space need not be the image of any row. Two approximations find the rows whose images are nearest: a fixed-point iteration, and \
           ridge regression. Both give the circles back from 20 coordinates.",
    files: &[],
    commands: &[
        "kernel-pca circles:400 --gamma 2 -n 20 --pre-image fixed_point -o map.csv --save fixed.charta --json",
        "inverse fixed.charta map.csv -o fixed.csv --json",
        "quality circles:400 fixed.csv --known circles:400 --embedding-columns x,y --json",
        "plot fixed.csv --columns x,y -o fixed.svg --title 'Pre-images'",
        "kernel-pca circles:400 --gamma 2 -n 20 --pre-image ridge --alpha 0.001 -o map2.csv --save ridge.charta --json",
        "inverse ridge.charta map2.csv -o ridge.csv --json",
        "quality circles:400 ridge.csv --known circles:400 --embedding-columns x,y --json",
    ],
    python: "import charta\nimport numpy as np\n\n\
             X, y = charta.circles(400, random_state=0)\n\
             model = charta.KernelPCA(20, kernel=\"rbf\", gamma=2, fit_inverse_transform=\"fixed_point\").fit(X)\n\
             print(np.abs(model.inverse_transform(model.embedding_) - X).max())\n",
    rust: "let pre_image = PreimageOptions { pre_image: PreimageRule::FixedPoint, ..PreimageOptions::default() };\n\
             KernelPca { pre_image, ..KernelPca::default() }.fit(&data)?",
    figures: &[("fixed.svg", "Rows found from 20 coordinates of kernel PCA")],
    numbers: &[
        Number {
            what: "disparity from the true rows, fixed-point iteration",
            slide: "approximations exist",
            from: "3:/quality/procrustes_disparity",
            expect: Expect::AtMost(1e-4),
        },
        Number {
            what: "disparity from the true rows, ridge regression",
            slide: "approximations exist",
            from: "7:/quality/procrustes_disparity",
            expect: Expect::AtMost(1e-3),
        },
    ],
    departures: "",
};

const SPHERES: Item = Item {
    slide: "Example: Two concentric spheres",
    title: "Two concentric spheres by PCA and kernel PCA",
    text: "Linear PCA lays one sphere over the other. A polynomial kernel of degree 5 draws one sphere together and scatters the other around it, where no straight \
           line separates them. A Gaussian kernel of fitting width separates them.",
    files: &[],
    commands: &[
        "pca concentric-spheres:1000,noise=0.1 --plot pca.png -o pca.csv --json",
        "kernel-pca concentric-spheres:1000,noise=0.1 --kernel polynomial --degree 5 --plot polynomial.png -o polynomial.csv --json",
        "kernel-pca concentric-spheres:1000,noise=0.1 --sigma 1.3 --plot gaussian.png -o gaussian.csv --json",
        "lda pca.csv --label sphere --json",
        "lda polynomial.csv --label sphere --json",
        "lda gaussian.csv --label sphere --json",
        "data concentric-spheres:1000,noise=0.1 -o spheres.csv -q",
    ],
    python: "import charta\n\n\
             X, y = charta.concentric_spheres(1000, noise=0.1, random_state=0)\n\
             models = {\n    \
                 \"pca\": charta.PCA(2),\n    \
                 \"polynomial\": charta.KernelPCA(2, kernel=\"polynomial\", degree=5),\n    \
                 \"gaussian\": charta.KernelPCA(2, kernel=\"rbf\", gamma=1 / (2 * 1.3**2)),\n\
             }\n\
             for name, model in models.items():\n    \
                 Z = model.fit_transform(X)\n    \
                 print(name, charta.LDA().fit(Z, y).score(Z, y))\n    \
                 charta.plot(model, y).save(name + \".png\")\n",
    rust: "KernelPca { kernel: Kernel { kernel: KernelKind::Polynomial, degree: 5, ..Kernel::default() }, ..KernelPca::default() }.fit(&data)?",
    figures: &[
        ("pca.png", "Linear PCA"),
        ("polynomial.png", "Polynomial kernel of degree 5"),
        ("gaussian.png", "Gaussian kernel, σ = 1.3"),
    ],
    numbers: &[
        Number {
            what: "rows that a straight line puts right, PCA",
            slide: "unable to separate",
            from: "4:/diagnostics/training_accuracy",
            expect: Expect::AtMost(0.6),
        },
        Number {
            what: "the same, polynomial kernel",
            slide: "not linearly separable",
            from: "5:/diagnostics/training_accuracy",
            expect: Expect::AtMost(0.8),
        },
        Number {
            what: "the same, Gaussian kernel",
            slide: "really well separated",
            from: "6:/diagnostics/training_accuracy",
            expect: Expect::Near(1.0, 0.0),
        },
    ],
    departures: "The spheres of the slide have radii that it does not give, to which its σ = 20 belongs; ours have the radii 3 and 1.",
};

const SIGMA: Item = Item {
    slide: "Example: Kernel PCA with Gaussian Kernel (σ = 20)",
    title: "The width of the kernel matters",
    text: "The width may be given as σ. Far above the distances between rows, as σ = 20 is for these spheres, kernel PCA is linear PCA, and the spheres overlap again; \
           far below, every row is far from all others.",
    files: &[],
    commands: &[
        "pca concentric-spheres:1000,noise=0.1 -o pca.csv --json",
        "kernel-pca concentric-spheres:1000,noise=0.1 --sigma 20 -o wide.csv --json",
        "quality concentric-spheres:1000,noise=0.1 wide.csv --known pca.csv --json",
        "kernel-pca concentric-spheres:1000,noise=0.1 --sigma 0.6 -o narrow.csv --json",
        "lda wide.csv --label sphere --json",
        "lda narrow.csv --label sphere --json",
        "compare concentric-spheres:1000,noise=0.1 --methods kernel_pca:sigma=20,kernel_pca:sigma=1.3,kernel_pca:sigma=0.6 --plot widths.png --json",
    ],
    python: "import charta\n\n\
             X, y = charta.concentric_spheres(1000, noise=0.1, random_state=0)\n\
             for sigma in (20, 1.3, 0.6):\n    \
                 Z = charta.KernelPCA(2, kernel=\"rbf\", sigma=sigma).fit_transform(X)\n    \
                 print(sigma, charta.LDA().fit(Z, y).score(Z, y))\n",
    rust: "KernelPca { kernel: Kernel { sigma: Some(20.0), ..Kernel::default() }, ..KernelPca::default() }.fit(&data)?",
    figures: &[("widths.png", "Three widths of the Gaussian kernel")],
    numbers: &[
        Number {
            what: "γ = 1/(2σ²) for σ = 20",
            slide: "σ = 20",
            from: "2:/diagnostics/gamma",
            expect: Expect::Near(0.001_25, 1e-12),
        },
        Number {
            what: "disparity between its map and that of linear PCA",
            slide: "the parameter matters",
            from: "3:/quality/procrustes_disparity",
            expect: Expect::AtMost(1e-4),
        },
        Number {
            what: "rows that a straight line puts right, σ = 20",
            slide: "the parameter matters",
            from: "5:/diagnostics/training_accuracy",
            expect: Expect::AtMost(0.6),
        },
        Number {
            what: "the same, σ = 0.6",
            slide: "the parameter matters",
            from: "6:/diagnostics/training_accuracy",
            expect: Expect::AtMost(0.9),
        },
    ],
    departures: "On the slide σ = 20 separates the spheres, whose radii are larger.",
};

const VALIDATION: Item = Item {
    slide: "Example: Kernel PCA with Gaussian Kernel: validation",
    title: "A kernel parameter by validation",
    text: "Nine widths are tried; each is scored by how well a linear classifier of the coordinates does on rows that were held out. The best one separates the \
           spheres.",
    files: &[],
    commands: &[
        "kernel-pca concentric-spheres:1000,noise=0.1 --gamma validated --plot validated.png -o map.csv --json",
        "lda map.csv --label sphere --json",
    ],
    python: "import charta\n\n\
             X, y = charta.concentric_spheres(1000, noise=0.1, random_state=0)\n\
             model = charta.KernelPCA(2, kernel=\"rbf\", gamma=\"validated\").fit(X, y)\n\
             print(model.gamma_, model.gammas_tried_, model.scores_)\n",
    rust: "KernelPca { kernel: Kernel { gamma: Gamma::Validated, ..Kernel::default() }, ..KernelPca::default() }.fit(&data)?",
    figures: &[("validated.png", "The map with the width that was chosen")],
    numbers: &[
        Number {
            what: "rows that a straight line puts right",
            slide: "validation finds good values",
            from: "2:/diagnostics/training_accuracy",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "criterion",
            slide: "validation",
            from: "1:/diagnostics/criterion",
            expect: Expect::Contains("held-out rows"),
        },
    ],
    departures: "",
};

const DENOISING: Item = Item {
    slide: "Example: De-noising images",
    title: "Denoising digits by linear and by kernel PCA",
    text: "Digits with noise are projected on 16 linear components (8, 12 and 24 leave more error) or on 64 components of a Gaussian kernel, and \
           reconstructed. Kernel PCA comes nearer to the clean digits.",
    files: &[],
    commands: &[
        "pca digits -n 16 --save pca.charta -q",
        "kernel-pca digits --gamma 0.0005 -n 64 --save kernel.charta -q",
        "denoise pca.charta digits:noise=4,seed=1 -o pca.csv --images-plot pca.png --image-ink dark --json",
        "denoise kernel.charta digits:noise=4,seed=1 -o kernel.csv --images-plot kernel.png --image-ink dark --json",
        "denoise kernel.charta digits -o clean.csv --images-plot clean.png --image-ink dark --json",
        "data digits:noise=4,seed=1 -o noisy.csv -q",
        "quality digits noisy.csv --known digits --embedding-columns 'pixel_*' --sample 200 --json",
        "quality digits pca.csv --known digits --embedding-columns 'pixel_*' --sample 200 --json",
        "quality digits kernel.csv --known digits --embedding-columns 'pixel_*' --sample 200 --json",
    ],
    python: "import charta\n\n\
             X, y = charta.digits()\n\
             noisy, _ = charta.data_set(\"digits:noise=4,seed=1\")\n\
             rows = [X[:12], noisy[:12]]\n\
             for model in (charta.PCA(16), charta.KernelPCA(64, kernel=\"rbf\", gamma=0.0005, fit_inverse_transform=\"fixed_point\")):\n    \
                 clean = model.fit(X).inverse_transform(model.transform(noisy))\n    \
                 print(type(model).__name__, ((clean - X) ** 2).mean())\n    \
                 rows.append(clean[:12])\n\
             charta.image_grid(rows, titles=[\"original\", \"noisy\", \"PCA\", \"kernel PCA\"]).save(\"rows.png\")\n",
    rust: "let coordinates = model.transform(&noisy)?;\n\
             model.as_inverse().unwrap().inverse_transform_in(&run, &coordinates.view())?",
    figures: &[
        (
            "clean.png",
            "Digits without noise, and their reconstruction by kernel PCA",
        ),
        ("pca.png", "Noisy digits, and denoised by linear PCA"),
        ("kernel.png", "Noisy digits, and denoised by kernel PCA"),
    ],
    numbers: &[
        Number {
            what: "disparity from the clean digits, noisy",
            slide: "corrupted with Gaussian noise",
            from: "7:/quality/procrustes_disparity",
            expect: Expect::AtLeast(0.4),
        },
        Number {
            what: "the same, after linear PCA",
            slide: "result after linear PCA",
            from: "8:/quality/procrustes_disparity",
            expect: Expect::AtMost(0.35),
        },
        Number {
            what: "the same, after kernel PCA",
            slide: "result after kernel PCA",
            from: "9:/quality/procrustes_disparity",
            expect: Expect::AtMost(0.2),
        },
    ],
    departures: "Digits of 8 × 8 pixels; each picture has the noisy digits above and the result below, in place of one picture with four rows.",
};

const DICTIONARY: Item = Item {
    slide: "PCA vs Kernel PCA",
    title: "A dictionary in place of all rows",
    text: "The kernel matrix of 100,000 rows takes 80 GB. With a dictionary of 300 of 1,797 digits, or of 300 centres, the map is nearly that of all rows.",
    files: &[],
    commands: &[
        "kernel-pca blobs:100000 --dictionary all --plan --json",
        "kernel-pca blobs:100000 --dictionary 2000 --plan --json",
        "kernel-pca digits --gamma 0.001 -n 10 -o all.csv --plot all.png --json",
        "kernel-pca digits --gamma 0.001 -n 10 --dictionary 300 --dictionary-choice k_means -o few.csv --plot few.png --json",
        "quality digits few.csv --known all.csv --embedding-columns 'kernel_pca*' --known-columns 'kernel_pca*' --sample 200 --json",
    ],
    python: "import charta\n\n\
             X, y = charta.digits()\n\
             every = charta.KernelPCA(10, kernel=\"rbf\", gamma=0.001).fit(X)\n\
             few = charta.KernelPCA(10, kernel=\"rbf\", gamma=0.001, dictionary=300, dictionary_choice=\"k_means\").fit(X)\n\
             print(every.explained_variance_ratio_, few.explained_variance_ratio_)\n",
    rust: "KernelPca { dictionary: Dictionary::Count(300), dictionary_choice: DictionaryChoice::KMeans, ..KernelPca::default() }.fit(&data)?",
    figures: &[
        ("all.png", "Kernel PCA with all 1,797 rows"),
        ("few.png", "With a dictionary of 300"),
    ],
    numbers: &[
        Number {
            what: "bytes for the kernel matrix of 100,000 rows",
            slide: "the kernel matrix is m × m",
            from: "1:/plan/memory/1/bytes",
            expect: Expect::Near(8e10, 0.0),
        },
        Number {
            what: "bytes in all with a dictionary of 2,000",
            slide: "dictionary methods",
            from: "2:/plan/bytes",
            expect: Expect::AtMost(1e9),
        },
        Number {
            what: "disparity of the two maps of digits, 10 components",
            slide: "pick a subset of the data",
            from: "5:/quality/procrustes_disparity",
            expect: Expect::AtMost(0.01),
        },
    ],
    departures: "The slide has no example.",
};

const INVARIANCE: Item = Item {
    slide: "Locally Linear Embedding",
    title: "The weights do not change with rotation, scale or translation",
    text: "LLE of a data set, and of the same turned by 40°, made ten times as large and moved: the maps agree, because the weights that reconstruct each row from its \
           neighbours do.",
    files: &[CURVE, ("moved.csv", include_str!("data/moved.csv"))],
    commands: &[
        "lle curve.csv -k 8 -o first.csv --json",
        "lle moved.csv -k 8 -o second.csv --plot second.svg --json",
        "quality curve.csv second.csv --known first.csv --json",
        "pca swiss-roll:600 -n 3 --label position -o turned.csv -q",
        "lle swiss-roll:600 -o roll.csv --json",
        "lle turned.csv --label position -o turned-roll.csv --plot turned.svg --json",
        "quality swiss-roll:600 turned-roll.csv --embedding-columns lle1,lle2 --known roll.csv --known-columns lle1,lle2 --json",
    ],
    python: "import charta\nimport numpy as np\n\n\
             X, t = charta.swiss_roll(600, random_state=0)\n\
             Q = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]\n\
             first = charta.LLE(n_neighbors=10).fit(X)\n\
             second = charta.LLE(n_neighbors=10).fit(10 * X @ Q + 3)\n\
             print(np.abs(np.abs(first.embedding_) - np.abs(second.embedding_)).max())\n",
    rust: "Lle::default().fit(&moved)?",
    figures: &[(
        "turned.svg",
        "LLE of the Swiss roll turned to its principal axes: the same map",
    )],
    numbers: &[
        Number {
            what: "disparity of the maps of the turned, enlarged and moved points",
            slide: "invariant to rotation, scaling and translation",
            from: "3:/quality/procrustes_disparity",
            expect: Expect::AtMost(1e-6),
        },
        Number {
            what: "disparity of the maps of the roll and of the turned roll",
            slide: "invariant to rotation",
            from: "7:/quality/procrustes_disparity",
            expect: Expect::AtMost(1e-12),
        },
    ],
    departures: "The slide has no example.",
};

const MOVED_FACE: Item = Item {
    slide: "PCA vs Locally Linear Embedding",
    title: "A face moved over noise",
    text: "1,000 images of one face at places that fill a square. LLE maps the corners of the square to corners; PCA bends and folds them.",
    files: &[],
    commands: &[
        "lle moved-face -k 8 --images-plot lle.png --image-ink light -o lle.csv --label across --quality --json",
        "pca moved-face --images-plot pca.png --image-ink light -o pca.csv --label across --quality --json",
        "pls lle.csv --label across --columns lle1,lle2 --json",
        "pls pca.csv --label across --columns pc1,pc2 --json",
    ],
    python: "import charta\n\n\
             X, across = charta.moved_face(1000, random_state=0)\n\
             for model in (charta.LLE(n_neighbors=8), charta.PCA(2)):\n    \
                 model.fit(X)\n    \
                 print(type(model).__name__, model.quality(X)[\"trustworthiness\"])\n    \
                 charta.plot_images(model, X, image_shape=(32, 32)).save(type(model).__name__ + \".png\")\n",
    rust: "Lle { neighborhood: Neighborhood::nearest(8), ..Lle::default() }.fit(&data)?",
    figures: &[
        ("lle.png", "Locally linear embedding"),
        ("pca.png", "The first two principal components"),
    ],
    numbers: &[
        Number {
            what: "R² of the position across, from the two coordinates of LLE",
            slide: "corners map to corners",
            from: "3:/diagnostics/r_squared",
            expect: Expect::AtLeast(0.97),
        },
        Number {
            what: "the same from two principal components",
            slide: "",
            from: "4:/diagnostics/r_squared",
            expect: Expect::AtMost(0.93),
        },
        Number {
            what: "trustworthiness, LLE",
            slide: "",
            from: "1:/quality/trustworthiness/0",
            expect: Expect::AtLeast(0.99),
        },
        Number {
            what: "trustworthiness, PCA",
            slide: "",
            from: "2:/quality/trustworthiness/0",
            expect: Expect::AtMost(0.96),
        },
    ],
    departures: "The images of the paper are not published: a drawn face is moved over a noisy background.",
};
