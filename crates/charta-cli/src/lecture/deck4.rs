//! Lecture 4: kernel PCA, Isomap, Laplacian eigenmaps and what they have in common.

use super::deck::{Deck, Expect, Item, Number};

pub(super) const DECK: Deck = Deck {
    number: 4,
    title: "Nonlinear Dimensionality Reduction",
    author: "lecture notes",
    items: &[
        KERNEL_PCA,
        NEW_ROWS,
        OWN_KERNEL,
        GRAPHS,
        SWISS_ROLL_A,
        SWISS_ROLL_C,
        FACES,
        SLIDER,
        TWOS,
        CONSTRAINTS,
        SPECTRAL_CLUSTERING,
        BARS,
        GLOBAL_LOCAL,
        AS_KERNEL_PCA,
        LPP,
    ],
};

const KERNEL_PCA: Item = Item {
    slide: "Kernel PCA",
    title: "The five steps of kernel PCA",
    text: "The kernel matrix of two rings is centred, decomposed and scaled. The first coordinate is a nonlinear function of the plane: its contour lines \
           are circles, so that one threshold separates the rings.",
    files: &[],
    commands: &[
        "kernel-pca circles:400,noise=0.03 --gamma 2 -o map.csv --plot map.svg --input-plot contours.svg --contours --json",
        "lda map.csv --label circle --json",
        "pca circles:400,noise=0.03 -o pca.csv --json",
        "lda pca.csv --label circle --json",
    ],
    python: "import charta\n\n\
             X, y = charta.circles(400, noise=0.03, random_state=0)\n\
             Z = charta.KernelPCA(2, kernel=\"rbf\", gamma=2).fit_transform(X)\n\
             print(charta.LDA().fit(Z, y).score(Z, y))\n",
    rust: "KernelPca { kernel: Kernel { gamma: Gamma::Value(2.0), ..Kernel::default() }, ..KernelPca::default() }.fit(&data)?",
    figures: &[
        (
            "contours.svg",
            "The input with lines on which the first coordinate is constant",
        ),
        ("map.svg", "The first two coordinates"),
    ],
    numbers: &[
        Number {
            what: "rows that a straight line in the map puts on the right ring",
            slide: "exploits nonlinear structure",
            from: "2:/diagnostics/training_accuracy",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "the same for linear PCA",
            slide: "PCA is a linear method",
            from: "4:/diagnostics/training_accuracy",
            expect: Expect::AtMost(0.6),
        },
    ],
    departures: "The slide names no data and no kernel: two rings and a Gaussian kernel are used.",
};

const NEW_ROWS: Item = Item {
    slide: "Kernel PCA: output",
    title: "The map of kernel PCA takes new rows",
    text: "A coordinate is a weighted sum of kernels with the training rows. Applied to the training rows, it gives their coordinates again, up to rounding; \
           applied to new rows of the same rings, it puts them on the right side.",
    files: &[],
    commands: &[
        "kernel-pca circles:400,noise=0.03 --gamma 2 -o map.csv --save rings.charta --json",
        "transform rings.charta circles:400,noise=0.03 -o again.csv --json",
        "quality circles:400,noise=0.03 again.csv --known map.csv --known-columns kernel_pca1,kernel_pca2 --json",
        "lda map.csv --label circle --save line.charta --json",
        "transform rings.charta circles:200,noise=0.05,seed=7 -o new.csv --plot new.svg --json",
        "predict line.charta new.csv --label circle --json",
    ],
    python: "import charta\nimport numpy as np\n\n\
             X, y = charta.circles(400, noise=0.03, random_state=0)\n\
             model = charta.KernelPCA(2, kernel=\"rbf\", gamma=2).fit(X)\n\
             print(np.abs(model.transform(X) - model.embedding_).max())\n\
             new = charta.circles(200, noise=0.05, random_state=7)[0]\n\
             print(model.transform(new).shape)\n",
    rust: "model.transform(&new)?",
    figures: &[(
        "new.svg",
        "200 new rows, placed by their kernels with the training rows",
    )],
    numbers: &[
        Number {
            what: "disparity between the map of the fit and y(x) of the same rows",
            slide: "y = Σ α k(x, xᵢ)",
            from: "3:/quality/procrustes_disparity",
            expect: Expect::AtMost(1e-20),
        },
        Number {
            what: "its scale",
            slide: "y = Σ α k(x, xᵢ)",
            from: "3:/quality/procrustes_scale",
            expect: Expect::Near(1.0, 1e-9),
        },
        Number {
            what: "new rows on the right side of the line found on the training rows",
            slide: "x ↦ y",
            from: "6:/evaluation/accuracy",
            expect: Expect::AtLeast(0.99),
        },
    ],
    departures: "",
};

