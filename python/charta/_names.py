"""What the classes of the package are called: the one place here that names methods.

The engine names methods and parameters by what they are. Users know most methods from another package, and keep its names: a class below has the name,
the parameters, the words for values, the defaults and the fitted attributes of the package that made the method known (scikit-learn, umap-learn, pacmap …).
Everything that is not stated here is the engine's own. A method without an entry gets a class named after it, with the engine's names.

Entries of a class, all but the first of which may be left out:

method          the engine's name of the method
aliases         other names of the class
positional      parameters that may be given without their names, in this order; `n_components` unless it is said here
many_views      true for a class that takes any number of views as a list; others with views take two, as `X` and `y`
variants        a parameter that chooses among methods, and the method of each of its words
fixed           parameters of the engine that make it this class, which therefore does not have them
parameters      the class's name of a parameter: the engine's
values          by parameter of the class, its words for values: the engine's
defaults        defaults that differ from the engine's. `None` for a number of components is as many as the data allows
documents       by parameter of the class, its help where that of the engine, or that it has no effect, does not fit
attributes      the class's name of a fitted attribute: the engine's figure, or which view of it, and whether it is transposed
attributes_if   attribute, figure, and values of parameters for which the attribute is this figure
ignored         parameters that change nothing here, with the default and what may be given: a wrong value is an error all the same
own             parameters that only the mixin knows: default, what may be given, help
refused         parameters that are not there, with the value that requests nothing: any other is an error
lowered         parameters of which the default is lowered, with a warning, where it is more than the number of samples and the number given here
package         module of the other package that has the class, for comparison
mixin           module and class below `_peers`, for what no table can say: methods, attributes and checks that only this class has
"""

#: Parameters that are called otherwise in every class: the class's name, the engine's.
PARAMETERS = {
    "random_state": "seed",
    "max_iter": "max_iterations",
    "tol": "tolerance",
    "p": "power",
    "scale": "standardize",
}

#: Defaults that differ from the engine's in every class.
DEFAULTS = {"random_state": None}

#: Words of every class for values of the engine's parameters.
VALUES = {"metric": {"cityblock": "manhattan", "l1": "manhattan", "l2": "euclidean"}}

#: Fitted attributes of every class that are figures of another name.
ATTRIBUTES = {"n_iter": "n_iterations"}

#: Parameters of several classes that change nothing here.
_COPY = {"copy": (True, "bool")}
_RANDOMIZED = {"n_oversamples": (10, "int >= 1"), "power_iteration_normalizer": ("auto", "'auto' or 'QR' or 'LU' or 'none'")}
_NIPALS = {"max_iter": (500, "int >= 1"), "tol": (1e-6, "float >= 0"), **_COPY}
_EIGENPROBLEM = {"eigen_solver": (None, "'arpack' or 'lobpcg' or 'amg' or None"), "eigen_tol": ("auto", "float >= 0 or 'auto'")}

_METRIC_PARAMS = {"metric_params": (None, "dict or None", "Arguments of the metric: of a function, of a metric that scipy has, or `p`.")}

#: Help of parameters of graphs that scikit-learn counts or calls otherwise.
_WITH_ITSELF = (
    "Number of nearest neighbours of each sample, itself included, as scikit-learn counts them. "
    "Larger values show more global structure, smaller values more local detail; usually 5 to 50."
)
_AFFINITY = {
    "affinity": (
        "What the graph is: of nearest neighbours (`nearest_neighbors`, the mean of both directions; `binary`, 1 for every edge; `heat`, by the heat kernel of the distance), "
        "the RBF kernel between all samples (`rbf`), or given as `X`: a dense or sparse matrix of affinities (`precomputed`), or a sparse graph of distances to neighbours "
        "(`precomputed_nearest_neighbors`). Or a function: of all samples at once in `SpectralEmbedding`, of two samples in `SpectralClustering`, which also takes kernels by name."
    ),
}

#: Fitted attributes of both classes of partial least squares.
_OF_TARGETS = {
    "x_weights": {"figure": "weights", "transpose": True},
    "x_loadings": {"figure": "loadings", "transpose": True},
    "x_rotations": {"figure": "rotations", "transpose": True},
    "y_weights": {"figure": "target_weights", "transpose": True},
    "y_loadings": {"figure": "target_loadings", "transpose": True},
    "y_rotations": {"figure": "target_rotations", "transpose": True},
    "coef": "coefficients",
}

