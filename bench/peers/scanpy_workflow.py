"""charta within a workflow of scanpy: neighbours, clusters by `scanpy.tl.leiden`, maps, and new cells on the map of a reference, on PBMC 3k.

``python bench/peers/scanpy_workflow.py PBMC3K.npz``: the file has `X`, a row of principal components for each cell (or counts), and perhaps `y`. Stops with a line that
says so where scanpy, leidenalg or igraph, or the data is missing.
"""

import sys
import time

import numpy as np


def main():
    try:
        import anndata
        import igraph  # noqa: F401
        import scanpy
    except ImportError as error:
        sys.exit(f"{error.name} is not installed: pip install scanpy leidenalg igraph")
    import charta.anndata as cells

    if len(sys.argv) < 2:
        sys.exit("the name of a file with the array X is needed")
    try:
        with np.load(sys.argv[1], allow_pickle=False) as file:
            X = np.asarray(file["X"], dtype=np.float32)
    except (OSError, KeyError) as error:
        sys.exit(f"no data: {error}")
    data = anndata.AnnData(X)
    cells.pca(data, n_components=min(50, X.shape[1] - 1))
    for name, find in (("scanpy", scanpy.pp.neighbors), ("charta", cells.neighbors)):
        find(data, n_neighbors=15)
        start = time.perf_counter()
        find(data, n_neighbors=15)
        seconds = time.perf_counter() - start
        scanpy.tl.leiden(data, flavor="igraph", n_iterations=2, key_added=f"leiden_{name}")
        print(f"{name}: neighbours of {len(X)} cells in {seconds:.2f} s, {len(data.obs[f'leiden_{name}'].cat.categories)} clusters by leiden")
        data.obsp[f"by_{name}"] = data.obsp["connectivities"].copy()
    print(f"largest difference of a connectivity: {abs(data.obsp['by_scanpy'] - data.obsp['by_charta']).max():.4f}")
    cells.umap(data)
    known, new = data[::2].copy(), data[1::2].copy()
    cells.pca(known, n_components=min(50, X.shape[1] - 1))
    cells.umap(known)
    cells.ingest(new, known, obs="leiden_charta")
    same = (new.obs["leiden_charta"].astype(str).to_numpy() == data[1::2].obs["leiden_charta"].astype(str).to_numpy()).mean()
    print(f"ingest: {len(new)} new cells, {same:.1%} with their cluster")


if __name__ == "__main__":
    main()