const OWN_KERNEL: Item = Item {
    slide: "Kernel PCA: step 1",
    title: "A kernel of one's own",
    text: "The algorithm needs the kernel matrix only. Here it is the number of pairs of letters that two words share, normalized: the words have no columns at \
           all, and the first component divides them by their endings.",
    files: &[("words.csv", include_str!("data/words.csv"))],
    commands: &["kernel-pca words.csv --kernel-matrix -o map.csv --plot words.svg --json"],
    python: "import charta\nimport pandas as pd\n\n\
             K = pd.read_csv(\"words.csv\", index_col=0)\n\
             model = charta.KernelPCA(2, kernel=\"precomputed\").fit(K.to_numpy())\n\
             print(model.eigenvalues_, model.explained_variance_ratio_)\n",
    rust: "KernelPca::default().fit(Data::kernel(matrix.view())?)?   // a function: Data::from(&rows).with_kernel(&function)",
    figures: &[(
        "words.svg",
        "Ten words, placed by the pairs of letters they share",
    )],
    numbers: &[
        Number {
            what: "largest eigenvalue of the centred matrix (NumPy: 3.73028925)",
            slide: "K̃ = U Λ Uᵀ",
            from: "1:/diagnostics/eigenvalues/0",
            expect: Expect::Near(3.730_289_25, 1e-7),
        },
        Number {
            what: "second eigenvalue (NumPy: 0.618075939)",
            slide: "K̃ = U Λ Uᵀ",
            from: "1:/diagnostics/eigenvalues/1",
            expect: Expect::Near(0.618_075_939, 1e-8),
        },
    ],
    departures: "The slide leaves the kernel open.",
};

const GRAPHS: Item = Item {
    slide: "Isomap: step 1",
    title: "Isomap on any similarity graph",
    text: "The graph may join every row to its k nearest neighbours, only rows that are neighbours of each other, or all rows within a radius; distances may \
           also be given, such as those of roads. All three graphs of the roll show two dimensions.",
    files: &[],
    commands: &[
        "isomap swiss-roll:1000 -k 7 --json",
        "isomap swiss-roll:1000 -k 12 --mutual --json",
        "isomap swiss-roll:1000 --radius 3 --json",
        "isomap eurodist -k 5 --graph --plot roads.svg --json",
    ],
    python: "import charta\n\n\
             X, t = charta.swiss_roll(1000, random_state=0)\n\
             for graph in ({\"n_neighbors\": 7}, {\"n_neighbors\": 12, \"mutual\": True}, {\"radius\": 3}):\n    \
                 print(graph, charta.Isomap(**graph).fit(X).residual_variance_[:3])\n\
             D, cities = charta.eurodist()\n\
             model = charta.Isomap(n_neighbors=5, metric=\"precomputed\").fit(D)\n",
    rust: "let neighborhood = Neighborhood { mutual: true, ..Neighborhood::nearest(12) };   // or radius: Some(3.0), or Data::distances(matrix.view())?\n\
             Isomap { neighborhood, ..Isomap::default() }.fit(&data)?",
    figures: &[(
        "roads.svg",
        "Isomap of road distances, with the graph of the five nearest cities",
    )],
    numbers: &[
        Number {
            what: "residual variance of two dimensions, 7 nearest neighbours",
            slide: "k-nearest neighbour graph",
            from: "1:/diagnostics/residual_variance/1",
            expect: Expect::AtMost(0.002),
        },
        Number {
            what: "the same, mutual neighbours",
            slide: "a similarity graph",
            from: "2:/diagnostics/residual_variance/1",
            expect: Expect::AtMost(0.002),
        },
        Number {
            what: "the same, all rows within radius 3",
            slide: "a similarity graph",
            from: "3:/diagnostics/residual_variance/1",
            expect: Expect::AtMost(0.002),
        },
    ],
    departures: "",
};

