"""Reference numbers of locally linear embedding and its kin: scikit-learn's standard, modified and tangent-space forms, and the Hessian
form computed here after Donoho and Grimes (2003).

Writes `lle_<data set>.json`, `modified_lle_<data set>.json`, `ltsa_<data set>.json`, `hessian_lle_<data set>.json`. scikit-learn's own
`method="hessian"` is kept only as a comparison: it takes all columns of a full QR decomposition and so computes the tangent-space form.
"""

import numpy as np
from scipy.linalg import eigh, qr, subspace_angles, svd
from scipy.sparse import csc_array
from scipy.sparse.linalg import eigsh
from sklearn.manifold import LocallyLinearEmbedding, _locally_linear

from support import clouds, command, neighbors, versions, writing

N_NEIGHBORS = 12
N_COMPONENTS = 2
N_EIGENVALUES = 6
METHODS = {"lle": "standard", "modified_lle": "modified", "ltsa": "ltsa"}
DATA_SETS = ("swiss_roll", "s_curve", "severed_sphere", "digits")


def wave(count):
    """A fixed vector, sin 1, sin 2, …: its product with a matrix is a mark of all entries."""
    return np.sin(np.arange(1.0, count + 1))


def marks(matrix, rows):
    """Numbers by which a test knows the matrix before any eigenvector is taken."""
    return {
        "trace": np.trace(matrix),
        "sum_of_squares": np.square(matrix).sum(),
        "rows": rows,
        "diagonal": matrix[rows, rows],
        "product_with_wave": (matrix @ wave(len(matrix)))[rows],
    }


def bottom(matrix):
    """The smallest eigenvalues, the constant's among them, and the eigenvectors after the first."""
    values, vectors = eigh(matrix, subset_by_index=(0, N_EIGENVALUES - 1))
    return values, vectors[:, 1 : N_COMPONENTS + 1]


def bottom_by_arpack(matrix):
    """The same eigenvectors by another solver, shifted a little below zero."""
    values, vectors = eigsh(csc_array(matrix), N_EIGENVALUES, sigma=-1e-9, which="LM", tol=0.0, v0=wave(len(matrix)))
    return vectors[:, np.argsort(values)[1 : N_COMPONENTS + 1]]


def fitted(method, rows):
    """A fit of scikit-learn with ordered neighbours, and the matrix whose bottom eigenvectors it takes."""
    seen, original = [], _locally_linear.null_space

    def spy(matrix, *arguments, **named):
        seen.append(matrix.copy())
        return original(matrix, *arguments, **named)

    model = LocallyLinearEmbedding(
        n_neighbors=N_NEIGHBORS,
        n_components=N_COMPONENTS,
        reg=1e-3,
        method=method,
        eigen_solver="dense",
    )
    _locally_linear.null_space = spy
    try:
        with neighbors.ordered(_locally_linear):
            model.fit(rows)
    finally:
        _locally_linear.null_space = original
    return model, seen[0]


def hessian_form(rows, order):
    """The sum of all neighbourhoods' Hessian forms: for each, the orthonormal columns of [1, U, products of U] after the first 1 + d."""
    first = 1 + N_COMPONENTS
    matrix = np.zeros((len(rows), len(rows)))
    for places in order:
        around = rows[places] - rows[places].mean(axis=0)
        tangent = svd(around, full_matrices=False)[0][:, :N_COMPONENTS]
        products = [tangent[:, a] * tangent[:, b] for a in range(N_COMPONENTS) for b in range(a, N_COMPONENTS)]
        design = np.column_stack([np.ones(len(places)), tangent, *products])
        hessian = qr(design, mode="economic")[0][:, first:].T
        matrix[np.ix_(places, places)] += hessian.T @ hessian
    return matrix


def tangent_form(rows, order):
    """The sum of all neighbourhoods' tangent-space forms: the identity less the projection on [1, U]."""
    matrix = np.zeros((len(rows), len(rows)))
    for places in order:
        around = rows[places] - rows[places].mean(axis=0)
        tangent = svd(around, full_matrices=False)[0][:, :N_COMPONENTS]
        linear = np.column_stack([np.full(len(places), len(places) ** -0.5), tangent])
        matrix[np.ix_(places, places)] += np.eye(len(places)) - linear @ linear.T
    return matrix


def hessian_form_by_projections(rows, order):
    """The same by another road: the projection on the quadratics less that on the linear functions, by pseudo-inverses."""
    matrix = np.zeros((len(rows), len(rows)))
    for places in order:
        around = rows[places] - rows[places].mean(axis=0)
        values, vectors = eigh(around @ around.T)
        tangent = vectors[:, np.argsort(values)[::-1][:N_COMPONENTS]]
        linear = np.column_stack([np.ones(len(places)), tangent])
        squares = [linear[:, a] * linear[:, b] for a in range(1 + N_COMPONENTS) for b in range(a, 1 + N_COMPONENTS)]
        quadratic = np.column_stack(squares)
        matrix[np.ix_(places, places)] += quadratic @ np.linalg.pinv(quadratic) - linear @ np.linalg.pinv(linear)
    return matrix


def angle(one, other):
    """The largest angle between two column spaces, in radians."""
    return subspace_angles(one, other).max()


