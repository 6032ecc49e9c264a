//! Lecture 2: subset selection, PCA, factor analysis, singular values, MDS, Isomap, LLE and t-SNE.

use super::deck::{Deck, Expect, Item, Number};

pub(super) const DECK: Deck = Deck {
    number: 2,
    title: "Dimensionality Reduction",
    author: "Ethem Alpaydin; Simon Haykin",
    items: &[
        VISUALIZATION,
        SUBSETS,
        EIGEN,
        EIGEN_SYMMETRIC,
        DERIVATION,
        CENTRED_AND_ROTATED,
        SCREE,
        OPTDIGITS,
        ENCODING,
        TOTAL_VARIANCE,
        PCA_EXAMPLE,
        FACTORS,
        SAMPLING,
        SVD,
        PSEUDO_INVERSE,
        SAMMON,
        EUROPE,
        MANIFOLDS,
        CURVATURE,
        MANIFOLD_LEARNING,
        GEODESIC,
        ISOMAP,
        ISOMAP_OPTDIGITS,
        LLE_PRINCIPLE,
        LLE_OPTDIGITS,
        TSNE,
    ],
};

const VISUALIZATION: Item = Item {
    slide: "Why Reduce Dimensionality",
    title: "Data in two and in three dimensions",
    text: "Four measurements of 150 flowers, drawn by their first two and their first three principal components. One species stands \
           apart in both pictures; the third component adds little, because two already hold nearly all of the variance.",
    files: &[],
    commands: &[
        "pca iris --quality --plot plane.svg --json",
        "pca iris -n 3 --quality --axes 1,2,3 --plot space.svg --json",
    ],
    python: "import charta

X, y = charta.iris()
plane = charta.PCA(2).fit(X)
space = charta.PCA(3).fit(X)
charta.plot(plane, labels=y).save('plane_of_python.svg')
charta.plot(space, labels=y, axes=(0, 1, 2)).save('space_of_python.svg')
print(plane.quality(X)['trustworthiness'], space.quality(X)['trustworthiness'])
",
    rust: "Pca { n_components: Components::Count(3), ..Pca::default() }.fit(&data)?",
    figures: &[
        (
            "plane.svg",
            "The first two principal components of the flowers",
        ),
        ("space.svg", "The first three, in space"),
    ],
    numbers: &[
        Number {
            what: "trustworthiness of the plane for 15 neighbours",
            slide: "structure and groups can be seen in 2 dimensions",
            from: "1:/quality/trustworthiness/0",
            expect: Expect::AtLeast(0.97),
        },
        Number {
            what: "trustworthiness of the space",
            slide: "… or in 3 dimensions",
            from: "2:/quality/trustworthiness/0",
            expect: Expect::AtLeast(0.99),
        },
    ],
    departures: "",
};

const SUBSETS: Item = Item {
    slide: "Subset Selection",
    title: "Forward, backward, floating and exhaustive search",
    text: "Which of ten measurements of 442 patients predict their disease a year later? Forward search adds the best feature in each step \
           and stops at a local optimum: it never removes s3 and s4, which became useless. Backward and floating search find the \
           set that is best among all.",
    files: &[],
    commands: &[
        "sequential-selection diabetes --scorer linear --measure mean_squared_error --picture errors=forward.svg --json",
        "sequential-selection diabetes --scorer linear --measure mean_squared_error --direction backward --json",
        "sequential-selection diabetes --scorer linear --measure mean_squared_error --direction plus_minus --plus 2 --minus 1 --json",
        "sequential-selection diabetes --scorer linear --measure mean_squared_error --direction floating_forward --json",
        "sequential-selection diabetes --scorer linear --measure mean_squared_error --direction exhaustive --picture errors=exhaustive.svg --json",
    ],
    python: "import charta

X, y = charta.diabetes()
for direction in ('forward', 'backward', 'plus_minus', 'floating_forward', 'exhaustive'):
    search = charta.SequentialFeatureSelector(
        'linear', n_features_to_select='best', scoring='mean_squared_error', direction=direction, cv=5
    ).fit(X, y)
    print(direction, search.n_sets_evaluated_, search.error_, search.get_support(indices=True))
",
    rust: "SequentialSelection { direction: Direction::Backward, scorer: Scorer::Linear, ..SequentialSelection::default() }.fit(&data)?",
    figures: &[
        ("forward.svg", "The error along the forward search"),
        ("exhaustive.svg", "The error of the best set of every size"),
    ],
    numbers: &[
        Number {
            what: "sets of 10 features",
            slide: "2^d subsets",
            from: "5:/diagnostics/n_sets_evaluated",
            expect: Expect::Near(1024.0, 0.0),
        },
        Number {
            what: "sets evaluated by forward search",
            slide: "O(d²): at most 100",
            from: "1:/diagnostics/n_sets_evaluated",
            expect: Expect::AtMost(100.0),
        },
        Number {
            what: "sets evaluated by backward search",
            slide: "O(d²): at most 100",
            from: "2:/diagnostics/n_sets_evaluated",
            expect: Expect::AtMost(100.0),
        },
        Number {
            what: "first feature that forward search adds",
            slide: "j = argmin E(F ∪ x_i)",
            from: "1:/diagnostics/path/0",
            expect: Expect::Contains("bmi"),
        },
        Number {
            what: "error of forward search",
            slide: "hill climbing: a local optimum (here above 3000.62)",
            from: "1:/diagnostics/error",
            expect: Expect::AtLeast(3001.0),
        },
        Number {
            what: "error of adding 2 and removing 1 in turns",
            slide: "floating search (add k, remove l)",
            from: "3:/diagnostics/error",
            expect: Expect::Near(3000.62, 0.01),
        },
        Number {
            what: "error of floating search",
            slide: "floating search",
            from: "4:/diagnostics/error",
            expect: Expect::Near(3000.62, 0.01),
        },
        Number {
            what: "error of the best of all sets",
            slide: "the optimum",
            from: "5:/diagnostics/error",
            expect: Expect::Near(3000.62, 0.01),
        },
    ],
    departures: "The slides name no data; the errors are mean squared errors of a linear regression under five-fold cross-validation.",
};