const SWISS_ROLL_A: Item = Item {
    slide: "Fig. 3A and 3B",
    title: "A straight line and a geodesic on the Swiss roll",
    text: "Two rows are near each other in space and far apart along the sheet. The red path along the graph of the 7 nearest neighbours is many times as long as \
           the dashed blue line.",
    files: &[],
    commands: &["isomap swiss-roll:1000 -k 7 --graph --path 0,400 --input-plot roll.png --json"],
    python: "import charta\n\n\
             X, t = charta.swiss_roll(1000, random_state=0)\n\
             model = charta.Isomap(n_neighbors=7).fit(X)\n\
             print(model.shortest_path(0, 400))\n\
             charta.plot_input(model, X, t, edges=True, path=(0, 400)).save(\"roll.png\")\n",
    rust: "Neighborhood::nearest(7).graph(&run, &data)?.graph.shortest_path(0, 400)",
    figures: &[(
        "roll.png",
        "1,000 rows, the graph of 7 neighbours, the shortest path (red) and the straight line (blue)",
    )],
    numbers: &[
        Number {
            what: "data points",
            slide: "N = 1000",
            from: "1:/data/n_rows",
            expect: Expect::Near(1000.0, 0.0),
        },
        Number {
            what: "neighbours",
            slide: "K = 7",
            from: "1:/parameters/n_neighbors",
            expect: Expect::Near(7.0, 0.0),
        },
        Number {
            what: "length of the path; the exact geodesic by the formula of the roll is 53.19",
            slide: "approximates the geodesic",
            from: "1:/path/length",
            expect: Expect::Near(GEODESIC, 3.5),
        },
        Number {
            what: "straight line in space",
            slide: "may not reflect similarity",
            from: "1:/path/input_distance",
            expect: Expect::AtMost(10.0),
        },
        Number {
            what: "parts that the graph falls into",
            slide: "one graph",
            from: "1:/diagnostics/n_connected_components",
            expect: Expect::Near(1.0, 0.0),
        },
    ],
    departures: "The points of the paper are not published: another sample of the same roll is drawn.",
};

const SWISS_ROLL_C: Item = Item {
    slide: "Fig. 3C",
    title: "The Swiss roll unrolled",
    text: "In the map, straight lines (blue) are simpler and better approximations to geodesics than paths along the graph (red). Two dimensions are enough: the \
           residual variance bends there.",
    files: &[],
    commands: &[
        "isomap swiss-roll:1000 -k 7 --graph --path 0,400 --plot map.png --scree-plot residual.svg -o map.csv --json",
        "pls map.csv --label position -n 2 --json",
    ],
    python: "import charta\n\n\
             X, t = charta.swiss_roll(1000, random_state=0)\n\
             model = charta.Isomap(n_neighbors=7).fit(X)\n\
             print(model.residual_variance_)\n\
             charta.plot(model, t, edges=True, path=(0, 400)).save(\"map.png\")\n",
    rust: "Isomap { neighborhood: Neighborhood::nearest(7), ..Isomap::default() }.fit(&data)?",
    figures: &[
        (
            "map.png",
            "The map with its graph, the path (red) and the straight line (blue)",
        ),
        (
            "residual.svg",
            "Residual variance by the number of dimensions",
        ),
    ],
    numbers: &[
        Number {
            what: "residual variance of one dimension",
            slide: "",
            from: "1:/diagnostics/residual_variance/0",
            expect: Expect::AtLeast(0.01),
        },
        Number {
            what: "residual variance of two dimensions",
            slide: "two-dimensional embedding",
            from: "1:/diagnostics/residual_variance/1",
            expect: Expect::AtMost(0.002),
        },
        Number {
            what: "straight line in the map; the exact geodesic is 53.19",
            slide: "cleaner approximation",
            from: "1:/path/map_distance",
            expect: Expect::Near(GEODESIC, 3.0),
        },
        Number {
            what: "R² of the angle along the roll, from the two coordinates",
            slide: "recovers the embedding",
            from: "2:/diagnostics/r_squared",
            expect: Expect::AtLeast(0.97),
        },
    ],
    departures: "",
};

