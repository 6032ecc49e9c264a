//! Lecture 3: LLE, Laplacian eigenmaps, their linear forms NPE and LPP, and CCA.

use super::deck::{Deck, Expect, Item, Number};

pub(super) const DECK: Deck = Deck {
    number: 3,
    title: "Introduction to Machine Learning: neighbourhood and locality preserving maps",
    author: "Xi Peng",
    items: &[
        UNROLLED,
        DIMENSION,
        WEIGHTS,
        NEIGHBORHOOD_SIZE,
        UNIT_LENGTH,
        EIGENMAPS,
        EIGENMAPS_CONSTRAINT,
        LIMITS,
        NPE,
        LPP,
        SUMMARY,
        CCA,
        FLOWCHART,
    ],
};

const UNROLLED: Item = Item {
    slide: "Review: Nonlinear Dimensionality Reduction",
    title: "LLE unrolls a sheet",
    text: "1,500 points of a rolled-up sheet in space, and their coordinates by locally linear embedding. The colour, the position along the roll, \
           runs from one side of the map to the other, and neighbours stay neighbours.",
    files: &[],
    commands: &["lle swiss-roll:1500 -k 12 --quality --input-plot roll.svg --plot map.svg --json"],
    python: "import charta

X, along = charta.swiss_roll(1500)
lle = charta.LLE(n_neighbors=12).fit(X)
charta.plot_input(lle, X, labels=along).save('roll_of_python.svg')
charta.plot(lle, labels=along).save('map_of_python.svg')
print(lle.quality(X)['trustworthiness'])
",
    rust: "Lle { neighborhood: Neighborhood { n_neighbors: 12, ..Neighborhood::default() }, ..Lle::default() }.fit(&roll.features)?",
    figures: &[
        ("roll.svg", "(a) Points of a rolled-up sheet"),
        ("map.svg", "(b) The same points after LLE"),
    ],
    numbers: &[
        Number {
            what: "trustworthiness of the map",
            slide: "neighbours of (b) are neighbours in (a)",
            from: "1:/quality/trustworthiness/0",
            expect: Expect::AtLeast(0.99),
        },
        Number {
            what: "continuity of the map",
            slide: "neighbours in (a) are neighbours in (b)",
            from: "1:/quality/continuity/0",
            expect: Expect::AtLeast(0.98),
        },
    ],
    departures: "",
};

const DIMENSION: Item = Item {
    slide: "Review",
    title: "The dimension of a manifold",
    text: "The least number of coordinates that identify each point of the sheet is two, although the points have three columns and \
           three principal components are needed. Around a point the sheet is nearly flat: there two directions suffice.",
    files: &[],
    commands: &["dimension swiss-roll:1500 --plot dimension.svg --json"],
    python: "import charta

X, along = charta.swiss_roll(1500)
dimension = charta.dimension(X)
print(dimension)
dimension.plot().save('dimension_of_python.svg')
",
    rust: "charta::dimension::Verdict::of(…)",
    figures: &[(
        "dimension.svg",
        "Estimates of the dimension, from single neighbourhoods and from all rows",
    )],
    numbers: &[
        Number {
            what: "dimension of the sheet",
            slide: "the minimum number of coordinates: 2",
            from: "1:/verdict/dimension",
            expect: Expect::Near(2.0, 0.0),
        },
        Number {
            what: "principal components that hold 95 % of the variance",
            slide: "D = 3",
            from: "1:/verdict/n_linear",
            expect: Expect::Near(3.0, 0.0),
        },
        Number {
            what: "directions around a point",
            slide: "locally Euclidean: 2",
            from: "1:/verdict/scales/0/directions",
            expect: Expect::Near(2.0, 0.05),
        },
    ],
    departures: "",
};

