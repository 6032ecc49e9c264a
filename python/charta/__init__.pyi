# Made by python/stubs.py from the registry of the engine. Do not edit.
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from . import linear as linear

__version__: str

class NotFittedError(ValueError, AttributeError): ...
class ChartaWarning(UserWarning): ...
class ConvergenceWarning(ChartaWarning): ...
class QualityReport(dict[str, Any]): ...

class Explanation(str):
    sections: dict[str, str]

class ExplanationTable(dict[str, str]): ...

class Plot:
    def to_bytes(self, format: str = "png") -> bytes: ...
    def save(self, path: str | PathLike[str]) -> Self: ...

class ShortestPath(NamedTuple):
    rows: NDArray[np.int64]
    length: float
    input_distance: float
    map_distance: float

class Scree:
    variances: NDArray[np.float64]
    proportions: NDArray[np.float64]
    total_variance: float
    rules: dict[str, int | None]
    problems: dict[str, str]
    n_components: int
    rule: str
    reason: str
    agreement: tuple[int, int] | None
    parallel_analysis: dict[str, Any]
    def plot(self, *, title: str = ..., size: tuple[int, int] | None = None) -> Plot: ...

class Dimension:
    dimension: int
    reasons: list[str]
    agreed: bool
    range: tuple[float, float] | None
    estimates: dict[str, float | None]
    notes: dict[str, str]
    scales: list[dict[str, Any]]
    chosen_scale: int | None
    n_linear: int | None
    linear_share: float | None
    rules: dict[str, int | None]
    n_components: int | None
    n_duplicates: int
    of_rows: dict[str, NDArray[np.float64]]
    def plot(self, *, title: str | None = None, size: tuple[int, int] | None = None) -> Plot: ...
    def __int__(self) -> int: ...

class Comparison:
    table: dict[str, dict[str, Any]]
    embeddings: dict[str, NDArray[Any]]
    estimators: dict[str, Any]
    n_neighbors: int | None
    def plot(self, labels: Any = None, *, glyphs: bool = False, title: str = "", label_title: str = "", size: tuple[int, int] | None = None) -> Plot: ...
    def to_pandas(self) -> Any: ...

class Steps(dict[str, NDArray[np.float64]]):
    formulas: dict[str, str]
    rows: NDArray[np.int64] | None

class Recommendation:
    purpose: str
    reasons: list[str]
    scaling: str | None
    title: str
    estimator: Estimator

class Advice:
    facts: dict[str, Any]
    recommendations: list[Recommendation]
    cautions: list[str]

class Clustering:
    def predict(self, X: Any) -> NDArray[Any]: ...
    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.int64]: ...

class Continued:
    def continue_fit(self, n_iter: Any, exaggeration: Any = None) -> Self: ...

class Estimator:
    n_jobs: int | None
    verbose: bool | int
    callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None
    memory_limit: int | str | None
    n_features_in_: int
    embedding_: NDArray[Any]
    def __getattr__(self, name: str) -> Any: ...
    def get_params(self, deep: Any = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def fit(self, X: Any, y: Any = None) -> Self: ...
    def fit_transform(self, X: Any, y: Any = None) -> Any: ...
    def transform(self, X: Any) -> Any: ...
    def plan(self, X: Any, y: Any = None) -> dict[str, Any]: ...
    def steps(self, X: Any, y: Any = None) -> Steps: ...
    def quality(self, X: Any, labels: Any = None, **options: Any) -> QualityReport: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]: ...
    def set_output(self, *, transform: Any = None) -> Self: ...
    def get_metadata_routing(self) -> Any: ...

class Graphed:
    def neighbor_graph(self, X: Any = None) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
    def shortest_path(self, a: Any, b: Any, X: Any = None) -> ShortestPath: ...

class Inverse:
    def inverse_transform(self, X: Any) -> NDArray[Any]: ...

class Likelihood:
    def score_samples(self, X: Any) -> Any: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def get_covariance(self) -> Any: ...
    def get_precision(self) -> Any: ...

class ManyViews:
    def transform(self, X: Any) -> Any: ...
    def transform_view(self, view: Any, X: Any) -> Any: ...
    def predict_view(self, view: Any, X: Any, to: Any) -> Any: ...

class MetricParams: ...

class Pacmap:
    def fit(self, X: Any, y: Any = None, init: Any = None, save_pairs: Any = True) -> Self: ...
    def fit_transform(self, X: Any, y: Any = None, init: Any = None, save_pairs: Any = True) -> Any: ...
    def transform(self, X: Any, basis: Any = None, init: Any = None, save_pairs: Any = True) -> Any: ...

class Partial:
    def partial_fit(self, X: Any, y: Any = None) -> Self: ...

class Predicting:
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

class RowErrors:
    def row_errors(self, X: Any) -> NDArray[np.float64]: ...