const FACES: Item = Item {
    slide: "Fig. 1A",
    title: "Faces in every pose and light",
    text: "698 images become points of three dimensions, which are the two angles of the pose and the angle of the light. Heads that look the same way are \
           together.",
    files: &[],
    commands: &[
        "isomap head -n 3 -k 6 -o map.npy --images-plot faces.png --image-ink light --scree-plot residual.svg --json",
        "cca map.npy head-pose -n 3 --json",
        "isomap head -n 3 -k 6 --label left_right -o left_right.csv -q",
        "pls left_right.csv --label left_right --columns isomap1 -n 1 --json",
        "isomap head -n 3 -k 6 --label up_down -o up_down.csv -q",
        "pls up_down.csv --label up_down --columns isomap2 -n 1 --json",
        "isomap head -n 3 -k 6 --label light -o light.csv -q",
        "pls light.csv --label light --columns isomap3 -n 1 --json",
    ],
    python: "import charta\nimport numpy as np\n\n\
             X, _ = charta.head(698, random_state=0)\n\
             pose, _ = charta.head_pose(698, random_state=0)\n\
             model = charta.Isomap(n_neighbors=6, n_components=3).fit(X)\n\
             print([abs(np.corrcoef(model.embedding_[:, axis], pose[:, axis])[0, 1]) for axis in range(3)])\n\
             charta.plot_images(model, X, image_shape=(32, 32), ink=\"light\").save(\"faces.png\")\n",
    rust: "Isomap { n_components: 3, neighborhood: Neighborhood::nearest(6), ..Isomap::default() }.fit(&data)?",
    figures: &[
        (
            "faces.png",
            "The first two coordinates with some of the images; colours: the turn to the left and right",
        ),
        (
            "residual.svg",
            "Residual variance: it bends at three dimensions",
        ),
    ],
    numbers: &[
        Number {
            what: "images",
            slide: "N = 698",
            from: "1:/data/n_rows",
            expect: Expect::Near(698.0, 0.0),
        },
        Number {
            what: "R² of left–right pose and the first coordinate (R = 0.99: 0.980)",
            slide: "R = 0.99",
            from: "4:/diagnostics/r_squared",
            expect: Expect::AtLeast(0.98),
        },
        Number {
            what: "R² of up–down pose and the second coordinate (R = 0.90: 0.810)",
            slide: "R = 0.90",
            from: "6:/diagnostics/r_squared",
            expect: Expect::AtLeast(0.81),
        },
        Number {
            what: "R² of the light and the third coordinate (R = 0.92: 0.846)",
            slide: "R = 0.92",
            from: "8:/diagnostics/r_squared",
            expect: Expect::AtLeast(0.846),
        },
        Number {
            what: "smallest canonical correlation of the three coordinates with the three angles",
            slide: "R ≥ 0.90",
            from: "2:/diagnostics/correlations/2",
            expect: Expect::AtLeast(0.9),
        },
    ],
    departures: "The faces of the paper may not be shipped: charta draws 698 heads of 32 × 32 pixels with two angles of pose and one of light, in place of 64 × 64. \
                 With the paper's faces charta gives R = 0.988, 0.907 and 0.926.",
};

const SLIDER: Item = Item {
    slide: "Fig. 1A: sliders",
    title: "The third axis of the faces",
    text: "The figure marks the third dimension with sliders below the images. Here the points lie in a space that can be turned, and the third coordinate \
           filters and colours them; on the second picture it goes up.",
    files: &[],
    commands: &[
        "isomap head -n 3 -k 6 --color-by light --axes 1,2,3 --plot space.html --json",
        "isomap head -n 3 -k 6 --color-by light --axes 1,3 --plot third.svg -o map.csv --label light --json",
        "pls map.csv --label light --columns isomap1,isomap2 --json",
        "pls map.csv --label light --columns isomap3 -n 1 --json",
    ],
    python: "import charta\n\n\
             X, _ = charta.head(698, random_state=0)\n\
             pose, _ = charta.head_pose(698, random_state=0)\n\
             model = charta.Isomap(n_neighbors=6, n_components=3).fit(X)\n\
             charta.plot(model, pose[:, 2], axes=(0, 1, 2), label_title=\"light\").save(\"space.html\")\n",
    rust: "charta_plot::Space::new(&points).draw(Format::Html)?",
    figures: &[
        (
            "space.html",
            "Three coordinates: drag to turn, filter by the third",
        ),
        (
            "third.svg",
            "First and third coordinate; colours: the angle of the light",
        ),
    ],
    numbers: &[
        Number {
            what: "R² of the light from the first two coordinates alone",
            slide: "",
            from: "3:/diagnostics/r_squared",
            expect: Expect::AtMost(0.05),
        },
        Number {
            what: "R² of the light from the third",
            slide: "R = 0.92",
            from: "4:/diagnostics/r_squared",
            expect: Expect::AtLeast(0.846),
        },
    ],
    departures: "One filter for all images in place of a slider below each.",
};