const CENTRED_AND_ROTATED: Item = Item {
    slide: "What PCA Does",
    title: "PCA centres the data and rotates the axes",
    text: "Two columns of wine in the units of the input, with the principal axes at their mean, and in the coordinates z = Wᵀ(x − m): \
           centred at the origin and rotated, so that the coordinates are uncorrelated.",
    files: &[],
    commands: &[
        "pca wine --columns total_phenols,flavanoids --input-plot before.svg --plot after.svg -o z.csv --json",
        "pca z.csv --columns pc1,pc2 --json",
    ],
    python: "import charta
import numpy as np

X, y = charta.wine()
X = X[:, [5, 6]]
z = charta.PCA(2).fit_transform(X)
print(np.abs(z.mean(axis=0)).max(), np.corrcoef(z.T)[0, 1])
charta.plot(X, labels=y).save('before_of_python.svg')
charta.plot(z, labels=y).save('after_of_python.svg')
",
    rust: "Pca::default().fit(&data)?.transform(&data)?",
    figures: &[
        ("before.svg", "Before: the input and its principal axes"),
        ("after.svg", "After: z = Wᵀ(x − m)"),
    ],
    numbers: &[
        Number {
            what: "mean of z₁",
            slide: "centred at the origin: 0",
            from: "2:/diagnostics/mean/0",
            expect: Expect::Near(0.0, 1e-12),
        },
        Number {
            what: "mean of z₂",
            slide: "0",
            from: "2:/diagnostics/mean/1",
            expect: Expect::Near(0.0, 1e-12),
        },
        Number {
            what: "first principal axis of z",
            slide: "the axes of z are principal axes: (1, 0)",
            from: "2:/diagnostics/components/0/0",
            expect: Expect::Near(1.0, 1e-9),
        },
        Number {
            what: "its other entry",
            slide: "0",
            from: "2:/diagnostics/components/0/1",
            expect: Expect::Near(0.0, 1e-9),
        },
    ],
    departures: "",
};

const SCREE: Item = Item {
    slide: "PCA: How to Choose k; PCA: Eigenvalues vs. Variance",
    title: "Scree graph and proportion of variance of Optdigits",
    text: "The eigenvalues of the covariance of 8 × 8 images of digits, and the proportion of variance that the first k explain. More than \
           0.9 is explained from k = 21 on; the elbow is at 12.",
    files: &[],
    commands: &[
        "scree digits --plot scree.svg --json",
        "pca digits -n 0.9 --json",
        "pca digits -n 20 --json",
    ],
    python: "import charta

X, y = charta.digits()
scree = charta.scree(X)
print(scree)
scree.plot().save('scree_of_python.svg')
pca = charta.PCA(0.9).fit(X)
print(pca.n_components_, pca.explained_variance_ratio_.sum())
print(charta.PCA('elbow').fit(X).n_components_)
",
    rust: "charta::dimension::Scree::of(&run, &data, &ScreeOptions::default())?",
    figures: &[(
        "scree.svg",
        "Eigenvalues (bars), proportion of variance explained (line), and the number of components by six rules",
    )],
    numbers: &[
        Number {
            what: "smallest k with a proportion of variance above 0.9",
            slide: "stop at PoV > 0.9",
            from: "1:/rules/1/n_components",
            expect: Expect::Near(21.0, 0.0),
        },
        Number {
            what: "the same, as a fit chooses it",
            slide: "stop at PoV > 0.9",
            from: "2:/diagnostics/n_components",
            expect: Expect::Near(21.0, 0.0),
        },
        Number {
            what: "variance left by 21 components, of 1202.15 in all",
            slide: "PoV > 0.9: below 120.21",
            from: "2:/diagnostics/reconstruction_error",
            expect: Expect::AtMost(120.21),
        },
        Number {
            what: "variance left by 20 components",
            slide: "one fewer does not suffice: above 120.21",
            from: "3:/diagnostics/reconstruction_error",
            expect: Expect::AtLeast(120.22),
        },
        Number {
            what: "elbow of the scree graph",
            slide: "stop at the elbow",
            from: "1:/rules/3/n_components",
            expect: Expect::Near(12.0, 0.0),
        },
    ],
    departures: "The slide draws all of Optdigits; charta carries its 1,797 test images.",
};

const OPTDIGITS: Item = Item {
    slide: "PCA: Projection",
    title: "Optdigits on the first two principal components",
    text: "Every image of a digit at its place on the first two principal components, drawn as the digit that it shows. 0, 4 and 6 stand apart at \
           the rim; the others overlap in the middle, because two components hold less than a third of the variance.",
    files: &[],
    commands: &[
        "compare digits --methods pca --glyphs --plot digits.png --json",
        "pca digits --json",
    ],
    python: "import charta

X, y = charta.digits()
pca = charta.PCA(2).fit(X)
charta.plot(pca, labels=y, glyphs=True).save('digits_of_python.png')
print(pca.explained_variance_ratio_)
",
    rust: "Pca::default().fit(&data)?.embedding()",
    figures: &[("digits.png", "Optdigits, first two principal components")],
    numbers: &[
        Number {
            what: "proportion of variance of the first component",
            slide: "a projection that loses much",
            from: "2:/diagnostics/explained_variance_ratio/0",
            expect: Expect::Near(0.149, 0.001),
        },
        Number {
            what: "digits whose nearest neighbours in the plane show the same digit",
            slide: "some digits apart, others overlapping",
            from: "1:/maps/0/nearest_accuracy",
            expect: Expect::Near(0.65, 0.05),
        },
    ],
    departures: "The signs of the axes are arbitrary: the picture may be mirrored.",
};

const ENCODING: Item = Item {
    slide: "PCA: Usage; PCA: Dimensionality Reduction",
    title: "Encoding by l coordinates, and decoding",
    text: "Each image of 64 pixels is encoded by 21 coordinates a = Qᵀx and decoded as x̂ = Qa. The decoded digits are easily read, and with all \
           coordinates nothing is lost.",
    files: &[],
    commands: &[
        "pca digits -n 21 --save encoder.charta -o codes.csv --json",
        "inverse encoder.charta codes.csv -o decoded.csv --json",
        "denoise encoder.charta digits --images-plot decoded.png --json",
        "pca digits -n 61 --save all.charta --json",
        "denoise all.charta digits --json",
    ],
    python: "import charta
import numpy as np

X, y = charta.digits()
pca = charta.PCA().fit(X)
codes = pca.transform(X)
codes[:, 21:] = 0  # the coordinates that are left out
decoded = pca.inverse_transform(codes)
short = charta.PCA(21).fit(X)
print(np.abs(decoded - short.inverse_transform(short.transform(X))).max())
print(((X - decoded) ** 2).mean())
",
    rust: "let codes = model.transform(&data)?; let decoded = model.inverse_transform(&codes.view())?;",
    figures: &[(
        "decoded.png",
        "Images of digits above, decoded from 21 of 64 coordinates below",
    )],
    numbers: &[
        Number {
            what: "coordinates l of m = 64",
            slide: "l ≤ m",
            from: "2:/n_components",
            expect: Expect::Near(21.0, 0.0),
        },
        Number {
            what: "mean squared error of a pixel decoded from 21 coordinates",
            slide: "the truncated λ (here 116.305 / 64 = 1.817)",
            from: "3:/mean_squared_change",
            expect: Expect::Near(1.817, 0.002),
        },
        Number {
            what: "the same from all coordinates with variance",
            slide: "x = Qa",
            from: "5:/mean_squared_change",
            expect: Expect::AtMost(1e-20),
        },
    ],
    departures: "",
};