const WEIGHTS: Item = Item {
    slide: "Review: Linear",
    title: "A small number on the diagonal of G",
    text: "Twelve neighbours in three dimensions can be mixed in many ways, so that G is singular; a small multiple of its trace on the diagonal chooses \
           one. Without nearly any (10⁻⁶) the weights follow rounding errors, and the map suffers.",
    files: &[],
    commands: &[
        "lle swiss-roll:1500 -k 12 --regularization 0.001 --quality --json",
        "lle swiss-roll:1500 -k 12 --regularization 0.000001 --quality --plot nearly-singular.svg --json",
    ],
    python: "import charta

X, along = charta.swiss_roll(1500)
for regularization in (1e-3, 1e-6):
    lle = charta.LLE(n_neighbors=12, reg=regularization).fit(X)
    print(regularization, lle.quality(X)['trustworthiness'])
",
    rust: "Lle { regularization: 1e-3, ..Lle::default() }.fit(&roll.features)?",
    figures: &[(
        "nearly-singular.svg",
        "LLE with 10⁻⁶ of the trace on the diagonal: the map is crumpled",
    )],
    numbers: &[
        Number {
            what: "trustworthiness with 10⁻³ of the trace added",
            slide: "a small number is added for nonsingularity",
            from: "1:/quality/trustworthiness/0",
            expect: Expect::AtLeast(0.99),
        },
        Number {
            what: "trustworthiness with 10⁻⁶",
            slide: "nearly singular: worse",
            from: "2:/quality/trustworthiness/0",
            expect: Expect::AtMost(0.9),
        },
    ],
    departures: "",
};

const NEIGHBORHOOD_SIZE: Item = Item {
    slide: "Review: Linear",
    title: "The neighbourhood must be larger than the dimension",
    text: "The sheet has two dimensions. Three neighbours, the fewest that charta accepts for two coordinates, leave the graph in pieces and \
           the map in clumps; ten or more describe a patch of the sheet.",
    files: &[],
    commands: &[
        "compare swiss-roll:1500 --methods lle:n_neighbors=3,lle:n_neighbors=6,lle:n_neighbors=10,lle:n_neighbors=16 --plot sizes.png --json",
        "dimension swiss-roll:1500 --json",
    ],
    python: "import charta

X, along = charta.swiss_roll(1500)
for k in (3, 6, 10, 16):
    print(k, charta.LLE(n_neighbors=k).fit(X).quality(X)['trustworthiness'])
",
    rust: "Lle { neighborhood: Neighborhood { n_neighbors: 10, ..Neighborhood::default() }, ..Lle::default() }.fit(&roll.features)?",
    figures: &[("sizes.png", "LLE with 3, 6, 10 and 16 neighbours")],
    numbers: &[
        Number {
            what: "intrinsic dimension",
            slide: "k must be larger: above 2",
            from: "2:/verdict/dimension",
            expect: Expect::Near(2.0, 0.0),
        },
        Number {
            what: "trustworthiness for k = 3",
            slide: "k hardly larger than the dimension: poor",
            from: "1:/maps/0/trustworthiness",
            expect: Expect::AtMost(0.9),
        },
        Number {
            what: "trustworthiness for k = 10",
            slide: "k larger than the dimension: good",
            from: "1:/maps/2/trustworthiness",
            expect: Expect::AtLeast(0.99),
        },
    ],
    departures: "",
};