const TWOS: Item = Item {
    slide: "Fig. 1B",
    title: "Handwritten twos by tangent distance",
    text: "Neighbours are all twos within a radius, by a distance that small shifts, turns and changes of size leave as it is. Bottom loops and top arches vary \
           along the axes, and single tendrils reach out of the mass.",
    files: &[],
    commands: &[
        "isomap digits:class=2 --metric tangent --image-width 8 --radius 16 --images-plot twos.png --json",
        "isomap digits:class=2 --metric euclidean --radius 16 --json",
    ],
    python: "import charta\n\n\
             X, y = charta.data_set(\"digits:class=2\")\n\
             model = charta.Isomap(metric=\"tangent\", image_width=8, radius=16).fit(X)\n\
             charta.plot_images(model, X, image_shape=(8, 8)).save(\"twos.png\")\n",
    rust: "let search = Search { metric: Metric::Tangent, image_width: Some(8), ..Search::default() };\n\
             Isomap { neighborhood: Neighborhood { radius: Some(16.0), search, ..Neighborhood::default() }, ..Isomap::default() }.fit(&data)?",
    figures: &[("twos.png", "Twos at their places in the map")],
    numbers: &[
        Number {
            what: "twos",
            slide: "N = 1000",
            from: "1:/data/n_rows",
            expect: Expect::Near(177.0, 0.0),
        },
        Number {
            what: "pairs within the radius by tangent distance",
            slide: "captures invariances",
            from: "1:/diagnostics/n_edges",
            expect: Expect::AtLeast(1500.0),
        },
        Number {
            what: "pairs within the same radius by Euclidean distance, which is never the shorter one",
            slide: "",
            from: "2:/diagnostics/n_edges",
            expect: Expect::AtMost(500.0),
        },
        Number {
            what: "residual variance that two dimensions leave",
            slide: "higher-dimensional mass",
            from: "1:/diagnostics/residual_variance/1",
            expect: Expect::AtLeast(0.1),
        },
    ],
    departures: "177 twos of 8 × 8 pixels in place of 1,000 of MNIST, so that the radius is 16 (pixels go from 0 to 16) and not 4.2, and there are fewer tendrils.",
};