const TOTAL_VARIANCE: Item = Item {
    slide: "PCA: Total Variance",
    title: "The variances of the inputs add up to the eigenvalues",
    text: "For 13 columns that are divided by their standard deviations the variances add up to 13, and so do the eigenvalues; what l of \
           them leave is the error of the reduction.",
    files: &[],
    commands: &[
        "pca wine --standardize --population -n 13 --scree-plot variance.svg --json",
        "pca wine --standardize --population -n 3 --json",
    ],
    python: "import charta

X, y = charta.wine()
Z = (X - X.mean(axis=0)) / X.std(axis=0)
pca = charta.PCA(3).fit(Z)
n = len(Z)
print(pca.explained_variance_.sum() * (n - 1) / n, Z.var(axis=0).sum())
",
    rust: "Pca { standardize: true, population: true, ..Pca::default() }.fit(&data)?.report().total_variance",
    figures: &[(
        "variance.svg",
        "Variance of each component and its cumulative proportion",
    )],
    numbers: &[
        Number {
            what: "Σ λ of 13 standardized columns",
            slide: "Σ σ² = Σ λ: 13",
            from: "1:/diagnostics/total_variance",
            expect: Expect::Near(13.0, 1e-9),
        },
        Number {
            what: "error with all components",
            slide: "nothing is truncated",
            from: "1:/diagnostics/reconstruction_error",
            expect: Expect::AtMost(1e-9),
        },
        Number {
            what: "error with three components: 13 less λ₁ + λ₂ + λ₃",
            slide: "the variance left (here 13 − 8.649 = 4.351)",
            from: "2:/diagnostics/reconstruction_error",
            expect: Expect::Near(4.351, 0.001),
        },
    ],
    departures: "",
};

const PCA_EXAMPLE: Item = Item {
    slide: "PCA Example",
    title: "Two clouds of 1,800 points",
    text: "Two normal clouds on the diagonal: the first principal axis runs through both centres, the second across. The eigenvalues are those of the \
           slide within the chance of another draw.",
    files: &[],
    commands: &[
        "pca gaussian-pair:1800 --population --input-plot axes.png --plot coordinates.png --json",
    ],
    python: "import charta

X, cloud = charta.gaussian_pair(1800)
pca = charta.PCA(2).fit(X)
print(pca.components_, pca.explained_variance_)
charta.plot_input(pca, X, labels=cloud).save('axes_of_python.png')
charta.plot(pca, labels=cloud).save('coordinates_of_python.png')
",
    rust: "Pca { population: true, ..Pca::default() }.fit(&data)?.report()",
    figures: &[
        (
            "axes.png",
            "The points and their principal axes, two standard deviations to each side",
        ),
        (
            "coordinates.png",
            "The same points in the coordinates of the axes",
        ),
    ],
    numbers: &[
        Number {
            what: "first eigenvalue",
            slide: "0.14425",
            from: "1:/diagnostics/explained_variance/0",
            expect: Expect::Near(0.14425, 0.0102),
        },
        Number {
            what: "second eigenvalue",
            slide: "0.02161",
            from: "1:/diagnostics/explained_variance/1",
            expect: Expect::Near(0.02161, 0.003),
        },
        Number {
            what: "first axis, across",
            slide: "0.70285",
            from: "1:/diagnostics/components/0/0",
            expect: Expect::Near(0.70285, 0.03),
        },
        Number {
            what: "first axis, up",
            slide: "0.71134",
            from: "1:/diagnostics/components/0/1",
            expect: Expect::Near(0.71134, 0.03),
        },
    ],
    departures: "The slide draws 800 points with standard deviation 1/9 and 1,000 with 1/6 by a random generator of its own; here both clouds \
                 have 900 points and one spread, chosen so that the covariance has the slide's eigenvalues. The tolerances are about four standard \
                 errors of 1,800 points.",
};

const FACTORS: Item = Item {
    slide: "Factor Analysis",
    title: "Three factors behind thirteen measurements of wine",
    text: "x − μ = Vz + ε: each measurement is a combination of three uncorrelated factors of variance 1 and a noise of its own. After a varimax \
           rotation each factor loads on a few measurements: phenols, colour and alcohol, ash.",
    files: &[],
    commands: &[
        "factor-analysis wine --standardize -n 3 --rotation varimax --loadings-plot loadings.svg --json",
    ],
    python: "import charta

X, y = charta.wine()
Z = (X - X.mean(axis=0)) / X.std(axis=0)
factors = charta.FactorAnalysis(3, rotation='varimax').fit(Z)
print(factors.components_, factors.noise_variance_)
charta.plot_loadings(factors).save('loadings_of_python.svg')
",
    rust: "FactorAnalysis { n_components: 3, standardize: true, rotation: Rotation::Varimax, ..FactorAnalysis::default() }.fit(&data)?",
    figures: &[(
        "loadings.svg",
        "Loadings v of the measurements on the three factors",
    )],
    numbers: &[
        Number {
            what: "Var(z₁)",
            slide: "Var(z_i) = 1",
            from: "1:/diagnostics/factor_correlations/0/0",
            expect: Expect::Near(1.0, 1e-12),
        },
        Number {
            what: "Cov(z₁, z₂)",
            slide: "Cov(z_i, z_j) = 0",
            from: "1:/diagnostics/factor_correlations/0/1",
            expect: Expect::Near(0.0, 1e-12),
        },
        Number {
            what: "variance of the alcalinity of ash that the factors explain: Σ v²",
            slide: "1 − Ψ (here 1 − 0.0728)",
            from: "1:/diagnostics/communalities/3",
            expect: Expect::Near(0.9272, 0.0005),
        },
        Number {
            what: "variance of its noise: Ψ",
            slide: "Ψ = 1 − Σ v² (here 1 − 0.9272)",
            from: "1:/diagnostics/noise_variance/3",
            expect: Expect::Near(0.0728, 0.0005),
        },
    ],
    departures: "The slides show the model without data; the measurements of wine stand for it. Ψ is the variance of the noise.",
};