const UNIT_LENGTH: Item = Item {
    slide: "Review: Embedding",
    title: "The d smallest eigenvectors but the constant one",
    text: "The coordinates minimize ‖Y − YW‖² at a fixed size of Y. The eigenvalue 0 belongs to the constant vector, which is left out; the next ones are tiny, \
           since a nearly flat sheet can be mixed from neighbours nearly without error. Coordinates have mean 0, are uncorrelated, and have the \
           size that was fixed.",
    files: &[],
    commands: &[
        "lle swiss-roll:1500 -k 12 -o unit-length.csv --json",
        "lle swiss-roll:1500 -k 12 --unit-covariance -o unit-covariance.csv --json",
        "pca unit-length.csv --columns lle1,lle2 --population --json",
        "pca unit-covariance.csv --columns lle1,lle2 --population --json",
    ],
    python: "import charta
import numpy as np

X, along = charta.swiss_roll(1500)
Y = charta.LLE(n_neighbors=12).fit_transform(X)
print(np.round(Y.T @ Y, 12), Y.mean(axis=0))
",
    rust: "Lle { unit_covariance: true, ..Lle::default() }.fit(&roll.features)?",
    figures: &[],
    numbers: &[
        Number {
            what: "first eigenvalue of M but that of the constant vector",
            slide: "d smallest nonzero eigenvalues of (I − W)(I − W)ᵀ",
            from: "1:/diagnostics/eigenvalues/0",
            expect: Expect::AtMost(1e-6),
        },
        Number {
            what: "largest variance of a combination of both coordinates, 1,500 rows",
            slide: "Σ y² = 1: 1/1500 = 0.00066667",
            from: "3:/diagnostics/explained_variance/0",
            expect: Expect::Near(1.0 / 1500.0, 1e-9),
        },
        Number {
            what: "smallest variance",
            slide: "Σ y² = 1: 0.00066667",
            from: "3:/diagnostics/explained_variance/1",
            expect: Expect::Near(1.0 / 1500.0, 1e-9),
        },
        Number {
            what: "largest variance with unit covariance",
            slide: "Cov(y) = I: 1",
            from: "4:/diagnostics/explained_variance/0",
            expect: Expect::Near(1.0, 1e-9),
        },
        Number {
            what: "smallest variance with unit covariance",
            slide: "Cov(y) = I: 1",
            from: "4:/diagnostics/explained_variance/1",
            expect: Expect::Near(1.0, 1e-9),
        },
    ],
    departures: "The slide writes yᵢᵀyᵢ = 1 for each point and then tr(YᵀY) = 1 for all; its solution, eigenvectors, has each coordinate at length 1.",
};

const EIGENMAPS: Item = Item {
    slide: "Review: Laplacian eigenmaps, steps 1 and 2",
    title: "Heat weights on a graph by k neighbours or by ε",
    text: "W = exp(−‖xᵢ − xⱼ‖²/t) for neighbours, 0 for others. A long sheet comes out as an arch, whose second coordinate is a function of the \
           first; along it the order is that of the roll. For a large t the weights become 0 and 1.",
    files: &[],
    commands: &[
        "laplacian-eigenmaps swiss-roll:1000 -k 10 --weights heat --bandwidth 5 --plot heat.svg --json",
        "laplacian-eigenmaps swiss-roll:1000 --radius 3.5 --weights heat --bandwidth 5 --plot radius.svg --json",
        "laplacian-eigenmaps swiss-roll:1000 -k 10 --weights heat --bandwidth 1e9 --json",
        "laplacian-eigenmaps swiss-roll:1000 -k 10 --weights binary --json",
    ],
    python: "import charta

X, along = charta.swiss_roll(1000)
heat = charta.LaplacianEigenmaps(n_neighbors=11, affinity='heat', bandwidth=5.0).fit(X)
charta.plot(heat, labels=along).save('heat_of_python.svg')
print(heat.eigenvalues_)
",
    rust: "LaplacianEigenmaps { weighting: Weighting { weights: Weights::Heat, bandwidth: Bandwidth::Value(5.0) }, ..LaplacianEigenmaps::default() }.fit(&roll.features)?",
    figures: &[
        ("heat.svg", "Ten nearest neighbours, t = 5"),
        ("radius.svg", "All neighbours within ε = 3.5, t = 5"),
    ],
    numbers: &[
        Number {
            what: "t",
            slide: "t > 0",
            from: "1:/diagnostics/bandwidth",
            expect: Expect::Near(5.0, 1e-9),
        },
        Number {
            what: "parts of the graph of ε = 3.5",
            slide: "‖xᵢ − xⱼ‖ < ε",
            from: "2:/diagnostics/n_connected_components",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "first eigenvalue for t = 10⁹",
            slide: "exp(0) = 1: that of weights 0 and 1 (here 0.00112601)",
            from: "3:/diagnostics/eigenvalues/0",
            expect: Expect::Near(0.001_126_01, 1e-7),
        },
        Number {
            what: "first eigenvalue for weights 0 and 1",
            slide: "W = 0 or 1 (here 0.00112601)",
            from: "4:/diagnostics/eigenvalues/0",
            expect: Expect::Near(0.001_126_01, 1e-7),
        },
    ],
    departures: "",
};