const CONSTRAINTS: Item = Item {
    slide: "Laplacian eigenmaps",
    title: "The two energy constraints",
    text: "With Y Yᵀ = I the coordinates are eigenvectors of L: their singular values are 1. With Y D Yᵀ = I they solve L y = λ D y; the random walk Laplacian \
           has the same eigenvalues.",
    files: &[],
    commands: &[
        "laplacian-eigenmaps swiss-roll:800 --normalization unnormalized -o plain.npy --json",
        "truncated-svd plain.npy -n 2 --json",
        "laplacian-eigenmaps swiss-roll:800 --normalization normalized --plot normalized.svg --json",
        "laplacian-eigenmaps swiss-roll:800 --normalization random_walk -o walk.npy --json",
        "truncated-svd walk.npy -n 2 --json",
    ],
    python: "import charta\nimport numpy as np\n\n\
             X, t = charta.swiss_roll(800, random_state=0)\n\
             plain = charta.SpectralEmbedding(2, n_neighbors=11, affinity=\"binary\", normalization=\"unnormalized\").fit(X)\n\
             print(np.round(plain.embedding_.T @ plain.embedding_, 12))\n\
             degrees = charta.SpectralEmbedding(2, n_neighbors=11, affinity=\"binary\").fit(X)\n\
             D = degrees.steps(X)[\"D\"]\n\
             print(np.round(degrees.embedding_.T @ D @ degrees.embedding_, 12))\n",
    rust: "LaplacianEigenmaps { normalization: Normalization::Unnormalized, ..LaplacianEigenmaps::default() }.fit(&data)?",
    figures: &[(
        "normalized.svg",
        "Laplacian eigenmaps of the Swiss roll with Y D Yᵀ = I",
    )],
    numbers: &[
        Number {
            what: "first singular value of Y",
            slide: "Y Yᵀ = I",
            from: "2:/diagnostics/singular_values/0",
            expect: Expect::Near(1.0, 1e-9),
        },
        Number {
            what: "second singular value of Y",
            slide: "Y Yᵀ = I",
            from: "2:/diagnostics/singular_values/1",
            expect: Expect::Near(1.0, 1e-9),
        },
        Number {
            what: "smallest eigenvalue of L y = λ D y above 0",
            slide: "Y D Yᵀ = I",
            from: "3:/diagnostics/eigenvalues/0",
            expect: Expect::Near(0.001_381_405_076_2, 1e-10),
        },
        Number {
            what: "the same of D⁻¹ L",
            slide: "the same eigenvalues",
            from: "4:/diagnostics/eigenvalues/0",
            expect: Expect::Near(0.001_381_405_076_2, 1e-10),
        },
    ],
    departures: "",
};

const SPECTRAL_CLUSTERING: Item = Item {
    slide: "Laplacian eigenmaps and spectral clustering",
    title: "k-means on eigenmaps: spectral clustering",
    text: "Two half moons are no round clusters: k-means cuts both. On the eigenmaps of the neighbour graph k-means finds them, and the eigengap proposes two.",
    files: &[],
    commands: &[
        "spectral-clustering moons:400,noise=0.05 --color-by cluster --input-plot spectral.svg --save spectral.charta --json",
        "predict spectral.charta moons:400,noise=0.05 -o clusters.csv --json",
        "kmeans moons:400,noise=0.05 --n-clusters 2 --color-by cluster --input-plot kmeans.svg --save kmeans.charta --json",
        "predict kmeans.charta moons:400,noise=0.05 -o means.csv --json",
    ],
    python: "import charta\nimport numpy as np\n\n\
             X, y = charta.moons(400, noise=0.05, random_state=0)\n\
             for model in (charta.SpectralClustering(n_clusters=\"auto\", affinity=\"nearest_neighbors\"), charta.KMeans(2)):\n    \
                 model.fit(X)\n    \
                 print(type(model).__name__, [np.unique(model.labels_[y == moon], return_counts=True) for moon in np.unique(y)])\n    \
                 charta.plot_input(model, X, model.labels_).save(type(model).__name__ + \".svg\")\n",
    rust: "let model = SpectralClustering::default().fit(&data)?;\n\
             adjusted_rand(model.labels(), &truth)?",
    figures: &[
        (
            "spectral.svg",
            "Clusters by k-means on eigenmaps: each moon is one",
        ),
        ("kmeans.svg", "Clusters by k-means on the points themselves"),
    ],
    numbers: &[
        Number {
            what: "number of clusters by the eigengap",
            slide: "",
            from: "1:/diagnostics/eigengap_advice",
            expect: Expect::Near(2.0, 0.0),
        },
        Number {
            what: "agreement with the moons (adjusted Rand index), spectral clustering",
            slide: "justifies spectral clustering",
            from: "2:/evaluation/adjusted_rand",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "the same, k-means on the points",
            slide: "",
            from: "4:/evaluation/adjusted_rand",
            expect: Expect::AtMost(0.5),
        },
    ],
    departures: "The slide has no example.",
};