const SAMMON: Item = Item {
    slide: "Multidimensional Scaling (MDS)",
    title: "Sammon stress, minimized over places and over a mapping z = g(x | θ)",
    text: "The stress of the slide sums squared errors of the distances relative to the distances, (‖zʳ − zˢ‖ − ‖xʳ − xˢ‖)² / ‖xʳ − xˢ‖². A \
           mapping g cannot do better than free places, and a network comes close to them; unlike free places, it maps rows that it has never \
           seen, as well as those that it was trained on.",
    files: &[],
    commands: &[
        "sammon s-curve:400 --weighting relative --plot places.svg --json",
        "parametric-sammon s-curve:400 --weighting relative --map linear --json",
        "parametric-sammon s-curve:400 --weighting relative --save network.charta --json",
        "transform network.charta s-curve:200,seed=1 -o new.csv --plot new.svg",
        "quality s-curve:200,seed=1 new.csv --json",
    ],
    python: "import charta

X, along = charta.s_curve(400)
new, along_new = charta.s_curve(200, random_state=1)
places = charta.Sammon(weighting='relative').fit(X)
linear = charta.ParametricSammon(map='linear', weighting='relative').fit(X)
network = charta.ParametricSammon(weighting='relative').fit(X)
print(places.stress_, linear.stress_, network.stress_)
print(charta.quality_report(new, network.transform(new))['sammon_stress'])
",
    rust: "ParametricSammon { weighting: Weighting::Relative, ..ParametricSammon::default() }.fit(&data)?.transform(&new)?",
    figures: &[
        (
            "places.svg",
            "The S-curve with the least stress: its places are free",
        ),
        (
            "new.svg",
            "200 new points of the S-curve, mapped by the network",
        ),
    ],
    numbers: &[
        Number {
            what: "mean relative squared error, free places",
            slide: "min E(θ | X)",
            from: "1:/diagnostics/stress",
            expect: Expect::Near(0.0355, 0.0005),
        },
        Number {
            what: "the same, z = Wx linear",
            slide: "z = g(x | θ): no better than free places (here 0.0355)",
            from: "2:/diagnostics/stress",
            expect: Expect::AtLeast(0.0355),
        },
        Number {
            what: "the same, a network",
            slide: "z = g(x | θ): below that of the linear map",
            from: "3:/diagnostics/stress",
            expect: Expect::AtMost(0.0385),
        },
        Number {
            what: "Sammon's stress (weights 1/δ) of the new points",
            slide: "g maps new points (here 0.029 for the training points)",
            from: "5:/quality/sammon_stress",
            expect: Expect::AtMost(0.035),
        },
    ],
    departures: "The slide sums over all pairs; charta reports the mean over them.",
};

const EUROPE: Item = Item {
    slide: "Map of Europe by MDS",
    title: "The map of Europe from road distances",
    text: "Nothing but the 210 road distances between 21 cities goes in; out comes the map. Laid over the true places by a shift, a turn and a scale, 4 % \
           of the spread is left: roads are no straight lines.",
    files: &[],
    commands: &[
        "mds eurodist -o map.csv --plot europe.svg --json",
        "quality eurodist map.csv --known europe --json",
        "classical-mds eurodist --json",
        "plot europe -o true.svg",
    ],
    python: "import charta

D, _ = charta.eurodist()
europe = charta.MDS(metric='precomputed').fit(D)
charta.plot(europe).save('europe_of_python.svg')
",
    rust: "Mds::default().fit(&Data::from_distances(&distances))?",
    figures: &[
        (
            "europe.svg",
            "21 cities of Europe, placed by the distances between them",
        ),
        ("true.svg", "The true places, km to the east and north"),
    ],
    numbers: &[
        Number {
            what: "places as far apart as given",
            slide: "distances are preserved: correlation",
            from: "2:/quality/pearson",
            expect: Expect::AtLeast(0.98),
        },
        Number {
            what: "squared distances from the true places, as a part of their spread",
            slide: "the map of Europe: 0 for a perfect one",
            from: "2:/quality/procrustes_disparity",
            expect: Expect::AtMost(0.05),
        },
        Number {
            what: "residual variance in one dimension",
            slide: "a map needs two",
            from: "3:/diagnostics/residual_variance/0",
            expect: Expect::AtLeast(0.2),
        },
        Number {
            what: "residual variance in two dimensions",
            slide: "a map has two",
            from: "3:/diagnostics/residual_variance/1",
            expect: Expect::AtMost(0.03),
        },
    ],
    departures: "The cities and distances are those of R's eurodist. North happens to be up; a map from distances may come out turned or mirrored.",
};

const MANIFOLDS: Item = Item {
    slide: "Manifolds",
    title: "One- and two-dimensional manifolds",
    text: "The dimension of a manifold is that of the flat space that it resembles locally: 1 for a line and for curves, 2 for a square, for a sphere and \
           for a rolled-up sheet, however many columns the data has.",
    files: &[],
    commands: &[
        "dimension line:600 --json",
        "dimension curve:600 --json",
        "dimension ring:600 --json",
        "dimension square:600 --json",
        "dimension sphere:600 --plot sphere.svg --json",
        "dimension swiss-roll:600 --json",
        "laplacian-eigenmaps sphere:1000 --input-plot points.svg",
    ],
    python: "import charta

for data in (charta.line, charta.curve, charta.ring, charta.square, charta.sphere, charta.swiss_roll):
    X, _ = data(600)
    print(data.__name__, charta.dimension(X).dimension)
",
    rust: "charta::dimension::Verdict",
    figures: &[
        ("points.svg", "Points of a sphere: three columns, two dimensions"),
        ("sphere.svg", "Estimates of the dimension of the sphere"),
    ],
    numbers: &[
        Number {
            what: "a straight line",
            slide: "1D",
            from: "1:/verdict/dimension",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "a parabola",
            slide: "1D: wiggly curves",
            from: "2:/verdict/dimension",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "a circle",
            slide: "1D",
            from: "3:/verdict/dimension",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "a square",
            slide: "2D: flat plane",
            from: "4:/verdict/dimension",
            expect: Expect::Near(2.0, 0.0),
        },
        Number {
            what: "a sphere",
            slide: "2D: surface of a sphere",
            from: "5:/verdict/dimension",
            expect: Expect::Near(2.0, 0.0),
        },
        Number {
            what: "a rolled-up sheet",
            slide: "2D",
            from: "6:/verdict/dimension",
            expect: Expect::Near(2.0, 0.0),
        },
    ],
    departures: "",
};