const EIGENMAPS_CONSTRAINT: Item = Item {
    slide: "Review: Laplacian eigenmaps, step 3",
    title: "YDYᵀ = I, and the eigenvalues of D⁻¹L",
    text: "Under YDYᵀ = I the coordinates solve Ly = λDy; multiplied by D⁻¹ this is D⁻¹Ly = λy, with the same eigenvalues. Under the simpler YYᵀ = I, \
           which charta offers too, they solve Ly = λy.",
    files: &[],
    commands: &[
        "laplacian-eigenmaps swiss-roll:1000 -k 10 --normalization normalized --json",
        "laplacian-eigenmaps swiss-roll:1000 -k 10 --normalization random_walk --json",
        "laplacian-eigenmaps swiss-roll:1000 -k 10 --normalization unnormalized -o unnormalized.csv --json",
        "pca unnormalized.csv --columns eigenmap1,eigenmap2 --population --json",
    ],
    python: "import charta
import numpy as np

X, along = charta.swiss_roll(1000)
maps = charta.LaplacianEigenmaps(n_neighbors=11, affinity='binary', normalization='normalized').fit(X)
walk = charta.LaplacianEigenmaps(n_neighbors=11, affinity='binary', normalization='random_walk').fit(X)
print(maps.eigenvalues_, walk.eigenvalues_)
",
    rust: "LaplacianEigenmaps { normalization: Normalization::Normalized, ..LaplacianEigenmaps::default() }.fit(&roll.features)?",
    figures: &[],
    numbers: &[
        Number {
            what: "first eigenvalue of Ly = λDy",
            slide: "that of D⁻¹L (here 0.00112601)",
            from: "1:/diagnostics/eigenvalues/0",
            expect: Expect::Near(0.001_126_01, 1e-8),
        },
        Number {
            what: "first eigenvalue of D⁻¹Ly = λy",
            slide: "that of Ly = λDy (here 0.00112601)",
            from: "2:/diagnostics/eigenvalues/0",
            expect: Expect::Near(0.001_126_01, 1e-8),
        },
        Number {
            what: "second eigenvalue of Ly = λDy",
            slide: "that of D⁻¹L (here 0.00439009)",
            from: "1:/diagnostics/eigenvalues/1",
            expect: Expect::Near(0.004_390_09, 1e-8),
        },
        Number {
            what: "second eigenvalue of D⁻¹Ly = λy",
            slide: "that of Ly = λDy (here 0.00439009)",
            from: "2:/diagnostics/eigenvalues/1",
            expect: Expect::Near(0.004_390_09, 1e-8),
        },
        Number {
            what: "variance of every combination under YYᵀ = I, 1,000 rows",
            slide: "1/1000",
            from: "4:/diagnostics/explained_variance/0",
            expect: Expect::Near(0.001, 1e-12),
        },
    ],
    departures: "",
};