const BARS: Item = Item {
    slide: "Figure 3",
    title: "Horizontal and vertical bars",
    text: "Laplacian eigenmaps of images with one bar separate the two kinds completely; the first two principal components mix them.",
    files: &[],
    commands: &[
        "laplacian-eigenmaps bars:1000 -k 14 -n 3 --plot eigenmaps.svg -o eigenmaps.csv --json",
        "plot eigenmaps.csv --label bar --axes 2,3 --title 'The next two coordinates' -o arms.svg",
        "pca bars:1000 --plot pca.svg -o pca.csv --json",
        "lda eigenmaps.csv --columns eigenmap1,eigenmap2 --label bar --json",
        "lda pca.csv --label bar --json",
    ],
    python: "import charta\n\n\
             X, y = charta.bars(1000, random_state=0)\n\
             for model in (charta.SpectralEmbedding(2, n_neighbors=15, affinity=\"binary\"), charta.PCA(2)):\n    \
                 Z = model.fit_transform(X)\n    \
                 print(type(model).__name__, charta.LDA().fit(Z, y).score(Z, y))\n",
    rust: "LaplacianEigenmaps { neighborhood: Neighborhood::nearest(14), ..LaplacianEigenmaps::default() }.fit(&data)?",
    figures: &[
        ("eigenmaps.svg", "Laplacian eigenmaps"),
        (
            "arms.svg",
            "Second and third coordinate: each kind spreads along its own",
        ),
        ("pca.svg", "The first two principal components"),
    ],
    numbers: &[
        Number {
            what: "images on the right side of a straight line, Laplacian eigenmaps",
            slide: "two separate groups",
            from: "4:/diagnostics/training_accuracy",
            expect: Expect::Near(1.0, 0.0),
        },
        Number {
            what: "the same, two principal components",
            slide: "groups mixed",
            from: "5:/diagnostics/training_accuracy",
            expect: Expect::AtMost(0.65),
        },
        Number {
            what: "images",
            slide: "",
            from: "1:/data/n_rows",
            expect: Expect::Near(1000.0, 0.0),
        },
    ],
    departures: "The images of the figure are not published: bars of 40 × 40 pixels are drawn at random places. Their neighbour graph falls into the two kinds, which one \
                 edge joins, so that the first coordinate does nothing but part them, and each kind spreads along one of the next two.",
};

const GLOBAL_LOCAL: Item = Item {
    slide: "Final Thoughts",
    title: "Isomap keeps global distances, eigenmaps local ones",
    text: "In a flat square, geodesic distances are Euclidean. Isomap keeps all of them; Laplacian eigenmaps keep neighbours nearly as well and give up the \
           distances between far rows.",
    files: &[],
    commands: &[
        "isomap square:800 --quality --json",
        "laplacian-eigenmaps square:800 --quality --json",
        "compare square:800 --methods isomap,laplacian_eigenmaps --plot maps.svg --json",
    ],
    python: "import charta\n\n\
             X, t = charta.square(800, random_state=0)\n\
             for model in (charta.Isomap(n_neighbors=10), charta.SpectralEmbedding(2, n_neighbors=11, affinity=\"binary\")):\n    \
                 quality = model.fit(X).quality(X)\n    \
                 print(type(model).__name__, quality[\"residual_variance\"], quality[\"trustworthiness\"])\n",
    rust: "quality::measure(&run, &data, &embedding.view(), &quality::Options::default())?",
    figures: &[("maps.svg", "A square by Isomap and by Laplacian eigenmaps")],
    numbers: &[
        Number {
            what: "residual variance of distances, Isomap",
            slide: "preserves global distances",
            from: "1:/quality/residual_variance",
            expect: Expect::AtMost(0.005),
        },
        Number {
            what: "residual variance of distances, Laplacian eigenmaps",
            slide: "",
            from: "2:/quality/residual_variance",
            expect: Expect::AtLeast(0.05),
        },
        Number {
            what: "trustworthiness of neighbours, Laplacian eigenmaps",
            slide: "preserves local information",
            from: "2:/quality/trustworthiness/0",
            expect: Expect::AtLeast(0.99),
        },
    ],
    departures: "The slide has no example.",
};