const MANIFOLD_LEARNING: Item = Item {
    slide: "Manifold Learning",
    title: "A surface, points on it, and the structure recovered from the points",
    text: "A: a two-dimensional sheet in space, drawn by many points. B: a thousand of its points are all that a method gets. C: Isomap recovers the \
           sheet: the position along the roll and the height are the two axes of the map.",
    files: &[],
    commands: &[
        "laplacian-eigenmaps swiss-roll:6000 --input-plot surface.png",
        "isomap swiss-roll:1000 -k 7 --quality --input-plot points.svg --plot recovered.svg --json",
    ],
    python: "import charta

X, along = charta.swiss_roll(1000)
isomap = charta.Isomap(n_neighbors=7).fit(X)
charta.plot_input(isomap, X, labels=along).save('points_of_python.svg')
charta.plot(isomap, labels=along).save('recovered_of_python.svg')
print(isomap.quality(X)['trustworthiness'])
",
    rust: "Isomap { neighborhood: Neighborhood { n_neighbors: 7, ..Neighborhood::default() }, ..Isomap::default() }.fit(&roll.features)?",
    figures: &[
        ("surface.png", "A: the manifold, a rolled-up sheet"),
        ("points.svg", "B: points drawn from it"),
        (
            "recovered.svg",
            "C: the structure recovered, coloured by the true position",
        ),
    ],
    numbers: &[
        Number {
            what: "trustworthiness of the recovered structure",
            slide: "C from B, without knowledge of A: 1 if neighbours stay neighbours",
            from: "2:/quality/trustworthiness/0",
            expect: Expect::AtLeast(0.995),
        },
        Number {
            what: "residual variance in one dimension",
            slide: "a 2D structure: one dimension is too few",
            from: "2:/diagnostics/residual_variance/0",
            expect: Expect::AtLeast(0.01),
        },
        Number {
            what: "residual variance in two dimensions",
            slide: "a 2D structure: two suffice",
            from: "2:/diagnostics/residual_variance/1",
            expect: Expect::AtMost(0.002),
        },
    ],
    departures: "The manifold of the slide is that of a paper; a rolled-up sheet stands for it.",
};

const GEODESIC: Item = Item {
    slide: "Geodesic Distance",
    title: "The way along the manifold and the straight line",
    text: "Two points on neighbouring layers of the roll. Through the air they are close (blue); along the sheet the way is ten times as long (red). In \
           the map of Isomap the straight line is as long as that way.",
    files: &[],
    commands: &[
        "isomap swiss-roll:1000 -k 7 --path 276,509 --input-plot roll.svg --plot map.svg --json",
    ],
    python: "import charta

X, along = charta.swiss_roll(1000)
isomap = charta.Isomap(n_neighbors=7).fit(X)
print(isomap.shortest_path(276, 509))
charta.plot(isomap, labels=along, path=(276, 509)).save('map_of_python.svg')
charta.plot_input(isomap, X, labels=along, path=(276, 509)).save('roll_of_python.svg')
",
    rust: "charta::graph::ShortestPaths",
    figures: &[
        (
            "roll.svg",
            "A point on each of two layers, the shortest path along the graph (red) and the straight line (blue, dashed)",
        ),
        ("map.svg", "The same in the map"),
    ],
    numbers: &[
        Number {
            what: "Euclidean distance of the two points",
            slide: "B: through the air",
            from: "1:/path/input_distance",
            expect: Expect::Near(6.336, 0.001),
        },
        Number {
            what: "length of the shortest path",
            slide: "C: along the manifold (here 60.91 by the formula of the spiral)",
            from: "1:/path/length",
            expect: Expect::Near(60.91, 4.0),
        },
        Number {
            what: "distance in the map",
            slide: "the geodesic distance",
            from: "1:/path/map_distance",
            expect: Expect::Near(60.91, 4.0),
        },
    ],
    departures: "",
};

const ISOMAP: Item = Item {
    slide: "Isomap; Isomap Algorithm",
    title: "Neighbours by ε or k, shortest paths, MDS",
    text: "Points are joined with their k nearest neighbours, or with all within ε; the graph follows the sheet and jumps no gap. Distances are the \
           lengths of shortest paths, and MDS lays them out in a plane. Both rules unroll the sheet.",
    files: &[],
    commands: &[
        "isomap swiss-roll:1000 -k 7 --graph --input-plot graph.svg --plot map.svg --scree-plot residual.svg --json",
        "isomap swiss-roll:1000 --radius 3.5 --json",
        "isomap swiss-roll:300 -k 8 --steps steps --json",
        "classical-mds steps/D.npy --distances --json",
    ],
    python: "import charta

X, along = charta.swiss_roll(1000)
isomap = charta.Isomap(n_neighbors=7).fit(X)
charta.plot(isomap, labels=along, edges=True).save('map_of_python.svg')
charta.plot_input(isomap, X, labels=along, edges=True).save('graph_of_python.svg')
charta.plot_scree(isomap).save('residual_of_python.svg')
print(isomap.residual_variance_[:3], charta.Isomap(radius=3.5).fit(X).residual_variance_[:3])
",
    rust: "Isomap { neighborhood: Neighborhood { radius: Some(3.5), ..Neighborhood::default() }, ..Isomap::default() }.fit(&roll.features)?",
    figures: &[
        (
            "graph.svg",
            "The graph of the seven nearest neighbours over the points",
        ),
        ("map.svg", "The same graph in the map"),
        (
            "residual.svg",
            "Residual variance by the number of dimensions: the bend is at 2",
        ),
    ],
    numbers: &[
        Number {
            what: "parts of the graph, k = 7",
            slide: "connected if x^s is one of the k neighbours",
            from: "1:/diagnostics/n_connected_components",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "residual variance of the plane, k = 7",
            slide: "distances along the graph are preserved",
            from: "1:/diagnostics/residual_variance/1",
            expect: Expect::AtMost(0.002),
        },
        Number {
            what: "parts of the graph, ε = 3.5",
            slide: "connected if ‖xʳ − xˢ‖ < ε",
            from: "2:/diagnostics/n_connected_components",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "residual variance of the plane, ε = 3.5",
            slide: "distances along the graph are preserved",
            from: "2:/diagnostics/residual_variance/1",
            expect: Expect::AtMost(0.002),
        },
        Number {
            what: "largest eigenvalue of B, Isomap of 300 points",
            slide: "once the distances are formed, use MDS",
            from: "3:/diagnostics/eigenvalues/0",
            expect: Expect::Near(39973.0, 0.5),
        },
        Number {
            what: "the same by MDS of the lengths of the shortest paths",
            slide: "use MDS: the same",
            from: "4:/diagnostics/eigenvalues/0",
            expect: Expect::Near(39973.0, 0.5),
        },
    ],
    departures: "",
};