const LIMITS: Item = Item {
    slide: "Two limitations suffered by LLE and LE",
    title: "Many rows, and rows that were not there",
    text: "The matrices of LLE and of Laplacian eigenmaps have n² entries, but few that are not 0: charta's solver needs memory in proportion to n. \
           New points are placed by the weights on their neighbours without solving anew, here 500 of another draw.",
    files: &[],
    commands: &[
        "lle swiss-roll:100000 -k 12 --plan --json",
        "laplacian-eigenmaps swiss-roll:100000 --plan --json",
        "lle swiss-roll:1500 -k 12 --save lle.charta --json",
        "transform lle.charta swiss-roll:500,seed=1 -o new.csv --plot new.svg",
        "quality swiss-roll:500,seed=1 new.csv --json",
    ],
    python: "import charta

X, along = charta.swiss_roll(1500)
new, along_new = charta.swiss_roll(500, random_state=1)
lle = charta.LLE(n_neighbors=12).fit(X)
placed = lle.transform(new)
charta.plot(placed, labels=along_new).save('new_of_python.svg')
print(charta.trustworthiness(new, placed, n_neighbors=15))
print(charta.LLE(n_neighbors=12).plan(X)['bytes'])
",
    rust: "model.transform(&new)?",
    figures: &[("new.svg", "500 new points, placed by the model of 1,500")],
    numbers: &[
        Number {
            what: "bytes for LLE of 100,000 rows",
            slide: "O(mn²) (here 8 · 10¹⁰ for a full matrix)",
            from: "1:/plan/bytes",
            expect: Expect::AtMost(8e9),
        },
        Number {
            what: "bytes for Laplacian eigenmaps of 100,000 rows",
            slide: "O(mn²) (here 8 · 10¹⁰ for a full matrix)",
            from: "2:/plan/bytes",
            expect: Expect::AtMost(8e9),
        },
        Number {
            what: "trustworthiness of the places of new points",
            slide: "out-of-sample: impossible with the eigenvectors alone",
            from: "5:/quality/trustworthiness/0",
            expect: Expect::AtLeast(0.98),
        },
    ],
    departures: "",
};

const NPE: Item = Item {
    slide: "Neighborhood Preserving Embedding",
    title: "NPE: a linear LLE",
    text: "With y = Aᵀx the weights of LLE lead to XMXᵀa = λXXᵀa. Three pixels of the digits never vary, so that XXᵀ has rank 61 and a pseudo-inverse is needed. \
           New points only need a product with Aᵀ; a linear map cannot be better than free coordinates.",
    files: &[],
    commands: &[
        "npe digits --save npe.charta --plot npe.png --json",
        "npe swiss-roll:1000 -k 10 --json",
        "lle swiss-roll:1000 -k 10 --json",
        "transform npe.charta digits -o transformed.csv --json",
        "quality digits npe.charta --known transformed.csv --json",
    ],
    python: "import charta
import numpy as np

X, y = charta.digits()
npe = charta.NPE().fit(X)
charta.plot(npe, labels=y).save('npe_of_python.png')
print(npe.rank_, np.abs(npe.transform(X) - npe.embedding_).max())
",
    rust: "Npe::default().fit(&data)?.transform(&new)?",
    figures: &[("npe.png", "Digits after NPE")],
    numbers: &[
        Number {
            what: "rank of XXᵀ for 64 pixels",
            slide: "(XXᵀ)†: below 64",
            from: "1:/diagnostics/rank",
            expect: Expect::Near(61.0, 0.0),
        },
        Number {
            what: "first eigenvalue of NPE on the roll",
            slide: "min aᵀXMXᵀa: at least that of LLE (here 1.18·10⁻⁹)",
            from: "2:/diagnostics/eigenvalues/0",
            expect: Expect::AtLeast(1.181e-9),
        },
        Number {
            what: "first eigenvalue of LLE on the roll",
            slide: "min yᵀMy",
            from: "3:/diagnostics/eigenvalues/0",
            expect: Expect::AtMost(1.181e-9),
        },
        Number {
            what: "rows as new points against their coordinates in the fit, Procrustes disparity",
            slide: "Aᵀz for a new point z",
            from: "5:/quality/procrustes_disparity",
            expect: Expect::AtMost(1e-12),
        },
    ],
    departures: "",
};