class Sampling:
    def sample(self, n_samples: Any = 1, random_state: int | np.random.RandomState | np.random.Generator | None = None) -> NDArray[Any]: ...

class Selecting:
    def get_support(self, indices: Any = False) -> NDArray[Any]: ...
    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]: ...

class Targets:
    def fit_transform(self, X: Any, y: Any = None) -> Any: ...
    def transform(self, X: Any, y: Any = None) -> Any: ...

class Tsne:
    def fit_transform(self, X: Any, y: Any = None) -> Any: ...
    def transform(self, X: Any) -> Any: ...

class TwoViews:
    def fit_transform(self, X: Any, y: Any = None) -> Any: ...
    def transform(self, X: Any, y: Any = None) -> Any: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: Any) -> float: ...
    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]: ...

class Umap:
    def fit(self, X: Any, y: Any = None) -> Self: ...
    def fit_transform(self, X: Any, y: Any = None) -> Any: ...
    def update(self, X: Any) -> Any: ...
    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]: ...

class Autoencoder(Inverse, RowErrors, Estimator):
    def __init__(
        self,
        n_components: int = 2,
        *,
        hidden: Sequence[int] = ...,
        activation: Literal["tanh", "relu", "gelu", "linear"] = "gelu",
        noise: Literal["none", "gaussian", "masking"] = "none",
        noise_level: float = 0.2,
        contraction: float = 0.0,
        validation_share: float = 0.1,
        patience: int = 20,
        n_epochs: int = 100,
        batch_size: int = 128,
        learning_rate: float = 0.003,
        schedule: Literal["cosine", "constant"] = "cosine",
        weight_decay: float = 0.0,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class CCA(TwoViews, Estimator):
    def __init__(
        self,
        n_components: int | Literal["auto", "all"] = 2,
        *,
        ridge: Sequence[float] = ...,
        scale: bool = True,
        rank_tol: float = 0.0,
        max_iter: Any = 500,
        tol: Any = 1e-06,
        copy: Any = True,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class ClassicalMDS(Estimator):
    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["cityblock", "l1", "l2", "precomputed"] = "euclidean",
        p: float = 2.0,
        image_width: int | None = None,
        landmarks: int | Literal["auto", "all"] = "auto",
        landmark_choice: Literal["random", "maxmin"] = "random",
        additive: bool = False,
        tol: float = 1e-10,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        metric_params: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class DiffusionMap(Graphed, Estimator):
    def __init__(
        self,
        n_components: int = 2,
        *,
        alpha: float = 1.0,
        time: float = 1.0,
        bandwidth: float | Literal["median", "self_tuned"] = "median",
        full: bool = False,
        n_neighbors: int = 20,
        radius: float | None = None,
        mutual: bool = False,
        disconnected: Literal["join", "largest", "error"] = "join",
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["cityblock", "l1", "l2", "precomputed"] = "euclidean",
        p: float = 2.0,
        image_width: int | None = None,
        search: Literal["auto", "exact", "tree", "approximate"] = "auto",
        recall: float = 0.98,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

DiffusionMaps = DiffusionMap

class FactorAnalysis(Inverse, Likelihood, Sampling, Estimator):
    def __init__(
        self,
        n_components: int | None = None,
        *,
        svd_method: Literal["auto", "exact", "randomized"] | Literal["lapack"] = "auto",
        rotation: Literal["none", "varimax", "quartimax", "promax"] | None = "none",
        kaiser: bool = False,
        power: float = 4.0,
        scale: bool = False,
        noise_variance_init: float | Literal["regression"] | None = "regression",
        noise_floor: float = 0.0001,
        tol: float = 1e-09,
        max_iter: int = 1000,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        copy: Any = True,
        iterated_power: Any = 3,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class FastICA(Inverse, Estimator):
    def __init__(
        self,
        n_components: int | None = None,
        *,
        algorithm: Literal["parallel", "deflation"] = "parallel",
        fun: Literal["logcosh", "exp", "cube"] = "logcosh",
        alpha: float = 1.0,
        whiten: Literal["unit_variance", "arbitrary_variance", "none"] | Literal[False] = "unit_variance",
        tol: float = 0.0001,
        max_iter: int = 200,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        whiten_solver: Any = "svd",
        fun_args: Any = None,
        w_init: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class GaussianRandomProjection(Inverse, Estimator):
    def __init__(
        self,
        n_components: int | Literal["auto", "johnson_lindenstrauss"] | Literal["auto"] = "auto",
        *,
        eps: float = 0.1,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        compute_inverse_components: Any = False,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class HessianLLE(Graphed, Estimator):
    def __init__(
        self,
        n_components: int = 2,
        *,
        hessian_tol: float = 1e-07,
        n_neighbors: int = 12,
        radius: float | None = None,
        mutual: bool = False,
        disconnected: Literal["join", "largest", "error"] = "join",
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["cityblock", "l1", "l2", "precomputed"] = "euclidean",
        p: float = 2.0,
        image_width: int | None = None,
        search: Literal["auto", "exact", "tree", "approximate"] = "auto",
        recall: float = 0.98,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class IncrementalPCA(Partial, Inverse, RowErrors, Likelihood, Estimator):
    def __init__(
        self,
        n_components: int | float | Literal["elbow", "parallel", "mle"] | None = None,
        *,
        batch_size: int | None = 4096,
        whiten: bool = False,
        population: bool = False,
        repetitions: int = 200,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        copy: Any = True,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class Isomap(Graphed, Estimator):
    def __init__(
        self,
        *,
        n_components: int = 2,
        n_neighbors: int = 10,
        radius: float | None = None,
        mutual: bool = False,
        disconnected: Literal["join", "largest", "error"] = "join",
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["cityblock", "l1", "l2", "precomputed"] = "minkowski",
        p: float = 2.0,
        image_width: int | None = None,
        neighbors_algorithm: Literal["auto", "exact", "tree", "approximate"] | Literal["brute", "kd_tree", "ball_tree"] = "auto",
        recall: float = 0.98,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        landmarks: int | Literal["auto", "all"] = "auto",
        landmark_choice: Literal["random", "maxmin"] = "random",
        alpha: float | Literal["none", "auto"] = "none",
        placement: Literal["geodesic", "interpolation"] = "geodesic",
        tol: float = 1e-10,
        eigen_solver: Any = "auto",
        max_iter: Any = None,
        path_method: Any = "auto",
        metric_params: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class KMeans(Clustering, Estimator):
    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Literal["k_means_plus_plus", "random"] | Literal["k-means++"] = "k-means++",
        n_init: int | Literal["auto"] = 10,
        max_iter: int = 300,
        tol: float = 0.0001,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        copy_x: Any = True,
        algorithm: Any = "lloyd",
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class KarhunenLoeve(Inverse, Estimator):
    def __init__(
        self,
        n_components: int | float | Literal["elbow"] = 2,
        *,
        priors: Sequence[float] | Literal["data", "equal"] | None = "data",
        population: bool = False,
        whiten: bool = False,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class KernelLDA(Predicting, Estimator):
    def __init__(
        self,
        n_components: int | Literal["auto", "all"] | None = None,
        *,
        kernel: Literal["linear", "polynomial", "rbf", "laplacian", "sigmoid", "cosine"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["poly", "precomputed"] = "rbf",
        gamma: float | Literal["auto", "columns", "validated"] | None = "auto",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        regularization: float = 0.001,
        priors: Sequence[float] | Literal["data", "equal"] | None = "data",
        dictionary: int | Literal["auto", "all"] = "auto",
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class KernelPCA(Inverse, RowErrors, Estimator):
    def __init__(
        self,
        n_components: int | Literal["auto", "all"] | None = None,
        *,
        kernel: Literal["linear", "polynomial", "rbf", "laplacian", "sigmoid", "cosine"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["poly", "precomputed"] = "linear",
        gamma: float | Literal["auto", "columns", "validated"] | None = None,
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        dictionary: int | Literal["auto", "all"] = "auto",
        dictionary_choice: Literal["random", "k_means", "leverage"] = "random",
        fit_inverse_transform: Literal["auto", "fixed_point", "ridge", "none"] | Literal[True, False] = "auto",
        alpha: float = 1.0,
        tol: float = 1e-10,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        eigen_solver: Any = "auto",
        max_iter: Any = None,
        iterated_power: Any = "auto",
        remove_zero_eig: Any = False,
        copy_X: Any = True,
        kernel_params: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class LPP(Graphed, Estimator):
    def __init__(
        self,
        n_components: int = 2,
        *,
        variance: float = 1.0,
        centering: Literal["mean", "degrees", "none"] = "mean",
        supervised: bool = False,
        weights: Literal["binary", "heat"] = "binary",
        bandwidth: float | Literal["median", "self_tuned"] = "median",
        n_neighbors: int = 10,
        radius: float | None = None,
        mutual: bool = False,
        disconnected: Literal["join", "largest", "error"] = "join",
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent"] | Literal["cityblock", "l1", "l2", "precomputed"] = "euclidean",
        p: float = 2.0,
        image_width: int | None = None,
        search: Literal["auto", "exact", "tree", "approximate"] = "auto",
        recall: float = 0.98,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class LTSA(Graphed, Estimator):
    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 12,
        radius: float | None = None,
        mutual: bool = False,
        disconnected: Literal["join", "largest", "error"] = "join",
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["cityblock", "l1", "l2", "precomputed"] = "euclidean",
        p: float = 2.0,
        image_width: int | None = None,
        search: Literal["auto", "exact", "tree", "approximate"] = "auto",
        recall: float = 0.98,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class LinearDiscriminantAnalysis(Predicting, Estimator):
    def __init__(
        self,
        solver: Literal["auto", "eigen", "svd"] | Literal["lsqr"] = "auto",
        shrinkage: float | Literal["none", "auto"] | None = "none",
        priors: Sequence[float] | Literal["data", "equal"] | None = "data",
        n_components: int | Literal["auto", "all"] | None = None,
        *,
        singular: Literal["pca", "pseudo_inverse", "error"] = "pca",
        pooling: Literal["auto", "rows", "priors"] = "auto",
        centre: Literal["grand", "classes"] = "grand",
        orthogonal: bool = False,
        population: bool = True,
        tol: float = 0.0001,
        store_covariance: Any = False,
        covariance_estimator: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

LDA = LinearDiscriminantAnalysis

class LocallyLinearEmbedding(Graphed, Estimator):
    def __init__(
        self,
        *,
        n_components: int = 2,
        reg: float = 0.001,
        unit_covariance: bool = False,
        n_neighbors: int = 12,
        radius: float | None = None,
        mutual: bool = False,
        disconnected: Literal["join", "largest", "error"] = "join",
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["cityblock", "l1", "l2", "precomputed"] = "euclidean",
        p: float = 2.0,
        image_width: int | None = None,
        neighbors_algorithm: Literal["auto", "exact", "tree", "approximate"] | Literal["brute", "kd_tree", "ball_tree"] = "auto",
        recall: float = 0.98,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        method: Literal["standard", "modified", "hessian", "ltsa"] = "standard",
        eigen_solver: Any = "auto",
        tol: Any = 1e-06,
        max_iter: Any = 100,
        hessian_tol: Any = 0.0001,
        modified_tol: Any = 1e-12,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

LLE = LocallyLinearEmbedding

class MDS(Estimator):
    def __init__(
        self,
        n_components: int = 2,
        *,
        metric_mds: bool = True,
        ties: Literal["primary", "secondary"] = "secondary",
        init: Literal["classical", "random"] | Literal["classical_mds"] = "classical",
        n_init: int = 1,
        steps: Literal["majorization", "quasi_newton"] = "quasi_newton",
        max_iter: int = 500,
        eps: float = 1e-11,
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["cityblock", "l1", "l2", "precomputed"] = "euclidean",
        p: float = 2.0,
        image_width: int | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        normalized_stress: Any = "auto",
        dissimilarity: Any = "deprecated",
        metric_params: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class ModifiedLLE(Graphed, Estimator):
    def __init__(
        self,
        n_components: int = 2,
        *,
        reg: float = 0.001,
        modified_tol: float = 1e-12,
        n_neighbors: int = 12,
        radius: float | None = None,
        mutual: bool = False,
        disconnected: Literal["join", "largest", "error"] = "join",
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["cityblock", "l1", "l2", "precomputed"] = "euclidean",
        p: float = 2.0,
        image_width: int | None = None,
        search: Literal["auto", "exact", "tree", "approximate"] = "auto",
        recall: float = 0.98,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class MultiviewCCA(ManyViews, Estimator):
    def __init__(
        self,
        n_components: int | Literal["auto", "all"] = "auto",
        *,
        ridge: Sequence[float] = ...,
        scale: bool = True,
        rank_tol: float = 0.0,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class NMF(Inverse, Estimator):
    def __init__(
        self,
        n_components: int | Literal["auto"] = "auto",
        *,
        beta_loss: Literal["frobenius", "kullback_leibler"] = "frobenius",
        solver: Literal["auto", "coordinate_descent", "multiplicative"] | Literal["cd", "mu"] = "auto",
        init: Literal["auto", "nndsvd", "nndsvda", "nndsvdar", "random"] | None = "auto",
        tol: float = 0.0001,
        max_iter: int = 200,
        sweeps: int = 2,
        alpha_W: float = 0.0,
        alpha_H: float | None | Literal["same"] = None,
        l1_ratio: float = 0.0,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        shuffle: Any = False,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class NPE(Graphed, Estimator):
    def __init__(
        self,
        n_components: int = 2,
        *,
        variance: float = 1.0,
        center: bool = True,
        reg: float = 0.001,
        n_neighbors: int = 10,
        radius: float | None = None,
        mutual: bool = False,
        disconnected: Literal["join", "largest", "error"] = "join",
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent"] | Literal["cityblock", "l1", "l2", "precomputed"] = "euclidean",
        p: float = 2.0,
        image_width: int | None = None,
        search: Literal["auto", "exact", "tree", "approximate"] = "auto",
        recall: float = 0.98,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class PCA(Inverse, RowErrors, Likelihood, Sampling, Estimator):
    def __init__(
        self,
        n_components: int | float | Literal["elbow", "parallel", "mle"] | None = None,
        *,
        svd_solver: Literal["auto", "covariance", "dual", "svd", "randomized"] | Literal["full", "covariance_eigh", "arpack"] = "auto",
        scale: bool = False,
        whiten: bool = False,
        population: bool = False,
        missing: Literal["error", "em"] = "error",
        trim: float = 0.0,
        tol: float = 1e-07,
        max_iterations: int = 1000,
        repetitions: int = 200,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        copy: Any = True,
        iterated_power: Any = "auto",
        n_oversamples: Any = 10,
        power_iteration_normalizer: Any = "auto",
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class PLSCanonical(Targets, Inverse, Estimator):
    def __init__(
        self,
        n_components: int | Literal["auto", "all"] = 2,
        *,
        scale: bool = True,
        max_iter: Any = 500,
        tol: Any = 1e-06,
        copy: Any = True,
        algorithm: Any = "nipals",
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class PLSRegression(Targets, Inverse, Estimator):
    def __init__(
        self,
        n_components: int | Literal["auto", "all"] = 2,
        *,
        scale: bool = True,
        max_iter: Any = 500,
        tol: Any = 1e-06,
        copy: Any = True,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class PaCMAP(Pacmap, Estimator):
    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: int | Literal["auto"] | None = 10,
        MN_ratio: float = 0.5,
        FP_ratio: float = 2.0,
        *,
        reduced_columns: int = 100,
        first_phase: int = 100,
        second_phase: int = 100,
        third_phase: int = 250,
        lr: float = 1.0,
        init: Literal["pca", "random"] = "pca",
        distance: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent", "inner_product"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["angular", "cityblock", "l1", "l2", "precomputed"] = "euclidean",
        p: float = 2.0,
        image_width: int | None = None,
        search: Literal["auto", "exact", "tree", "approximate"] = "auto",
        recall: float = 0.98,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        apply_pca: Any = True,
        num_iters: Any = None,
        pair_neighbors: Any = None,
        pair_MN: Any = None,
        pair_FP: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class ParametricSammon(Estimator):
    def __init__(
        self,
        n_components: int = 2,
        *,
        map: Literal["network", "linear"] = "network",
        hidden: Sequence[int] = ...,
        activation: Literal["tanh", "relu", "gelu", "linear"] = "gelu",
        weighting: Literal["sammon", "relative", "uniform"] = "sammon",
        n_epochs: int = 50,
        batch_size: int = 256,
        learning_rate: float = 0.01,
        schedule: Literal["cosine", "constant"] = "cosine",
        weight_decay: float = 0.0,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent"] | Literal["cityblock", "l1", "l2", "precomputed"] = "euclidean",
        p: float = 2.0,
        image_width: int | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class SOM(Predicting, Inverse, RowErrors, Estimator):
    def __init__(
        self,
        width: int | None = None,
        height: int | None = None,
        *,
        grid: Literal["rectangular", "hexagonal"] = "rectangular",
        toroidal: bool = False,
        learning: Literal["batch", "online"] = "batch",
        n_epochs: int = 50,
        init: Literal["pca", "random"] = "pca",
        neighborhood: Literal["gaussian", "bubble"] = "gaussian",
        radius: float | None = None,
        end_radius: float = 0.5,
        radius_schedule: Literal["exponential", "linear", "inverse"] = "exponential",
        learning_rate: float = 0.5,
        end_learning_rate: float = 0.01,
        rate_schedule: Literal["exponential", "linear", "inverse"] = "linear",
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class Sammon(Estimator):
    def __init__(
        self,
        n_components: int = 2,
        *,
        weighting: Literal["sammon", "relative"] = "sammon",
        init: Literal["classical", "random"] = "classical",
        steps: Literal["newton", "quasi_newton"] = "quasi_newton",
        magic_factor: float = 0.3,
        max_iter: int = 500,
        tol: float = 1e-11,
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["cityblock", "l1", "l2", "precomputed"] = "euclidean",
        p: float = 2.0,
        image_width: int | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class SequentialFeatureSelector(Selecting, Inverse, Estimator):
    def __init__(
        self,
        estimator: Any = "k_nearest",
        *,
        n_features_to_select: int | float | Literal["auto", "best", "half"] | Literal["auto"] = "auto",
        direction: Literal["forward", "backward", "floating_forward", "floating_backward", "plus_minus", "exhaustive"] = "forward",
        tol: float | None = None,
        plus: int = 2,
        minus: int = 1,
        scoring: Literal["auto", "accuracy", "balanced_accuracy", "log_loss", "r_squared", "mean_squared_error", "mean_absolute_error"] | Literal["r2", "neg_mean_squared_error", "neg_mean_absolute_error", "neg_log_loss"] | None = "auto",
        target: Literal["auto", "classes", "numbers"] = "auto",
        n_neighbors: int = 5,
        penalty: float = 1.0,
        cv: int | float = 5,
        n_repeats: int = 1,
        stratify: bool = True,
        shuffle: bool = True,
        separator: str | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class SparsePCA(Inverse, Estimator):
    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float = 1.0,
        ridge_alpha: float = 0.01,
        tol: float = 1e-08,
        max_iter: int = 1000,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        method: Any = "lars",
        U_init: Any = None,
        V_init: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class SparseRandomProjection(Inverse, Estimator):
    def __init__(
        self,
        n_components: int | Literal["auto", "johnson_lindenstrauss"] | Literal["auto"] = "auto",
        *,
        eps: float = 0.1,
        density: float | Literal["auto", "achlioptas"] = "auto",
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        compute_inverse_components: Any = False,
        dense_output: Any = False,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class SpectralClustering(Clustering, Estimator):
    def __init__(
        self,
        n_clusters: int | Literal["auto"] = "auto",
        *,
        unit_rows: bool = False,
        n_init: int = 10,
        affinity: Literal["binary", "heat"] | Literal["nearest_neighbors"] = "binary",
        bandwidth: float | Literal["median", "self_tuned"] = "median",
        n_neighbors: int = 10,
        radius: float | None = None,
        mutual: bool = False,
        disconnected: Literal["join", "largest", "error"] = "join",
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["cityblock", "l1", "l2", "precomputed"] = "euclidean",
        p: float = 2.0,
        image_width: int | None = None,
        search: Literal["auto", "exact", "tree", "approximate"] = "auto",
        recall: float = 0.98,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        eigen_solver: Any = None,
        eigen_tol: Any = "auto",
        gamma: Any = None,
        assign_labels: Any = "kmeans",
        degree: Any = None,
        coef0: Any = None,
        kernel_params: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class SpectralEmbedding(Graphed, Estimator):
    def __init__(
        self,
        n_components: int = 2,
        *,
        normalization: Literal["unnormalized", "normalized", "random_walk"] = "normalized",
        affinity: Literal["binary", "heat"] | Literal["nearest_neighbors"] = "binary",
        bandwidth: float | Literal["median", "self_tuned"] = "median",
        n_neighbors: int | None = 10,
        radius: float | None = None,
        mutual: bool = False,
        disconnected: Literal["join", "largest", "error"] = "join",
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["cityblock", "l1", "l2", "precomputed"] = "euclidean",
        p: float = 2.0,
        image_width: int | None = None,
        search: Literal["auto", "exact", "tree", "approximate"] = "auto",
        recall: float = 0.98,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        eigen_solver: Any = None,
        eigen_tol: Any = "auto",
        gamma: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

LaplacianEigenmaps = SpectralEmbedding

class TSNE(Tsne, Continued, Estimator):
    def __init__(
        self,
        n_components: int = 2,
        *,
        perplexity: float = 30.0,
        perplexities: Sequence[float] = ...,
        affinity: Literal["perplexity", "uniform", "precomputed"] = "perplexity",
        early_exaggeration: float = 12.0,
        early_exaggeration_iter: int = 250,
        exaggeration: float = 1.0,
        max_iter: int = 1000,
        learning_rate: float | None | Literal["auto"] = "auto",
        momentum: float = 0.8,
        max_step: float = 5.0,
        method: Literal["auto", "exact", "tree", "grid"] | Literal["barnes_hut", "fft"] = "auto",
        angle: float = 0.5,
        dof: float = 1.0,
        init: Literal["pca", "spectral", "random"] = "pca",
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent", "inner_product"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["cityblock", "l1", "l2", "precomputed"] = "euclidean",
        p: float = 2.0,
        image_width: int | None = None,
        search: Literal["auto", "exact", "tree", "approximate"] = "auto",
        recall: float = 0.98,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_iter_without_progress: Any = 300,
        min_grad_norm: Any = 1e-07,
        metric_params: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class TruncatedSVD(Inverse, Estimator):
    def __init__(
        self,
        n_components: int = 2,
        *,
        algorithm: Literal["auto", "covariance", "dual", "svd", "randomized"] | Literal["arpack"] = "auto",
        tol: float = 1e-07,
        max_iterations: int = 1000,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_iter: Any = 5,
        n_oversamples: Any = 10,
        power_iteration_normalizer: Any = "auto",
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class UMAP(Umap, Inverse, Graphed, Estimator):
    def __init__(
        self,
        n_neighbors: int = 15,
        n_components: int = 2,
        metric: Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "hamming", "jaccard", "mahalanobis", "seuclidean", "canberra", "braycurtis", "haversine", "hellinger", "ll_dirichlet", "matching", "dice", "kulsinski", "rogerstanimoto", "sokalmichener", "sokalsneath", "russellrao", "yule", "tangent", "inner_product"] | Callable[[NDArray[np.float64], NDArray[np.float64]], float] | Literal["cityblock", "l1", "l2", "precomputed"] = "euclidean",
        metric_kwds: Any = None,
        output_metric: Any = "euclidean",
        output_metric_kwds: Any = None,
        n_epochs: int | None = None,
        learning_rate: float = 1.0,
        init: Literal["spectral", "pca", "random"] | Literal["tswspectral"] = "spectral",
        min_dist: float = 0.1,
        spread: float = 1.0,
        low_memory: Any = True,
        n_jobs: int | None = None,
        set_op_mix_ratio: float = 1.0,
        local_connectivity: float = 1.0,
        repulsion_strength: float = 1.0,
        negative_sample_rate: int = 5,
        transform_queue_size: Any = 4.0,
        a: float | None = None,
        b: float | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        angular_rp_forest: Any = False,
        target_n_neighbors: int | None | Literal[-1] = -1,
        target_metric: Literal["auto", "classes", "numbers", "ordinal", "count", "text"] | Literal["categorical", "euclidean", "l2", "l1", "manhattan", "string"] = "auto",
        target_metric_kwds: Any = None,
        target_weight: float = 0.5,
        transform_seed: Any = 42,
        transform_mode: Any = "embedding",
        force_approximation_algorithm: Any = False,
        verbose: bool | int = False,
        tqdm_kwds: Any = None,
        unique: Any = False,
        densmap: bool = False,
        dens_lambda: float = 2.0,
        dens_frac: float = 0.3,
        dens_var_shift: float = 0.1,
        output_dens: Any = False,
        disconnection_distance: float | None = None,
        precomputed_knn: Any = ...,
        *,
        supervised: bool | None = None,
        parametric: bool = False,
        hidden: Sequence[int] = ...,
        training_epochs: int | None = None,
        batch_edges: int = 256,
        training_rate: float = 0.003,
        weight_decay: float = 0.3,
        input_noise: float = 0.5,
        p: float = 2.0,
        image_width: int | None = None,
        search: Literal["auto", "exact", "tree", "approximate"] = "auto",
        recall: float = 0.98,
        callback: Callable[[int, float | None, NDArray[np.float64] | None], object] | None = None,
        memory_limit: int | str | None = None,
    ) -> None: ...

class Aligned:
    estimator: Any
    embeddings_: list[NDArray[Any]]
    mappers_: list[Any]
    dict_relations_: list[dict[int, int]]
    n_models_: int
    def __init__(self, estimator: Any, *, alignment_regularisation: Any = 0.01, alignment_window_size: Any = 3) -> Any: ...
    def get_params(self, deep: Any = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def fit(self, X: Any, y: Any = None, *, relations: Any = None) -> Self: ...
    def fit_transform(self, X: Any, y: Any = None, *, relations: Any = None) -> Any: ...
    def update(self, X: Any, y: Any = None, *, relations: Any = None, **params: Any) -> Any: ...

class AlignedUMAP(Aligned):
    def __init__(self, *args: Any, alignment_regularisation: float = 0.01, alignment_window_size: int = 3, **params: Any) -> None: ...

class AlignedTSNE(Aligned):
    def __init__(self, *args: Any, alignment_regularisation: float = 0.01, alignment_window_size: int = 3, **params: Any) -> None: ...

class AlignedPaCMAP(Aligned):
    def __init__(self, *args: Any, alignment_regularisation: float = 0.01, alignment_window_size: int = 3, **params: Any) -> None: ...

def advise(X: Any, y: Any = None, *, metric: str | Callable[[NDArray[np.float64], NDArray[np.float64]], float] = "euclidean", images: Any = False, n_jobs: int | None = None) -> Advice: ...

def continuity(X: Any, X_embedded: Any, *, n_neighbors: Any = 5, metric: str | Callable[[NDArray[np.float64], NDArray[np.float64]], float] = "euclidean", n_jobs: int | None = None) -> float: ...

def data_set(name: str) -> tuple[NDArray[Any], NDArray[Any] | None]: ...

def intrinsic_dimension(X: Any, *, n_neighbors: Any = ..., metric: str | Callable[[NDArray[np.float64], NDArray[np.float64]], float] = "euclidean", n_jobs: int | None = None) -> dict[str, float]: ...

def load(path: str | PathLike[str]) -> Estimator: ...

def nearest_neighbors(X: Any, n_neighbors: Any = 15, *, metric: str | Callable[[NDArray[np.float64], NDArray[np.float64]], float] = "euclidean", p: Any = 2.0, search: Any = "auto", recall: Any = 0.98, random_state: int | np.random.RandomState | np.random.Generator | None = None, n_jobs: int | None = None) -> tuple[NDArray[np.int64], NDArray[Any]]: ...

def quality_report(X: Any, X_embedded: Any, *, labels: Any = None, n_neighbors: Any = None, metric: str | Callable[[NDArray[np.float64], NDArray[np.float64]], float] = "euclidean", p: Any = 2.0, image_width: Any = None, sample: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, n_jobs: int | None = None) -> QualityReport: ...

def trustworthiness(X: Any, X_embedded: Any, *, n_neighbors: Any = 5, metric: str | Callable[[NDArray[np.float64], NDArray[np.float64]], float] = "euclidean", n_jobs: int | None = None) -> float: ...

def digits() -> tuple[NDArray[Any], NDArray[Any]]: ...

def iris() -> tuple[NDArray[Any], NDArray[Any]]: ...

def wine() -> tuple[NDArray[Any], NDArray[Any]]: ...

def breast_cancer() -> tuple[NDArray[Any], NDArray[Any]]: ...

def diabetes() -> tuple[NDArray[Any], NDArray[Any]]: ...

def linnerud() -> tuple[NDArray[Any], NDArray[Any]]: ...

def eurodist() -> tuple[NDArray[Any], NDArray[Any]]: ...

def europe() -> tuple[NDArray[Any], NDArray[Any]]: ...

def line(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def curve(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def ring(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def square(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def gaussian_pair(n_samples: Any = 1800, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def swiss_roll(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def s_curve(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def sphere(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def severed_sphere(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def two_spheres(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def concentric_spheres(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def circles(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def moons(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def blobs(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def bars(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def moved_face(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def head(n_samples: Any = 698, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def head_pose(n_samples: Any = 698, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def signals(n_samples: Any = 1000, *, noise: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...

def locally_linear_embedding(X: Any, **parameters: Any) -> tuple[NDArray[Any], float]: ...

def compare(X: Any, maps: Any, *, labels: Any = None, n_neighbors: Any = None, metric: str | Callable[[NDArray[np.float64], NDArray[np.float64]], float] = "euclidean", random_state: int | np.random.RandomState | np.random.Generator | None = None, n_jobs: int | None = None) -> Comparison: ...

def dimension(X: Any, *, n_neighbors: Any = ..., local_neighbors: Any = 50, discard: Any = 0.1, metric: str | Callable[[NDArray[np.float64], NDArray[np.float64]], float] = "euclidean", p: Any = 2.0, random_state: int | np.random.RandomState | np.random.Generator | None = None, n_jobs: int | None = None) -> Dimension: ...

def explain(name: str, section: Any = None) -> Explanation: ...

def explain_table(section: Any = "Objective") -> ExplanationTable: ...

def image_grid(rows_of_images: Any, titles: Any = None, *, image_shape: Any = None, ink: Any = "auto", value_range: Any = None, title: Any = "", width: Any = 1200) -> Plot: ...

def plot(layout: Any, labels: Any = None, *, axes: Any = None, edges: Any = None, path: str | PathLike[str] = None, X: Any = None, glyphs: Any = False, title: Any = None, label_title: Any = "", names: Any = None, label_points: Any = False, class_names: Any = False, palette: Any = "safe", point_size: Any = 1.0, size: Any = None, dpi: Any = None, ax: Any = None) -> Any: ...

def plot_biplot(estimator: Any, labels: Any = None, *, feature_names: Any = None, title: Any = None, label_title: Any = "", names: Any = None, label_points: Any = False, palette: Any = "safe", size: Any = None) -> Plot: ...

def plot_components(estimator: Any, image_shape: Any = None, *, color: Any = None, mean: Any = True, ink: Any = "auto", title: Any = None, size: Any = None) -> Plot: ...

def plot_images(layout: Any, images: Any, labels: Any = None, *, image_shape: Any = None, ink: Any = "auto", axes: Any = None, title: Any = None, label_title: Any = "", names: Any = None, label_points: Any = False, palette: Any = "safe", size: Any = None, dpi: Any = None) -> Plot: ...

def plot_input(estimator: Any, X: Any, labels: Any = None, *, axes: Any = None, contours: Any = None, edges: Any = None, path: str | PathLike[str] = None, title: Any = None, label_title: Any = "", names: Any = None, label_points: Any = False, class_names: Any = False, glyphs: Any = False, palette: Any = "safe", point_size: Any = 1.0, size: Any = None, dpi: Any = None) -> Plot: ...

def plot_loadings(estimator: Any, feature_names: Any = None, *, title: Any = None, size: Any = None) -> Plot: ...

def plot_model(estimator: Any, name: str = None, *, title: Any = None, size: Any = None) -> Plot: ...

def plot_pairs(layout: Any, labels: Any = None, *, axes: Any = None, title: Any = None, label_title: Any = "", palette: Any = "safe", point_size: Any = 1.0, size: Any = None, dpi: Any = None) -> Plot: ...

def plot_scree(estimator: Any, *, title: Any = None, size: Any = None) -> Plot: ...

def scree(X: Any, *, standardize: Any = False, repetitions: Any = None, random_state: int | np.random.RandomState | np.random.Generator | None = None, n_jobs: int | None = None) -> Scree: ...