const AS_KERNEL_PCA: Item = Item {
    slide: "Final Thoughts: particular kernels",
    title: "Isomap and Laplacian eigenmaps as kernel PCA",
    text: "A fit writes the matrices that it goes through. Kernel PCA of Isomap's matrix B is the map of Isomap; kernel PCA of the pseudo-inverse of L has the axes of \
           Laplacian eigenmaps, each with a length of its own.",
    files: &[],
    commands: &[
        "isomap swiss-roll:400 -o isomap.npy --steps isomap --json",
        "kernel-pca isomap/kernel.npy --kernel-matrix -o by-kernel.npy --plot by-kernel.svg --json",
        "quality swiss-roll:400 by-kernel.npy --known isomap.npy --json",
        "laplacian-eigenmaps swiss-roll:400 --normalization unnormalized -o eigenmaps.npy --steps eigenmaps --json",
        "kernel-pca eigenmaps/kernel.npy --kernel-matrix -o by-kernel-2.npy --json",
        "cca by-kernel-2.npy eigenmaps.npy -n 2 --json",
    ],
    python: "import charta\n\n\
             X, t = charta.swiss_roll(400, random_state=0)\n\
             isomap = charta.Isomap(n_neighbors=10)\n\
             B = isomap.steps(X)[\"B\"]\n\
             print(charta.KernelPCA(2, kernel=\"precomputed\").fit(B).embedding_[0], isomap.fit(X).embedding_[0])\n",
    rust: "let steps = Isomap::default().steps(&data)?;\n\
           KernelPca::default().fit(Data::kernel(steps.get(\"kernel\").unwrap().view())?)?",
    figures: &[(
        "by-kernel.svg",
        "Kernel PCA of the matrix B of Isomap: the map of Isomap",
    )],
    numbers: &[
        Number {
            what: "disparity between Isomap and kernel PCA of B",
            slide: "KPCA with a particular kernel",
            from: "3:/quality/procrustes_disparity",
            expect: Expect::AtMost(1e-12),
        },
        Number {
            what: "its scale",
            slide: "KPCA with a particular kernel",
            from: "3:/quality/procrustes_scale",
            expect: Expect::Near(1.0, 1e-6),
        },
        Number {
            what: "smaller canonical correlation of eigenmaps and kernel PCA of L⁺",
            slide: "KPCA with a particular kernel",
            from: "6:/diagnostics/correlations/1",
            expect: Expect::Near(1.0, 1e-9),
        },
    ],
    departures: "",
};

const LPP: Item = Item {
    slide: "Final Thoughts: out-of-sample extension",
    title: "Locality preserving projections take new rows",
    text: "LPP is the linear map that preserves the neighbour graph best. It is fitted to images of digits and applied to noisy ones that it has not seen: a \
           classifier of the old coordinates classifies the new ones.",
    files: &[],
    commands: &[
        "lpp digits -n 9 --variance 0.95 --save lpp.charta -o map.csv --plot map.png --json",
        "lda map.csv --label digit --save classes.charta --json",
        "transform lpp.charta digits:noise=2,seed=1 -o new.csv --plot new.png --json",
        "predict classes.charta new.csv --label digit --json",
    ],
    python: "import charta\n\n\
             X, y = charta.digits()\n\
             lpp = charta.LPP(9, variance=0.95).fit(X)\n\
             classes = charta.LDA().fit(lpp.transform(X), y)\n\
             noisy, _ = charta.data_set(\"digits:noise=2,seed=1\")\n\
             print(classes.score(lpp.transform(noisy), y))\n",
    rust: "let model = Lpp { n_components: 9, variance: 0.95, ..Lpp::default() }.fit(&data)?;\n\
             model.transform(&new)?",
    figures: &[
        ("map.png", "The digits of the fit"),
        ("new.png", "The noisy digits, placed by the same map"),
    ],
    numbers: &[
        Number {
            what: "digits of the fit that nine coordinates classify",
            slide: "adapts to low-dimensional structure",
            from: "2:/diagnostics/training_accuracy",
            expect: Expect::AtLeast(0.9),
        },
        Number {
            what: "new digits that the same map and classifier classify",
            slide: "out-of-sample extension",
            from: "4:/evaluation/accuracy",
            expect: Expect::AtLeast(0.85),
        },
    ],
    departures: "Isomap and Laplacian eigenmaps have an extension to new rows in charta too: every method has `charta transform`.",
};

/// Length of the geodesic between rows 0 and 400 of the Swiss roll, by its formula.
const GEODESIC: f64 = 53.19;