CLASSES = {
    "SequentialFeatureSelector": {
        "package": "sklearn.feature_selection",
        "method": "sequential_selection",
        "positional": ["estimator"],
        "parameters": {
            "n_features_to_select": "n_components",
            "estimator": "scorer",
            "tol": "epsilon",
            "scoring": "measure",
            "cv": "validation",
        },
        "values": {
            "n_features_to_select": {"auto": "half"},
            "scoring": {
                None: "auto",
                "r2": "r_squared",
                "neg_mean_squared_error": "mean_squared_error",
                "neg_mean_absolute_error": "mean_absolute_error",
                "neg_log_loss": "log_loss",
            },
        },
        "attributes": {"n_features_to_select": "n_components"},
    },
    "PCA": {
        "package": "sklearn.decomposition",
        "method": "pca",
        "parameters": {"svd_solver": "solver", "max_iterations": "max_iterations"},
        # scikit-learn's tolerance of 0 is that of the machine.
        "values": {"svd_solver": {"full": "svd", "covariance_eigh": "covariance", "arpack": "auto"}, "tol": {0.0: 1e-12, 0: 1e-12}},
        "defaults": {"n_components": None},
        "attributes": {"n_samples": "n_rows"},
        "ignored": {**_COPY, "iterated_power": ("auto", "int >= 0 or 'auto'"), **_RANDOMIZED},
        "mixin": "principal:OfSolver",
    },
    "IncrementalPCA": {
        "package": "sklearn.decomposition",
        "method": "incremental_pca",
        "values": {"batch_size": {None: 4096}},
        "defaults": {"n_components": None},
        "attributes": {"n_samples_seen": "n_rows"},
        "ignored": _COPY,
        "mixin": "batches:Batches",
    },
    "SparsePCA": {
        "package": "sklearn.decomposition",
        "method": "sparse_pca",
        "defaults": {"n_components": None},
        "attributes": {"error": "objective_trace"},
        "ignored": {"method": ("lars", "'lars' or 'cd'")},
        "refused": {"U_init": None, "V_init": None},
    },
    "TruncatedSVD": {
        "package": "sklearn.decomposition",
        "method": "truncated_svd",
        "parameters": {"algorithm": "solver", "max_iterations": "max_iterations"},
        # scikit-learn's tolerance of 0 is that of the machine.
        "values": {"algorithm": {"arpack": "auto"}, "tol": {0.0: 1e-12, 0: 1e-12}},
        "ignored": {"n_iter": (5, "int >= 0"), **_RANDOMIZED},
    },
    "FactorAnalysis": {
        "package": "sklearn.decomposition",
        "method": "factor_analysis",
        "parameters": {"svd_method": "solver", "noise_variance_init": "noise_start", "power": "power"},
        "values": {"svd_method": {"lapack": "exact"}, "rotation": {None: "none"}, "noise_variance_init": {None: "regression"}},
        "defaults": {"n_components": None},
        "attributes": {"components": "loadings", "loglike": "log_likelihood_trace"},
        "ignored": {**_COPY, "iterated_power": (3, "int >= 0")},
        "mixin": "latent:OfAllSamples",
    },
    "FastICA": {
        "package": "sklearn.decomposition",
        "method": "ica",
        "parameters": {"whiten": "whitening", "fun": "contrast"},
        "values": {"whiten": {False: "none"}},
        "defaults": {"n_components": None},
        "ignored": {"whiten_solver": ("svd", "'eigh' or 'svd'"), "w_init": (None, "array or None")},
        "refused": {"fun_args": None},
        "documents": {"w_init": "The unmixing matrix of the whitened samples from which the search starts, sources × sources."},
        "mixin": "latent:AllSources",
    },
    "NMF": {
        "package": "sklearn.decomposition",
        "method": "nmf",
        "parameters": {"beta_loss": "loss", "alpha_W": "alpha_w", "alpha_H": "alpha_h"},
        "values": {
            "n_components": {"auto": None},
            "init": {None: "auto", "custom": "auto"},
            "beta_loss": {"kullback-leibler": "kullback_leibler", "itakura-saito": "itakura_saito"},
            "solver": {"cd": "coordinate_descent", "mu": "multiplicative"},
            "alpha_H": {"same": None},
        },
        "defaults": {"n_components": "auto"},
        "attributes": {"reconstruction_err": "reconstruction_error"},
        "ignored": {"shuffle": (False, "bool")},
        "mixin": "nmf:Factorization",
    },
    "GaussianRandomProjection": {
        "package": "sklearn.random_projection",
        "method": "random_projection",
        "fixed": {"kind": "gaussian", "density": "auto"},
        "parameters": {"eps": "distortion"},
        "values": {"n_components": {"auto": "johnson_lindenstrauss"}},
        "ignored": {"compute_inverse_components": (False, "bool")},
        "mixin": "random_projections:Projection",
    },
    "SparseRandomProjection": {
        "package": "sklearn.random_projection",
        "method": "random_projection",
        "fixed": {"kind": "sparse"},
        "parameters": {"eps": "distortion"},
        "values": {"n_components": {"auto": "johnson_lindenstrauss"}},
        "ignored": {"compute_inverse_components": (False, "bool"), "dense_output": (False, "bool")},
        "mixin": "random_projections:SparseProjection",
    },
    "KarhunenLoeve": {
        "method": "karhunen_loeve",
        "values": {"priors": {None: "data"}},
    },
    "LinearDiscriminantAnalysis": {
        "package": "sklearn.discriminant_analysis",
        "method": "lda",
        "aliases": ["LDA"],
        "positional": ["solver", "shrinkage", "priors", "n_components"],
        "values": {"priors": {None: "data"}, "n_components": {None: "all"}, "shrinkage": {None: "none"}, "solver": {"lsqr": "auto"}},
        "defaults": {"n_components": None},
        "attributes": {
            "means": "class_means",
            "xbar": "centre",
            "covariance": "covariance_within",
            "scalings": {"figure": "components", "transpose": True},
        },
        "own": {
            "covariance_estimator": (
                None,
                "None or estimator",
                "An estimator of covariances, such as those of `sklearn.covariance`: `fit` to the samples of each class gives its `covariance_`. Takes the place of `shrinkage`.",
            )
        },
        "mixin": "discriminant:DiscriminantMixin",
    },
    "PLSRegression": {
        "package": "sklearn.cross_decomposition",
        "method": "pls",
        "fixed": {"mode": "regression"},
        "defaults": {"n_components": 2},
        "attributes": _OF_TARGETS,
        "ignored": _NIPALS,
        "mixin": "cross_decomposition:RegressionMixin",
    },
    "PLSCanonical": {
        "package": "sklearn.cross_decomposition",
        "method": "pls",
        "fixed": {"mode": "canonical"},
        "defaults": {"n_components": 2},
        "attributes": _OF_TARGETS,
        "ignored": {**_NIPALS, "algorithm": ("nipals", "'nipals' or 'svd'")},
        "mixin": "cross_decomposition:LatentMixin",
    },
    "CCA": {
        "package": "sklearn.cross_decomposition",
        "method": "cca",
        "parameters": {"rank_tol": "tolerance"},
        "defaults": {"n_components": 2},
        "attributes": {
            "x_weights": {"figure": "weights", "view": 0, "transpose": True},
            "y_weights": {"figure": "weights", "view": 1, "transpose": True},
            "x_rotations": {"figure": "weights", "view": 0, "transpose": True},
            "y_rotations": {"figure": "weights", "view": 1, "transpose": True},
            "x_loadings": {"figure": "loadings", "view": 0, "transpose": True},
            "y_loadings": {"figure": "loadings", "view": 1, "transpose": True},
        },
        "ignored": _NIPALS,
        "mixin": "cross_decomposition:CanonicalMixin",
    },
    "MultiviewCCA": {
        "method": "cca",
        "many_views": True,
        "parameters": {"rank_tol": "tolerance"},
    },
    "LPP": {"method": "lpp", "lowered": {"n_neighbors": -1}},
    "NPE": {
        "method": "npe",
        "lowered": {"n_neighbors": -1},
        "parameters": {"reg": "regularization"},
    },
    "KernelPCA": {
        "package": "sklearn.decomposition",
        "method": "kernel_pca",
        "mixin": "kernel_pca:KernelPCA",
        "parameters": {"fit_inverse_transform": "pre_image"},
        "values": {
            "n_components": {None: "all"},
            "gamma": {None: "columns"},
            "kernel": {"poly": "polynomial"},
            "fit_inverse_transform": {True: "ridge", False: "auto"},
            # scikit-learn's tolerance of 0 is that of the machine.
            "tol": {0: 1e-12, 0.0: 1e-12},
        },
        "defaults": {"n_components": None, "kernel": "linear", "gamma": None, "fit_inverse_transform": False},
        "ignored": {
            "eigen_solver": ("auto", "'auto' or 'dense' or 'arpack' or 'randomized'"),
            "max_iter": (None, "int >= 1 or None"),
            "iterated_power": ("auto", "int >= 0 or 'auto'"),
            "copy_X": (True, "bool"),
        },
        "own": {
            "kernel_params": (None, "dict or None", "Arguments of a kernel that is a function, besides the two samples."),
            "remove_zero_eig": (False, "bool", "Leave out components that are zero because the data varies in fewer directions than components are requested."),
        },
    },
    "KernelLDA": {
        "method": "kernel_lda",
        "values": {"gamma": {None: "columns"}, "kernel": {"poly": "polynomial"}, "priors": {None: "data"}, "n_components": {None: "all"}},
        "defaults": {"n_components": None},
    },
    "ClassicalMDS": {
        "package": "sklearn.manifold",
        "method": "classical_mds",
        "mixin": "scaling:ClassicalMDS",
        "own": _METRIC_PARAMS,
    },
    "MDS": {
        "package": "sklearn.manifold",
        "method": "mds",
        "mixin": "scaling:MDS",
        "parameters": {"metric_mds": "nonmetric", "n_init": "n_starts", "eps": "tolerance"},
        "values": {"metric_mds": {True: False, False: True}, "init": {"classical_mds": "classical"}},
        "defaults": {"metric_mds": True},
        "documents": {"metric_mds": "Metric MDS, which preserves the distances; if false, non-metric MDS, which preserves only their order."},
        "attributes_if": [
            ("stress", "normalized_stress", {"normalized_stress": [True]}),
            ("stress", "normalized_stress", {"normalized_stress": [None, "auto"], "metric_mds": [False]}),
        ],
        "own": {
            **_METRIC_PARAMS,
            "normalized_stress": ("auto", "bool or 'auto' or None", "Whether `stress_` has no unit (Kruskal's stress-1); by default for non-metric MDS."),
            "dissimilarity": ("deprecated", "'euclidean' or 'precomputed' or 'deprecated' or None", "Deprecated: say `metric`."),
        },
    },
    "Isomap": {
        "package": "sklearn.manifold",
        "method": "isomap",
        "mixin": "neighbor_graphs:Isomap",
        "lowered": {"n_neighbors": -1},
        "positional": [],
        "parameters": {"neighbors_algorithm": "search"},
        # scikit-learn's tolerance of 0 is that of the machine.
        "values": {"neighbors_algorithm": {"brute": "exact", "kd_tree": "tree", "ball_tree": "tree"}, "tol": {0: 1e-12, 0.0: 1e-12}},
        "defaults": {"metric": "minkowski", "n_neighbors": 5},
        "ignored": {
            "eigen_solver": ("auto", "'auto' or 'arpack' or 'dense'"),
            "max_iter": (None, "int >= 1 or None"),
            "path_method": ("auto", "'auto' or 'FW' or 'D'"),
        },
        "own": _METRIC_PARAMS,
    },
    "SpectralEmbedding": {
        "package": "sklearn.manifold",
        "method": "laplacian_eigenmaps",
        "mixin": "affinities:SpectralEmbedding",
        "aliases": ["LaplacianEigenmaps"],
        "parameters": {"affinity": "weights"},
        "values": {"affinity": {"nearest_neighbors": "average"}},
        "defaults": {"affinity": "nearest_neighbors", "n_neighbors": None},
        "documents": {**_AFFINITY, "n_neighbors": _WITH_ITSELF + " None: a tenth of the samples."},
        "ignored": _EIGENPROBLEM,
        "own": {"gamma": (None, "float > 0 or None", "Coefficient of the affinity `rbf`, exp(−γ d²). None: 1 / number of features.")},
    },
    "DiffusionMap": {
        "method": "diffusion_maps",
        "lowered": {"n_neighbors": -1},
        "aliases": ["DiffusionMaps"],
    },
    "LocallyLinearEmbedding": {
        "package": "sklearn.manifold",
        "method": "lle",
        "mixin": "neighbor_graphs:LocallyLinearEmbedding",
        "lowered": {"n_neighbors": -1},
        "defaults": {"n_neighbors": 5},
        "aliases": ["LLE"],
        "positional": [],
        "variants": {
            "name": "method",
            "methods": {"standard": "lle", "modified": "modified_lle", "hessian": "hessian_lle", "ltsa": "ltsa"},
        },
        "parameters": {"reg": "regularization", "neighbors_algorithm": "search"},
        "values": {"neighbors_algorithm": {"brute": "exact", "kd_tree": "tree", "ball_tree": "tree"}},
        "ignored": {
            "eigen_solver": ("auto", "'auto' or 'arpack' or 'dense'"),
            "tol": (1e-6, "float >= 0"),
            "max_iter": (100, "int >= 1"),
            "hessian_tol": (1e-4, "float >= 0"),
            "modified_tol": (1e-12, "float >= 0"),
        },
    },
    "ModifiedLLE": {
        "method": "modified_lle",
        "lowered": {"n_neighbors": -1},
        "parameters": {"reg": "regularization"},
    },
    "HessianLLE": {"method": "hessian_lle", "lowered": {"n_neighbors": -1}},
    "LTSA": {"method": "ltsa", "lowered": {"n_neighbors": -1}},
    "PaCMAP": {
        "package": "pacmap",
        "method": "pacmap",
        "mixin": "pacmap:Pacmap",
        "positional": ["n_components", "n_neighbors", "MN_ratio", "FP_ratio"],
        "parameters": {"MN_ratio": "mid_near_ratio", "FP_ratio": "further_ratio", "distance": "metric", "lr": "learning_rate"},
        "values": {"n_neighbors": {None: "auto"}, "distance": {"angular": "cosine"}},
        "ignored": {"apply_pca": (True, "bool")},
        "own": {
            "num_iters": (None, "int >= 0 or list or None", "Iterations of the third phase after 100 of each other, or of all three phases, in place of the parameters of each.")
        },
        "refused": {"pair_neighbors": None, "pair_MN": None, "pair_FP": None},
    },
    "UMAP": {
        "package": "umap",
        "method": "umap",
        "mixin": "umap_learn:Umap",
        "positional": [
            "n_neighbors",
            "n_components",
            "metric",
            "metric_kwds",
            "output_metric",
            "output_metric_kwds",
            "n_epochs",
            "learning_rate",
            "init",
            "min_dist",
            "spread",
            "low_memory",
            "n_jobs",
            "set_op_mix_ratio",
            "local_connectivity",
            "repulsion_strength",
            "negative_sample_rate",
            "transform_queue_size",
            "a",
            "b",
            "random_state",
            "angular_rp_forest",
            "target_n_neighbors",
            "target_metric",
            "target_metric_kwds",
            "target_weight",
            "transform_seed",
            "transform_mode",
            "force_approximation_algorithm",
            "verbose",
            "tqdm_kwds",
            "unique",
            "densmap",
            "dens_lambda",
            "dens_frac",
            "dens_var_shift",
            "output_dens",
            "disconnection_distance",
            "precomputed_knn",
        ],
        "values": {
            "target_metric": {
                "categorical": "classes",
                "euclidean": "numbers",
                "l2": "numbers",
                "l1": "numbers",
                "manhattan": "numbers",
                "string": "text",
            },
            "target_n_neighbors": {-1: None},
            "init": {"tswspectral": "spectral"},
        },
        "defaults": {"supervised": None, "target_n_neighbors": -1},
        "ignored": {
            "low_memory": (True, "bool"),
            "transform_queue_size": (4.0, "float > 0"),
            "angular_rp_forest": (False, "bool"),
            "transform_seed": (42, "int >= 0"),
            "force_approximation_algorithm": (False, "bool"),
            "tqdm_kwds": (None, "dict or None"),
        },
        "own": {
            "metric_kwds": (None, "dict or None", "Parameters of the metric by name, such as `{'p': 3}` for `minkowski`, or arguments of a metric that is a function."),
            "unique": (False, "bool", "Embed equal samples once, so that they share their coordinates."),
            "output_dens": (False, "bool", "Report the local radii in the data and in the embedding: `rad_orig_`, `rad_emb_`, which `fit_transform` returns too."),
            "precomputed_knn": (
                (None, None, None),
                "list or None",
                "Neighbours found elsewhere: arrays of indices and of distances, the sample itself among them; what follows them is not needed.",
            ),
        },
        "refused": {"output_metric": "euclidean", "output_metric_kwds": None, "target_metric_kwds": None, "transform_mode": "embedding"},
    },
    "TSNE": {
        "package": "sklearn.manifold",
        "method": "tsne",
        "mixin": "tsne:Tsne",
        "parameters": {
            "max_iter": "iterations",
            "early_exaggeration_iter": "early_iterations",
            "method": "gradient",
            "angle": "theta",
        },
        "values": {"method": {"barnes_hut": "tree", "fft": "grid"}, "learning_rate": {"auto": None}},
        "defaults": {"learning_rate": "auto", "max_iter": 1000},
        "documents": {
            "learning_rate": "Learning rate on scikit-learn's scale, a quarter of that of the engine and of openTSNE; `auto` is the number of samples "
            "divided by four times the exaggeration. Too small a rate leaves a dense ball, too large a rate scatters the points."
        },
        "ignored": {"n_iter_without_progress": (300, "int >= -1"), "min_grad_norm": (1e-7, "float >= 0")},
        "own": {"metric_params": (None, "dict or None", "Parameters of the metric by name, such as `{'V': covariance}` for `mahalanobis`.")},
    },
    "SOM": {
        "method": "som",
        "positional": ["width", "height"],
    },
    "KMeans": {
        "package": "sklearn.cluster",
        "method": "kmeans",
        "positional": ["n_clusters"],
        "values": {"init": {"k-means++": "k_means_plus_plus"}, "n_init": {"auto": 10}},
        "defaults": {"init": "k-means++", "n_init": "auto"},
        "documents": {
            "init": "Initialization of the centres: `k-means++` draws rows far from each other and needs fewer iterations, `random` draws any rows; "
            "or the initial centres, one in each row; or a function of (X, n_clusters, random_state) that returns them.",
            "n_init": "Number of initializations; the result with the lowest inertia is kept. More avoid poor local minima and cost time; usually 1 to 20. "
            "`auto` is 1 for `k-means++` and for given centres, 10 for `random` and functions.",
        },
        "ignored": {"copy_x": (True, "bool"), "algorithm": ("lloyd", "'lloyd' or 'elkan'")},
        "mixin": "clusters:KMeansMixin",
    },
    "SpectralClustering": {
        "package": "sklearn.cluster",
        "method": "spectral_clustering",
        "mixin": "affinities:SpectralClustering",
        "positional": ["n_clusters"],
        "parameters": {"affinity": "weights", "n_components": "n_eigenvectors", "assign_labels": "assignment"},
        "values": {"affinity": {"nearest_neighbors": "average"}, "assign_labels": {"kmeans": "k_means"}},
        "defaults": {"n_clusters": 8, "affinity": "rbf", "assign_labels": "kmeans"},
        "documents": {**_AFFINITY, "n_neighbors": _WITH_ITSELF},
        "lowered": {"n_neighbors": 0},
        "ignored": _EIGENPROBLEM,
        "own": {
            "gamma": (1.0, "float or None", "Coefficient γ of the affinities `rbf`, exp(−γ d²), `poly`, `sigmoid`, `laplacian` and `chi2`."),
            "degree": (3, "float >= 0", "Degree of the affinity `poly`."),
            "coef0": (1, "float", "Constant of the affinities `poly` and `sigmoid`."),
            "kernel_params": (None, "dict or None", "Arguments of an affinity that is a function, besides the two samples."),
        },
    },
}