const ISOMAP_OPTDIGITS: Item = Item {
    slide: "Isomap Projection",
    title: "Optdigits after Isomap, with the neighbourhood graph",
    text: "The images of digits along the graph of their seven nearest neighbours. 0, 4, 6 and 7 form arms of their own; edges that run through the middle \
           are images between two digits.",
    files: &[],
    commands: &["isomap digits -k 7 --graph --quality --plot graph.png --json"],
    python: "import charta

X, y = charta.digits()
isomap = charta.Isomap(n_neighbors=7).fit(X)
charta.plot(isomap, labels=y, edges=True).save('graph_of_python.png')
print(isomap.quality(X, y)['nearest_accuracy'])
",
    rust: "fitted.embedded_graph(n_rows)?.edges",
    figures: &[(
        "graph.png",
        "Optdigits after Isomap, with the edges of the neighbourhood graph",
    )],
    numbers: &[
        Number {
            what: "parts of the neighbourhood graph",
            slide: "one map of all digits",
            from: "1:/diagnostics/n_connected_components",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "digits whose nearest neighbours in the map show the same digit",
            slide: "better separated than on two principal components (here 0.65)",
            from: "1:/quality/nearest_accuracy/0",
            expect: Expect::AtLeast(0.7),
        },
    ],
    departures: "",
};

const LLE_OPTDIGITS: Item = Item {
    slide: "LLE Projection",
    title: "Optdigits after LLE",
    text: "Digits that differ most from the others run out into arms; the rest stays crowded in the middle. Neighbours are kept better than \
           on two principal components.",
    files: &[],
    commands: &["lle digits -k 12 --quality --plot lle.svg --json"],
    python: "import charta

X, y = charta.digits()
lle = charta.LLE(n_neighbors=12).fit(X)
charta.plot(lle, labels=y).save('lle_of_python.svg')
print(charta.quality_report(X, lle.embedding_, labels=y)['nearest_accuracy'])
",
    rust: "Lle { neighborhood: Neighborhood { n_neighbors: 12, ..Neighborhood::default() }, ..Lle::default() }.fit(&data)?",
    figures: &[("lle.svg", "Optdigits after LLE with 12 neighbours")],
    numbers: &[
        Number {
            what: "digits whose nearest neighbours in the map show the same digit",
            slide: "arms of single digits (here 0.65 on two principal components)",
            from: "1:/quality/nearest_accuracy/0",
            expect: Expect::AtLeast(0.8),
        },
        Number {
            what: "trustworthiness",
            slide: "neighbours stay neighbours (here 0.83 on two principal components)",
            from: "1:/quality/trustworthiness/0",
            expect: Expect::AtLeast(0.88),
        },
    ],
    departures: "",
};

const TSNE: Item = Item {
    slide: "tSNE: t-distributed Stochastic Neighbor Embedding",
    title: "t-SNE of digits",
    text: "Similar images have a high probability of being neighbours; the map is moved until its probabilities Q are close to those of the data, P. Ten \
           islands come out, almost one for each digit.",
    files: &[],
    commands: &[
        "tsne digits --iterations 300 --json",
        "tsne digits --quality --plot tsne.png --json",
    ],
    python: "import charta

X, y = charta.digits()
tsne = charta.TSNE().fit(X)
charta.plot(tsne, labels=y).save('tsne_of_python.png')
print(tsne.kl_divergence_)
",
    rust: "Tsne::default().fit(&data)?.report().kl_divergence",
    figures: &[("tsne.png", "Digits after t-SNE")],
    numbers: &[
        Number {
            what: "KL(P‖Q) after 300 iterations, the first after those with exaggeration",
            slide: "KL divergence is minimized",
            from: "1:/diagnostics/kl_divergence",
            expect: Expect::Near(0.92, 0.05),
        },
        Number {
            what: "KL(P‖Q) after 750 iterations",
            slide: "KL divergence is minimized: less",
            from: "2:/diagnostics/kl_divergence",
            expect: Expect::AtMost(0.78),
        },
        Number {
            what: "digits whose nearest neighbours in the map show the same digit",
            slide: "islands of single digits",
            from: "2:/quality/nearest_accuracy/0",
            expect: Expect::AtLeast(0.97),
        },
    ],
    departures: "The slide shows the 28 × 28 images of MNIST; these are the 8 × 8 images that charta carries. A file of MNIST is read as `tsne images.idx3-ubyte`.",
};

const EIGEN: Item = Item {
    slide: "Eigenvector/Eigenvalue Example",
    title: "Eigenvectors of a matrix that is not symmetric",
    text: "A cloud of points x and its image Ax for A = [3 5; 2 1]. A changes the length of its two eigenvectors (blue) and not \
           their line: their images (magenta) lie on the same lines, the second one turned round.",
    files: &[],
    commands: &["linear eigen '3 5; 2 1' --plot eigen.svg --json"],
    python: "import charta
import numpy as np

A = np.array([[3, 5], [2, 1]])
eigen = charta.linear.eigen(A)
print(eigen)
",
    rust: "charta::linear::Eigen::of(&array![[3.0, 5.0], [2.0, 1.0]].view())?",
    figures: &[(
        "eigen.svg",
        "The points, their images, the eigenvectors and their images",
    )],
    numbers: &[
        Number {
            what: "λ₁",
            slide: "5.3",
            from: "1:/eigenvalues/0/real",
            expect: Expect::Near(5.3, 0.05),
        },
        Number {
            what: "λ₂",
            slide: "−1.3",
            from: "1:/eigenvalues/1/real",
            expect: Expect::Near(-1.3, 0.05),
        },
        Number {
            what: "v₁, across",
            slide: "0.91",
            from: "1:/vectors/0/0",
            expect: Expect::Near(0.91, 0.005),
        },
        Number {
            what: "v₁, up",
            slide: "0.42",
            from: "1:/vectors/1/0",
            expect: Expect::Near(0.42, 0.005),
        },
        Number {
            what: "v₂, across",
            slide: "−0.76 for −v₂",
            from: "1:/vectors/0/1",
            expect: Expect::Near(0.76, 0.005),
        },
        Number {
            what: "v₂, up",
            slide: "0.65 for −v₂",
            from: "1:/vectors/1/1",
            expect: Expect::Near(-0.65, 0.005),
        },
    ],
    departures: "An eigenvector may be multiplied by −1: v₂ points the other way. The slide draws the points red and their images green.",
};

const EIGEN_SYMMETRIC: Item = Item {
    slide: "Eigenvector/Eigenvalue Example 2",
    title: "Eigenvectors of a symmetric matrix are orthogonal",
    text: "The same for A = [3 4; 4 3]: the eigenvectors are the two diagonals, at a right angle. One is stretched seven times, the other is turned round.",
    files: &[],
    commands: &["linear eigen '3 4; 4 3' --plot eigen.svg --json"],
    python: "import charta
import numpy as np

eigen = charta.linear.eigen(np.array([[3, 4], [4, 3]]))
print(eigen)
",
    rust: "charta::linear::Eigen::of(&array![[3.0, 4.0], [4.0, 3.0]].view())?",
    figures: &[(
        "eigen.svg",
        "The points, their images, the eigenvectors and their images",
    )],
    numbers: &[
        Number {
            what: "λ₁",
            slide: "real: 7",
            from: "1:/eigenvalues/0/real",
            expect: Expect::Near(7.0, 1e-9),
        },
        Number {
            what: "λ₂",
            slide: "real: −1",
            from: "1:/eigenvalues/1/real",
            expect: Expect::Near(-1.0, 1e-9),
        },
        Number {
            what: "condition of the eigenvectors",
            slide: "orthogonal: 1",
            from: "1:/condition_of_vectors",
            expect: Expect::Near(1.0, 1e-9),
        },
    ],
    departures: "",
};

