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
documents       by parameter of the class, its help where that of the engine does not fit
attributes      the class's name of a fitted attribute: the engine's figure, or which view of it, and whether it is transposed
attributes_if   attribute, figure, and values of parameters for which the attribute is this figure
taken           parameters of the mixin alone: default, what may be given, help
ignored         parameters that change nothing here, with the default and what may be given: a wrong value is an error all the same
refused         parameters that are not there, with the value that requests nothing: any other is an error
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
        "method": "pca",
        "parameters": {"svd_solver": "solver", "max_iterations": "max_iterations"},
        "values": {"svd_solver": {"full": "svd", "covariance_eigh": "covariance", "arpack": "auto"}},
        "defaults": {"n_components": None},
        "attributes": {"n_samples": "n_rows"},
        "ignored": {**_COPY, "iterated_power": ("auto", "int >= 0 or 'auto'"), **_RANDOMIZED},
    },
    "IncrementalPCA": {
        "method": "incremental_pca",
        "values": {"batch_size": {None: 4096}},
        "defaults": {"n_components": None},
        "attributes": {"n_samples_seen": "n_rows"},
        "ignored": _COPY,
    },
    "SparsePCA": {
        "method": "sparse_pca",
        "defaults": {"n_components": None},
        "attributes": {"error": "objective_trace"},
        "ignored": {"method": ("lars", "'lars' or 'cd'")},
        "refused": {"U_init": None, "V_init": None},
    },
    "TruncatedSVD": {
        "method": "truncated_svd",
        "parameters": {"algorithm": "solver", "max_iterations": "max_iterations"},
        "values": {"algorithm": {"arpack": "auto"}},
        "ignored": {"n_iter": (5, "int >= 0"), **_RANDOMIZED},
    },
    "FactorAnalysis": {
        "method": "factor_analysis",
        "parameters": {"svd_method": "solver", "noise_variance_init": "noise_start", "power": "power"},
        "values": {"svd_method": {"lapack": "exact"}, "rotation": {None: "none"}, "noise_variance_init": {None: "regression"}},
        "defaults": {"n_components": None},
        "attributes": {"components": "loadings", "loglike": "log_likelihood_trace"},
        "ignored": {**_COPY, "iterated_power": (3, "int >= 0")},
    },
    "FastICA": {
        "method": "ica",
        "parameters": {"whiten": "whitening", "fun": "contrast"},
        "values": {"whiten": {False: "none"}},
        "defaults": {"n_components": None},
        "ignored": {"whiten_solver": ("svd", "'eigh' or 'svd'")},
        "refused": {"fun_args": None, "w_init": None},
    },
    "NMF": {
        "method": "nmf",
        "parameters": {"beta_loss": "loss", "alpha_W": "alpha_w", "alpha_H": "alpha_h"},
        "values": {
            "n_components": {"auto": None},
            "init": {None: "auto"},
            "solver": {"cd": "coordinate_descent", "mu": "multiplicative"},
            "alpha_H": {"same": None},
        },
        "defaults": {"n_components": "auto"},
        "attributes": {"reconstruction_err": "reconstruction_error"},
        "ignored": {"shuffle": (False, "bool")},
    },
    "GaussianRandomProjection": {
        "method": "random_projection",
        "fixed": {"kind": "gaussian", "density": "auto"},
        "parameters": {"eps": "distortion"},
        "values": {"n_components": {"auto": "johnson_lindenstrauss"}},
        "ignored": {"compute_inverse_components": (False, "bool")},
    },
    "SparseRandomProjection": {
        "method": "random_projection",
        "fixed": {"kind": "sparse"},
        "parameters": {"eps": "distortion"},
        "values": {"n_components": {"auto": "johnson_lindenstrauss"}},
        "ignored": {"compute_inverse_components": (False, "bool"), "dense_output": (False, "bool")},
    },
    "KarhunenLoeve": {
        "method": "karhunen_loeve",
        "values": {"priors": {None: "data"}},
    },
    "LinearDiscriminantAnalysis": {
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
        "ignored": {"store_covariance": (False, "bool")},
        "refused": {"covariance_estimator": None},
    },
    "PLSRegression": {
        "method": "pls",
        "fixed": {"mode": "regression"},
        "defaults": {"n_components": 2},
        "attributes": _OF_TARGETS,
        "ignored": _NIPALS,
    },
    "PLSCanonical": {
        "method": "pls",
        "fixed": {"mode": "canonical"},
        "defaults": {"n_components": 2},
        "attributes": _OF_TARGETS,
        "ignored": {**_NIPALS, "algorithm": ("nipals", "'nipals' or 'svd'")},
    },
    "CCA": {
        "method": "cca",
        "parameters": {"rank_tol": "tolerance"},
        "defaults": {"n_components": 2},
        "attributes": {
            "x_rotations": {"figure": "weights", "view": 0, "transpose": True},
            "y_rotations": {"figure": "weights", "view": 1, "transpose": True},
            "x_loadings": {"figure": "loadings", "view": 0, "transpose": True},
            "y_loadings": {"figure": "loadings", "view": 1, "transpose": True},
        },
        "ignored": _NIPALS,
    },
    "MultiviewCCA": {
        "method": "cca",
        "many_views": True,
        "parameters": {"rank_tol": "tolerance"},
    },
    "LPP": {"method": "lpp"},
    "NPE": {
        "method": "npe",
        "parameters": {"reg": "regularization"},
    },
    "KernelPCA": {
        "method": "kernel_pca",
        "parameters": {"fit_inverse_transform": "pre_image"},
        "values": {
            "n_components": {None: "all"},
            "gamma": {None: "columns"},
            "kernel": {"poly": "polynomial"},
            "fit_inverse_transform": {True: "ridge", False: "auto"},
        },
        "defaults": {"n_components": None, "kernel": "linear", "gamma": None},
        "ignored": {
            "eigen_solver": ("auto", "'auto' or 'dense' or 'arpack' or 'randomized'"),
            "max_iter": (None, "int >= 1 or None"),
            "iterated_power": ("auto", "int >= 0 or 'auto'"),
            "remove_zero_eig": (False, "bool"),
            "copy_X": (True, "bool"),
        },
        "refused": {"kernel_params": None},
    },
    "KernelLDA": {
        "method": "kernel_lda",
        "values": {"gamma": {None: "columns"}, "kernel": {"poly": "polynomial"}, "priors": {None: "data"}, "n_components": {None: "all"}},
        "defaults": {"n_components": None},
    },
    "ClassicalMDS": {
        "method": "classical_mds",
        "refused": {"metric_params": None},
    },
    "MDS": {
        "method": "mds",
        "parameters": {"metric_mds": "nonmetric", "n_init": "n_starts", "eps": "tolerance"},
        "values": {"metric_mds": {True: False, False: True}, "init": {"classical_mds": "classical"}},
        "defaults": {"metric_mds": True},
        "documents": {"metric_mds": "Metric MDS, which preserves the distances; if false, non-metric MDS, which preserves only their order."},
        "attributes_if": [
            ("stress", "normalized_stress", {"normalized_stress": [True]}),
            ("stress", "normalized_stress", {"normalized_stress": [None, "auto"], "metric_mds": [False]}),
        ],
        "ignored": {
            "normalized_stress": ("auto", "bool or 'auto' or None"),
            "dissimilarity": ("deprecated", "'euclidean' or 'precomputed' or 'deprecated' or None"),
        },
        "refused": {"metric_params": None},
    },
    "Isomap": {
        "method": "isomap",
        "positional": [],
        "parameters": {"neighbors_algorithm": "search"},
        "values": {"neighbors_algorithm": {"brute": "exact", "kd_tree": "tree", "ball_tree": "tree"}},
        "defaults": {"metric": "minkowski"},
        "ignored": {
            "eigen_solver": ("auto", "'auto' or 'arpack' or 'dense'"),
            "max_iter": (None, "int >= 1 or None"),
            "path_method": ("auto", "'auto' or 'FW' or 'D'"),
        },
        "refused": {"metric_params": None},
    },
    "SpectralEmbedding": {
        "method": "laplacian_eigenmaps",
        "aliases": ["LaplacianEigenmaps"],
        "parameters": {"affinity": "weights"},
        "values": {"affinity": {"nearest_neighbors": "binary"}, "n_neighbors": {None: 10}},
        "ignored": _EIGENPROBLEM,
        "refused": {"gamma": None},
    },
    "DiffusionMap": {
        "method": "diffusion_maps",
        "aliases": ["DiffusionMaps"],
    },
    "LocallyLinearEmbedding": {
        "method": "lle",
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
        "parameters": {"reg": "regularization"},
    },
    "HessianLLE": {"method": "hessian_lle"},
    "LTSA": {"method": "ltsa"},
    "PaCMAP": {
        "method": "pacmap",
        "mixin": "pacmap:Pacmap",
        "positional": ["n_components", "n_neighbors", "MN_ratio", "FP_ratio"],
        "parameters": {"MN_ratio": "mid_near_ratio", "FP_ratio": "further_ratio", "distance": "metric", "lr": "learning_rate"},
        "values": {"n_neighbors": {None: "auto"}, "distance": {"angular": "cosine"}},
        "ignored": {"apply_pca": (True, "bool")},
        "taken": {
            "num_iters": (None, "int >= 0 or list or None", "Iterations of the third phase after 100 of each other, or of all three phases, in place of the parameters of each.")
        },
        "refused": {"pair_neighbors": None, "pair_MN": None, "pair_FP": None},
    },
    "UMAP": {
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
        "taken": {
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
        "taken": {"metric_params": (None, "dict or None", "Parameters of the metric by name, such as `{'V': covariance}` for `mahalanobis`.")},
    },
    "SOM": {
        "method": "som",
        "positional": ["width", "height"],
    },
    "KMeans": {
        "method": "kmeans",
        "positional": ["n_clusters"],
        "values": {"init": {"k-means++": "k_means_plus_plus"}, "n_init": {"auto": 10}},
        "defaults": {"init": "k-means++"},
        "ignored": {"copy_x": (True, "bool"), "algorithm": ("lloyd", "'lloyd' or 'elkan'")},
    },
    "SpectralClustering": {
        "method": "spectral_clustering",
        "positional": ["n_clusters"],
        "parameters": {"affinity": "weights"},
        "values": {"affinity": {"nearest_neighbors": "binary"}},
        "ignored": _EIGENPROBLEM,
        "refused": {"gamma": None, "assign_labels": "kmeans", "degree": None, "coef0": None, "kernel_params": None},
    },
}