def document(name, rows, description, record):
    """What the files of all four methods begin with."""
    return {
        "reference": record,
        "data": description,
        "n_neighbors": N_NEIGHBORS,
        "n_components": N_COMPONENTS,
        "n_rows_with_tied_last_neighbor": neighbors.ties(rows, N_NEIGHBORS),
    }


def held_out_record(method, rows):
    """Rows held out, placed by scikit-learn's barycentric weights."""
    inside, outside = clouds.split(rows)
    model, matrix = fitted(method, rows[inside])
    return {
        "rule": "every row whose index leaves 4 when divided by 5 is held out",
        "eigenvalues": bottom(matrix)[0],
        "reconstruction_error": model.reconstruction_error_,
        "transform": clouds.significant(model.transform(rows[outside])),
    }


def spectrum_record(matrix):
    """The bottom of a matrix's spectrum; no embedding where the eigenvectors are not determined."""
    values, vectors = bottom(matrix)
    record = {
        "matrix": marks(matrix, [0, 1, 100, len(matrix) - 1]),
        "n_zero_rows": int((~matrix.any(axis=1)).sum()),
        "eigenvalues": values,
        "reconstruction_error": values[1 : N_COMPONENTS + 1].sum(),
    }
    if values[1] > 1e-12 * values.max():
        record["angle_to_arpack"] = angle(vectors, bottom_by_arpack(matrix))
        record["embedding"] = clouds.significant(vectors)
    return record


def including_self(rows, form):
    """The same form with each point in its own neighbourhood, computed here."""
    order = neighbors.nearest(rows, rows, N_NEIGHBORS, same=True)[0]
    return spectrum_record(form(rows, np.column_stack([np.arange(len(rows)), order])))


def sklearn_document(topic, name, rows, description):
    """One of the three forms that scikit-learn has."""
    how = f"sklearn.manifold.LocallyLinearEmbedding(method='{METHODS[topic]}', eigen_solver='dense', reg=1e-3), neighbours by (distance, index)"
    model, matrix = fitted(METHODS[topic], rows)
    record = spectrum_record(matrix)
    record["reconstruction_error"] = model.reconstruction_error_
    if "embedding" in record:
        record["embedding"] = clouds.significant(model.embedding_)
        record["held_out"] = held_out_record(METHODS[topic], rows)
    if topic == "ltsa":
        own = tangent_form(rows, neighbors.nearest(rows, rows, N_NEIGHBORS, same=True)[0])
        record["own_matrix_apart"] = np.abs(own - matrix).max()
        record["including_self"] = including_self(rows, tangent_form)
    return {**document(name, rows, description, versions.reference("scikit-learn", how)), **record}


def compared_with_sklearn(rows, vectors):
    """How far scikit-learn's Hessian form is from this one and from its own tangent-space form."""
    theirs, their_matrix = fitted("hessian", rows)
    tangent, tangent_matrix = fitted("ltsa", rows)
    return {
        "sklearn_hessian_to_sklearn_ltsa_matrix": np.abs(their_matrix - tangent_matrix).max(),
        "sklearn_hessian_to_sklearn_ltsa_angle": angle(theirs.embedding_, tangent.embedding_),
        "sklearn_hessian_to_this_angle": angle(theirs.embedding_, vectors),
        "sklearn_hessian_reconstruction_error": theirs.reconstruction_error_,
        "sklearn_ltsa_reconstruction_error": tangent.reconstruction_error_,
    }


def local_normalisation(vectors, places):
    """The paper's last step for one neighbourhood: the matrix that makes the coordinates orthonormal over its points."""
    gram = vectors[places].T @ vectors[places]
    values, axes = eigh(gram)
    return {"neighborhood": places, "gram": gram, "inverse_square_root": axes @ np.diag(values**-0.5) @ axes.T}


def hessian_document(name, rows, description):
    """The Hessian form computed here, and how far scikit-learn's is from it."""
    order = neighbors.nearest(rows, rows, N_NEIGHBORS, same=True)[0]
    matrix = hessian_form(rows, order)
    other = hessian_form_by_projections(rows, order)
    record = spectrum_record(matrix)
    record["by_projections_apart"] = np.abs(matrix - other).max()
    if "embedding" in record:
        vectors = bottom(matrix)[1]
        record["by_projections_angle"] = angle(vectors, bottom(other)[1])
        record["comparison_with_sklearn"] = compared_with_sklearn(rows, vectors)
        record["local_normalisation"] = local_normalisation(vectors, np.append(0, order[0]))
    record["including_self"] = including_self(rows, hessian_form)
    own = versions.own_reference("Hessian eigenmaps after Donoho and Grimes 2003, dense; neighbours by (distance, index)")
    return {**document(name, rows, description, own), **record}


def main():
    """Writes all files of this topic."""
    output = command.parse(__doc__).output
    for name in DATA_SETS:
        rows, description = clouds.rows_of(name)
        for topic in METHODS:
            writing.write(output, f"{topic}_{name}.json", sklearn_document(topic, name, rows, description))
        writing.write(output, f"hessian_lle_{name}.json", hessian_document(name, rows, description))


if __name__ == "__main__":
    main()