const DERIVATION: Item = Item {
    slide: "Principal Component Analysis; PCA: Derivation",
    title: "No direction has more variance than the first eigenvector",
    text: "The variance of z = wᵀx is wᵀΣw; the eigenvector of the largest eigenvalue makes it largest, and leaves the least squared distance from \
           the line. A direction of one's own, here straight across, does worse.",
    files: &[],
    commands: &[
        "linear covariance gaussian-pair:300 -o covariance.csv --json",
        "linear eigen covariance.csv --json",
        "linear line gaussian-pair:300 --direction 1,0 --plot lines.svg --json",
        "pca gaussian-pair:300 --json",
    ],
    python: "import charta

X, cloud = charta.gaussian_pair(300)
S = charta.linear.covariance(X)
values = charta.linear.eigen(S)
print(values, charta.PCA(2).fit(X).explained_variance_)
print(charta.linear.line(X, (1, 0)))
",
    rust: "charta::linear::LineFit::of(&run, &data, &direction.view(), None)?",
    figures: &[(
        "lines.svg",
        "The chosen direction and the best one, with the feet of the perpendiculars",
    )],
    numbers: &[
        Number {
            what: "largest eigenvalue of Σ",
            slide: "Σw₁ = αw₁: the variance of z₁, 0.140642",
            from: "2:/eigenvalues/0/real",
            expect: Expect::Near(0.140_642, 1e-6),
        },
        Number {
            what: "variance of the first principal component",
            slide: "the largest eigenvalue of Σ, 0.140642",
            from: "4:/diagnostics/explained_variance/0",
            expect: Expect::Near(0.140_642, 1e-6),
        },
        Number {
            what: "variance of the second, orthogonal to the first",
            slide: "another eigenvalue of Σ, 0.026595",
            from: "4:/diagnostics/explained_variance/1",
            expect: Expect::Near(0.026_595, 1e-6),
        },
        Number {
            what: "squared error of the best line",
            slide: "minimal loss: 299 · 0.026595 = 7.9518",
            from: "3:/best/error",
            expect: Expect::Near(7.9518, 0.0005),
        },
        Number {
            what: "squared error of the line straight across",
            slide: "any other direction: more than 7.95",
            from: "3:/chosen/error",
            expect: Expect::AtLeast(7.96),
        },
    ],
    departures: "",
};

const SVD: Item = Item {
    slide: "Singular Value Decomposition (SVD)",
    title: "A matrix as a sum of products of singular vectors",
    text: "A table of four rows whose last row is the first less the third, so that its rank is two. Two terms U σ Vᵀ give it exactly, one \
           does not; σ² are the eigenvalues of XᵀX. Below, digits from the first five terms.",
    files: &[("x.csv", "a,b,c\n1,2,3\n2,4,6\n1,0,1\n0,2,2\n")],
    commands: &[
        "linear svd x.csv --rank 2 --json",
        "linear svd x.csv --rank 1 --json",
        "linear eigen '6 10 16; 10 24 34; 16 34 50' --json",
        "truncated-svd digits -n 5 --save svd.charta --json",
        "denoise svd.charta digits --images-plot sums.png --json",
    ],
    python: "import charta
import numpy as np

X = np.array([[1, 2, 3], [2, 4, 6], [1, 0, 1], [0, 2, 2]])
svd = charta.linear.svd(X, rank=2)
print(svd)
",
    rust: "charta::linear::Svd::of(&x.view())?.approximation(2)?",
    figures: &[(
        "sums.png",
        "Digits above, and the sum of their first five terms below",
    )],
    numbers: &[
        Number {
            what: "rank",
            slide: "k is the rank of X",
            from: "1:/rank",
            expect: Expect::Near(2.0, 0.0),
        },
        Number {
            what: "error of the sum of two terms",
            slide: "X = U₁σ₁V₁ᵀ + … + U_kσ_kV_kᵀ",
            from: "1:/approximation/error",
            expect: Expect::AtMost(1e-12),
        },
        Number {
            what: "error of one term: σ₂",
            slide: "a term is missing: 1.298273",
            from: "2:/approximation/error",
            expect: Expect::Near(1.298_273, 1e-6),
        },
        Number {
            what: "σ₁",
            slide: "W: eigenvectors of XᵀX; √78.314488",
            from: "1:/singular_values/0",
            expect: Expect::Near(8.849_547, 1e-6),
        },
        Number {
            what: "largest eigenvalue of XᵀX: σ₁²",
            slide: "W: eigenvectors of XᵀX; 8.849547²",
            from: "3:/eigenvalues/0/real",
            expect: Expect::Near(78.314_488, 1e-6),
        },
    ],
    departures: "",
};

const PSEUDO_INVERSE: Item = Item {
    slide: "SVD Applications",
    title: "Pseudo-inverse and least squares",
    text: "Four points nearly on a line: Xw = y has more equations than unknowns, and w = X†y is the solution of least squared error. The same by \
           hand: (21 · 18 − 7 · 48.9)/35 = 1.02 and (4 · 48.9 − 7 · 18)/35 = 1.98857.",
    files: &[],
    commands: &[
        "linear pseudo-inverse '1 0; 1 1; 1 2; 1 4' --json",
        "linear least-squares '1 0; 1 1; 1 2; 1 4' --target '1; 2.9; 5.2; 8.9' --json",
    ],
    python: "import charta
import numpy as np

X, y = np.array([[1, 0], [1, 1], [1, 2], [1, 4]]), np.array([1, 2.9, 5.2, 8.9])
inverse = charta.linear.pseudo_inverse(X)
print(inverse @ X)
print(inverse @ y, charta.linear.least_squares(X, y))
",
    rust: "charta::linear::pseudo_inverse(&x.view())?.dot(&y)",
    figures: &[],
    numbers: &[
        Number {
            what: "X†, first entry",
            slide: "WA*Vᵀ: 21/35",
            from: "1:/pseudo_inverse/0/0",
            expect: Expect::Near(0.6, 1e-12),
        },
        Number {
            what: "X†, last entry",
            slide: "WA*Vᵀ: 9/35",
            from: "1:/pseudo_inverse/1/3",
            expect: Expect::Near(9.0 / 35.0, 1e-12),
        },
        Number {
            what: "w₁ = X†y, the intercept",
            slide: "by hand: 1.02",
            from: "2:/weights/0/0",
            expect: Expect::Near(1.02, 1e-12),
        },
        Number {
            what: "w₂ = X†y, the slope",
            slide: "by hand: 69.6/35",
            from: "2:/weights/1/0",
            expect: Expect::Near(69.6 / 35.0, 1e-12),
        },
    ],
    departures: "",
};