#: Functions that fit a class and return some of its attributes, or that a module below `_peers` has. `of_fit`: what is given to the fit, not to the class; `positional`:
#: what may be given without its name after `X`; `on_request`: further attributes, by a parameter that requests them.
FUNCTIONS = {
    "non_negative_factorization": {"function": "nmf:non_negative_factorization"},
    "k_means": {
        "class": "KMeans",
        "returns": ["cluster_centers_", "labels_", "inertia_"],
        "positional": ["n_clusters"],
        "of_fit": ["sample_weight"],
        "on_request": {"return_n_iter": "n_iter_"},
        "document": "Clusters by k-means: (centres, cluster of each sample, inertia), and the number of iterations if `return_n_iter` is true. `sample_weight` weights the samples.",
    },
    "locally_linear_embedding": {
        "class": "LocallyLinearEmbedding",
        "returns": ["embedding_", "reconstruction_error_"],
        "document": "Coordinates by locally linear embedding, and the squared reconstruction error: (coordinates, error).",
    },
}

#: Functions for annotated data by the names that scanpy's users know. `from_x`: fitted to ``X`` even if principal components are there;
#: `uns` and `varm`: attributes that are kept there under these names.
ANNOTATED = {
    "pca": {
        "class": "PCA",
        "from_x": True,
        "uns": {"variance": "explained_variance_", "variance_ratio": "explained_variance_ratio_"},
        "varm": {"PCs": "components_"},
    },
    "umap": {"class": "UMAP"},
    "tsne": {"class": "TSNE"},
    "pacmap": {"class": "PaCMAP"},
    "isomap": {"class": "Isomap"},
    "diffmap": {"class": "DiffusionMap"},
}