const LPP: Item = Item {
    slide: "Locality Preserving Projections",
    title: "LPP: a linear form of Laplacian eigenmaps",
    text: "With y = Aᵀx the Laplacian leads to XLXᵀa = λXDXᵀa. 0, 4 and 6 stand apart in the linear map; its eigenvalue is at least that of Laplacian \
           eigenmaps, which choose among all coordinates.",
    files: &[],
    commands: &[
        "lpp digits --plot lpp.png --save lpp.charta --json",
        "lpp swiss-roll:1000 -k 10 --json",
        "laplacian-eigenmaps swiss-roll:1000 -k 10 --normalization random_walk --json",
        "transform lpp.charta digits -o transformed.csv --json",
        "quality digits lpp.charta --known transformed.csv --json",
    ],
    python: "import charta
import numpy as np

X, y = charta.digits()
lpp = charta.LPP().fit(X)
charta.plot(lpp, labels=y).save('lpp_of_python.png')
print(lpp.eigenvalues_, np.abs(lpp.transform(X) - lpp.embedding_).max())
",
    rust: "Lpp::default().fit(&data)?.transform(&new)?",
    figures: &[("lpp.png", "Digits after LPP")],
    numbers: &[
        Number {
            what: "rank of XDXᵀ for 64 pixels",
            slide: "(XDXᵀ)†: below 64",
            from: "1:/diagnostics/rank",
            expect: Expect::Near(61.0, 0.0),
        },
        Number {
            what: "first eigenvalue of LPP on the roll",
            slide: "min aᵀXLXᵀa: at least that of Laplacian eigenmaps (here 0.001126)",
            from: "2:/diagnostics/eigenvalues/0",
            expect: Expect::AtLeast(0.001_127),
        },
        Number {
            what: "first eigenvalue of Laplacian eigenmaps on the roll",
            slide: "min yᵀLy",
            from: "3:/diagnostics/eigenvalues/0",
            expect: Expect::Near(0.001_126, 1e-6),
        },
        Number {
            what: "rows as new points against their coordinates in the fit, Procrustes disparity",
            slide: "a linear map takes new points",
            from: "5:/quality/procrustes_disparity",
            expect: Expect::AtMost(1e-12),
        },
    ],
    departures: "",
};

const SUMMARY: Item = Item {
    slide: "Summary",
    title: "PCA, LDA, LLE, NPE, LE and LPP beside each other",
    text: "Six methods on the same wines, and the table of their objectives by `charta explain --table`. NPE and LPP are the linear forms of LLE and LE, and \
           look like them straightened; LDA alone knows the classes and parts them best.",
    files: &[],
    commands: &[
        "compare wine --scale z-score --methods pca,lda,lle,npe,laplacian-eigenmaps,lpp --plot methods.svg --json",
        "explain --table > objectives.txt",
        "explain pca --section objective",
        "explain lda --section objective",
        "explain lle --section objective",
        "explain npe --section objective",
        "explain laplacian-eigenmaps --section objective",
        "explain lpp --section objective",
    ],
    python: "import charta

X, y = charta.wine()
Z = (X - X.mean(axis=0)) / X.std(axis=0)
methods = ['PCA', 'LDA', 'LLE', 'NPE', 'LaplacianEigenmaps', 'LPP']
compared = charta.compare(Z, methods, labels=y)
print(compared)
compared.plot().save('methods_of_python.svg')
print(charta.explain_table())
print(charta.explain('npe', 'objective'))
",
    rust: "charta::registry::find(\"npe\")",
    figures: &[("methods.svg", "Wines by six methods")],
    numbers: &[
        Number {
            what: "PCA",
            slide: "max WᵀXXᵀW, WᵀW = I",
            from: "3:text",
            expect: Expect::Contains("W maximizes tr(Wᵀ S W) under Wᵀ W = I"),
        },
        Number {
            what: "LDA",
            slide: "max WᵀS_BW / WᵀS_WW",
            from: "4:text",
            expect: Expect::Contains("J(w) = wᵀ B w / wᵀ W w"),
        },
        Number {
            what: "LLE",
            slide: "min Tr(YMYᵀ)",
            from: "5:text",
            expect: Expect::Contains("tr(Yᵀ M Y) under YᵀY = I"),
        },
        Number {
            what: "NPE",
            slide: "min Tr(AᵀXMXᵀA), AᵀXXᵀA = 1",
            from: "6:text",
            expect: Expect::Contains("aᵀ Xᵀ M X a under aᵀ Xᵀ X a = 1"),
        },
        Number {
            what: "LE",
            slide: "min Tr(YLYᵀ), YDYᵀ = 1",
            from: "7:text",
            expect: Expect::Contains("yᵀ D y = 1"),
        },
        Number {
            what: "LPP",
            slide: "min Tr(AᵀXLXᵀA), AᵀXDXᵀA = 1",
            from: "8:text",
            expect: Expect::Contains("aᵀ Xᵀ L X a"),
        },
        Number {
            what: "wines whose nearest neighbours are of their class, LDA",
            slide: "max between, min within classes",
            from: "1:/maps/1/nearest_accuracy",
            expect: Expect::AtLeast(0.99),
        },
        Number {
            what: "the same, NPE",
            slide: "a linear LLE",
            from: "1:/maps/3/nearest_accuracy",
            expect: Expect::AtLeast(0.9),
        },
    ],
    departures: "charta writes a row for each point, so that its X is the transpose of the slides'.",
};