const SAMPLING: Item = Item {
    slide: "PCA vs. FA; Factor Analysis: factors are stretched, rotated and translated",
    title: "Factor analysis generates x from z",
    text: "PCA goes from x to z, factor analysis from z to x: a factor is drawn, stretched along its loadings, moved to the mean, and noise is added to each \
           column. Rows made in this way have the mean and the covariance of the wines that the model was fitted to.",
    files: &[],
    commands: &[
        "factor-analysis wine --columns total_phenols,flavanoids,od280/od315_of_diluted_wines -n 1 --save model.charta --json",
        "sample model.charta --rows 2000 --seed 1 -o rows.csv --json",
        "linear covariance wine --columns total_phenols,flavanoids,od280/od315_of_diluted_wines --json",
        "linear covariance rows.csv --json",
        "plot wine --axes total_phenols,flavanoids -o wine.svg",
        "plot rows.csv --axes total_phenols,flavanoids -o rows.svg",
    ],
    python: "import charta

X, y = charta.wine()
X = X[:, [5, 6, 11]]
factors = charta.FactorAnalysis(1).fit(X)
rows = factors.sample(2000, random_state=1)
print(charta.linear.covariance(X))
print(charta.linear.covariance(rows))
charta.plot(rows).save('rows_of_python.svg')
",
    rust: "fitted.sample(&run, 2000, 1)?",
    figures: &[
        ("wine.svg", "Two of the three measurements of 178 wines"),
        ("rows.svg", "2,000 rows that the model generates"),
    ],
    numbers: &[
        Number {
            what: "variance of the flavanoids, generated",
            slide: "x − μ = Vz + ε: 0.9977 in the wines",
            from: "4:/matrix/1/1",
            expect: Expect::Near(0.9977, 0.13),
        },
        Number {
            what: "covariance of phenols and flavanoids, generated",
            slide: "0.5405 in the wines",
            from: "4:/matrix/0/1",
            expect: Expect::Near(0.5405, 0.08),
        },
        Number {
            what: "the same in the wines",
            slide: "0.5405",
            from: "3:/matrix/0/1",
            expect: Expect::Near(0.5405, 0.0001),
        },
        Number {
            what: "mean of the flavanoids, generated",
            slide: "translated to μ: 2.0293 in the wines",
            from: "4:/mean/1",
            expect: Expect::Near(2.0293, 0.09),
        },
    ],
    departures: "The slide shows a sketch without data. Tolerances are four standard errors of 2,000 rows.",
};

const CURVATURE: Item = Item {
    slide: "Manifolds: detecting curvature",
    title: "Angle sums of triangles on a sphere, and on a rolled-up sheet",
    text: "Triangles of shortest paths along the neighbour graph. On the sphere their angles add up to more than 180°; on the rolled-up \
           sheet, which is flat for those who live in it, to 180°.",
    files: &[],
    commands: &[
        "linear angles sphere:1500 --json",
        "linear angles swiss-roll:1500 --json",
    ],
    python: "import charta

sphere, _ = charta.sphere(1500)
roll, _ = charta.swiss_roll(1500)
print(charta.linear.angles(sphere))
print(charta.linear.angles(roll))
",
    rust: "AngleSums::of(&run, &data, &AngleOptions::default())?.verdict()",
    figures: &[],
    numbers: &[
        Number {
            what: "a sphere",
            slide: "sum of the angles = 180°? No, more",
            from: "1:/verdict",
            expect: Expect::Contains("positive"),
        },
        Number {
            what: "mean angle sum on the sphere",
            slide: "above 180°",
            from: "1:/mean",
            expect: Expect::AtLeast(182.0),
        },
        Number {
            what: "a rolled-up sheet",
            slide: "sum of the angles = 180°? Yes",
            from: "2:/verdict",
            expect: Expect::Contains("flat"),
        },
        Number {
            what: "mean angle sum on the sheet",
            slide: "180°",
            from: "2:/mean",
            expect: Expect::Near(180.0, 5.0),
        },
    ],
    departures: "Shortest paths follow edges of the graph and bend at every row, which adds a few degrees on the flat sheet too; the verdict allows for that.",
};

const LLE_PRINCIPLE: Item = Item {
    slide: "Locally Linear Embedding (LLE); LLE Principle",
    title: "A point, its neighbours and their weights",
    text: "Each point is reconstructed from its five nearest neighbours by weights with sum 1, so that the constant vector solves y = Wy without error: the \
           eigenvalue 0 of M = (I − W)ᵀ(I − W). `--steps` writes W and M, and the picture draws the neighbours.",
    files: &[],
    commands: &[
        "lle curve:40,noise=0.03,seed=1 -n 1 -k 5 --steps steps --graph --input-plot neighbors.svg -o map.csv --json",
        "linear eigen steps/M.npy --json",
        "linear least-squares steps/W.npy --target '1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1' --json",
    ],
    python: "import charta

X, along = charta.curve(40, noise=0.03, random_state=1)
lle = charta.LLE(n_neighbors=5, n_components=1).fit(X)
steps = lle.steps(X)
print(steps['W'].sum(axis=1))
charta.plot_input(lle, X, labels=along, edges=True).save('neighbors_of_python.svg')
",
    rust: "Lle { n_components: 1, ..Lle::default() }.steps(&run, &data)?",
    figures: &[(
        "neighbors.svg",
        "Points of a noisy parabola, each with lines to its neighbours",
    )],
    numbers: &[
        Number {
            what: "least eigenvalue of M",
            slide: "Σ W_rs = 1: 0",
            from: "2:/eigenvalues/39/real",
            expect: Expect::Near(0.0, 1e-10),
        },
        Number {
            what: "solution y of Wy = 1, first entry",
            slide: "Σ W_rs = 1: y = 1 for every point",
            from: "3:/weights/0/0",
            expect: Expect::Near(1.0, 1e-6),
        },
        Number {
            what: "its last entry",
            slide: "1",
            from: "3:/weights/39/0",
            expect: Expect::Near(1.0, 1e-6),
        },
    ],
    departures: "",
};