#: Functions that fit a class and return some of its attributes.
FUNCTIONS = {
    "locally_linear_embedding": {
        "class": "LocallyLinearEmbedding",
        "returns": ["embedding_", "reconstruction_error_"],
        "document": "Coordinates by locally linear embedding, and the squared reconstruction error: (coordinates, error).",
    },
}

#: Classes that a sequence of slices can be embedded by: `Aligned` with the name of the class is a class too.
ALIGNED = ["UMAP", "TSNE", "PaCMAP"]

#: scanpy's words for the fuzzy graph of neighbours and for the map of a reference, and the class that places new cells on such a map.
SCANPY = {"graph": "umap", "map": "umap", "class": "UMAP"}

#: Functions for annotated data by the names that scanpy's users know. `from_x`: fitted to ``X`` even if principal components are there;
#: `from_neighbors`: embeds the neighbour graph of the data if there is one; `uns` and `varm`: attributes that are kept there under these names.
ANNOTATED = {
    "pca": {
        "class": "PCA",
        "from_x": True,
        "uns": {"variance": "explained_variance_", "variance_ratio": "explained_variance_ratio_"},
        "varm": {"PCs": "components_"},
    },
    "umap": {"class": "UMAP", "from_neighbors": True},
    "tsne": {"class": "TSNE"},
    "pacmap": {"class": "PaCMAP"},
    "isomap": {"class": "Isomap"},
    "diffmap": {"class": "DiffusionMap"},
}