const CCA: Item = Item {
    slide: "Summary: CCA",
    title: "Canonical correlation of two and of three views",
    text: "Thirteen measurements of wine as three views of the same rows: the directions whose sum of covariances is largest, at a fixed sum of \
           variances. Of two views the eigenvalue is 1 + ρ, with ρ the canonical correlation.",
    files: &[],
    commands: &[
        "cca wine --view 0-3 --view 4-8 --view 9-12 --plot views.svg --json",
        "cca linnerud --view 0-2 --view 3-5 --json",
    ],
    python: "import charta

X, y = charta.wine()
views = charta.MultiviewCCA(2).fit([X[:, :4], X[:, 4:9], X[:, 9:]])
print(views.eigenvalues_, views.pairwise_correlations_)
",
    rust: "Cca::default().fit(&Data::from_views(&[&first, &second, &third])?)?",
    figures: &[("views.svg", "Wines by what the three views share")],
    numbers: &[
        Number {
            what: "number of views",
            slide: "k views",
            from: "1:/diagnostics/n_views",
            expect: Expect::Near(3.0, 0.0),
        },
        Number {
            what: "largest eigenvalue of three views",
            slide: "1 without correlation, k = 3 for equal views",
            from: "1:/diagnostics/eigenvalues/0",
            expect: Expect::Near(2.434, 0.001),
        },
        Number {
            what: "largest canonical correlation of two views",
            slide: "ρ",
            from: "2:/diagnostics/correlations/0",
            expect: Expect::Near(0.795_608, 1e-6),
        },
        Number {
            what: "largest eigenvalue of two views",
            slide: "1 + ρ (here 1.795608)",
            from: "2:/diagnostics/eigenvalues/0",
            expect: Expect::Near(1.795_608, 1e-6),
        },
    ],
    departures: "",
};

const FLOWCHART: Item = Item {
    slide: "Flowchart: START, > 50 samples?",
    title: "Is there enough data, and which method?",
    text: "Twenty rows are below the flowchart's first question: `charta advise` says to get more data. For more rows it looks at labels, at the principal \
           components, at the dimension and at trial maps, and names methods with reasons and commands.",
    files: &[],
    commands: &[
        "advise linnerud --json",
        "advise wine --json",
        "lda wine --scale z-score --plot lda.svg",
    ],
    python: "import charta

X, y = charta.linnerud()
print(charta.advise(X))
X, y = charta.wine()
print(charta.advise(X, y))
",
    rust: "charta::advice::advise(&Run::default(), &data, &Options::default())?",
    figures: &[("lda.svg", "Wine by the first method that is advised")],
    numbers: &[
        Number {
            what: "rows",
            slide: "> 50 samples? NO",
            from: "1:/cautions/0/n_rows",
            expect: Expect::Near(20.0, 0.0),
        },
        Number {
            what: "rows that would be enough",
            slide: "50",
            from: "1:/cautions/0/enough",
            expect: Expect::Near(50.0, 0.0),
        },
        Number {
            what: "advice for 20 rows",
            slide: "get more data",
            from: "1:/cautions/0/text",
            expect: Expect::Contains("get more data"),
        },
        Number {
            what: "advice for 178 rows in three classes",
            slide: "> 50 samples? YES: go on",
            from: "2:/recommendations/0/method",
            expect: Expect::Contains("lda"),
        },
    ],
    departures: "The slide shows only the beginning of the flowchart.",
};
