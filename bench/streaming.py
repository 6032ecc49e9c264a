"""PCA of a Parquet file more than four times larger than the memory allowed, checked against the truth of its generator.

Run by `cargo xtask bench streaming`. The file is written in chunks, its covariance accumulated in f64 on the way, and deleted afterwards.
charta's high-water mark of resident memory must stay below the limit, and the kernel refuses it more than twice that (`RLIMIT_DATA`).
The embedding's columns must have the true eigenvalues as variances, mean 0 and no correlation, and their first rows must equal the true
projection up to sign.
"""

import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from support import arguments, machine, memory, results

N_COMPONENTS = 10
# charta's command line, in one place: {program}, {input} and {output} are filled in.
COMMAND = ["{program}", "pca", "{input}", "--streaming", "-n", str(N_COMPONENTS), "-o", "{output}"]

LIMIT = 256 * 2**20
# What the kernel refuses beyond. It counts what is reserved and never touched, such as the stacks of threads, hence more than the limit.
RESERVED_LIMIT = 2 * LIMIT
COLUMNS = 128
ROWS_PER_GROUP = 50_000
GROUPS = 48
SEED = 0
FIRST_ROWS = 1000
TOLERANCE = 1e-4


class Moments:
    """Mean and scatter of a stream in f64, merged chunk by chunk so that a far-off mean costs no digits."""

    def __init__(self, columns):
        self.count, self.mean, self.scatter = 0, np.zeros(columns), np.zeros((columns, columns))

    def add(self, rows):
        """Merges a chunk (Chan, Golub and LeVeque 1983)."""
        wide = rows.astype(np.float64)
        mean = wide.mean(axis=0)
        centred, shift, total = wide - mean, mean - self.mean, self.count + len(rows)
        self.scatter += centred.T @ centred + np.outer(shift, shift) * (self.count * len(rows) / total)
        self.mean += shift * (len(rows) / total)
        self.count = total

    def principal(self, n_components):
        """Leading eigenvalues (divisor n-1) and their vectors as columns."""
        values, vectors = np.linalg.eigh(self.scatter / (self.count - 1))
        return values[::-1][:n_components], vectors[:, ::-1][:, :n_components]


def chunks():
    """Correlated columns with a well-separated leading spectrum and means far from zero."""
    generator = np.random.default_rng(SEED)
    axes = np.linalg.qr(generator.standard_normal((COLUMNS, N_COMPONENTS)))[0].T.astype(np.float32)
    scales = np.float32(20 * 0.8 ** np.arange(N_COMPONENTS))
    mean = np.float32(10) * generator.standard_normal(COLUMNS, dtype=np.float32)
    for _ in range(GROUPS):
        hidden = generator.standard_normal((ROWS_PER_GROUP, N_COMPONENTS), dtype=np.float32) * scales
        yield hidden @ axes + mean + generator.standard_normal((ROWS_PER_GROUP, COLUMNS), dtype=np.float32)


def make(path):
    """Writes the file, one row group a chunk, and gives back its moments and its first rows."""
    schema = pa.schema([(f"x{column:03}", pa.float32()) for column in range(COLUMNS)])
    moments, first = Moments(COLUMNS), None
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for rows in chunks():
            first = rows[:FIRST_ROWS].copy() if first is None else first
            moments.add(rows)
            columns = [pa.array(np.ascontiguousarray(rows[:, column])) for column in range(COLUMNS)]
            writer.write_table(pa.table(columns, schema=schema), row_group_size=ROWS_PER_GROUP)
    return moments, first


def limit_memory():
    """Runs in the child before charta starts: the kernel refuses private memory beyond."""
    resource.setrlimit(resource.RLIMIT_DATA, (RESERVED_LIMIT, RESERVED_LIMIT))


def run_charta(program, source, target):
    """charta under the limit: its seconds and its peak of resident memory."""
    words = [word.format(program=program, input=source, output=target) for word in COMMAND]
    start = time.perf_counter()
    process = subprocess.Popen(words, preexec_fn=limit_memory)
    peak = memory.watch(process)
    code = process.wait()
    if code != 0:
        raise SystemExit(f"charta ended with code {code}; it may reserve {RESERVED_LIMIT // 2**20} MiB")
    return time.perf_counter() - start, peak


def embedding_moments(path):
    """Moments of the embedding, read group by group, and its first rows."""
    file = pq.ParquetFile(path)
    names = [field.name for field in file.schema_arrow if pa.types.is_floating(field.type)][:N_COMPONENTS]
    moments, first = Moments(len(names)), None
    for batch in file.iter_batches(columns=names, batch_size=ROWS_PER_GROUP):
        rows = np.column_stack([batch.column(name).to_numpy() for name in names])
        first = rows[:FIRST_ROWS].copy() if first is None else first
        moments.add(rows)
    return moments, first


def check(truth, first_rows, embedding, first_embedded):
    """The largest relative deviations from the truth; stops where one is too large."""
    values, vectors = truth.principal(N_COMPONENTS)
    covariance = embedding.scatter / (embedding.count - 1)
    scale = np.sqrt(values)
    expected = (first_rows.astype(np.float64) - truth.mean) @ vectors
    signs = np.sign((expected * first_embedded).sum(axis=0))
    errors = {
        "eigenvalues": np.abs(np.diag(covariance) / values - 1).max(),
        "correlation": np.abs((covariance - np.diag(np.diag(covariance))) / np.outer(scale, scale)).max(),
        "mean": np.abs(embedding.mean / scale).max(),
        "first_rows": np.abs((expected - first_embedded * signs) / scale).max(),
    }
    if embedding.count != truth.count:
        raise SystemExit(f"the embedding has {embedding.count} rows, the data {truth.count}")
    wrong = {name: value for name, value in errors.items() if not value < TOLERANCE}
    if wrong:
        raise SystemExit(f"the embedding differs from the truth: {wrong}")
    return {name: float(value) for name, value in errors.items()}


def main():
    """Makes, runs, checks, keeps."""
    given = arguments.parser(__doc__, program="the built command-line program", shared="not needed here").parse_args()
    described = machine.describe()
    with tempfile.TemporaryDirectory(dir=given.scratch) as folder:
        source, target = Path(folder) / "big.parquet", Path(folder) / "out.parquet"
        truth, first = make(source)
        size = source.stat().st_size
        print(f"  made {truth.count}×{COLUMNS} f32 in {GROUPS} row groups, {size / 2**30:.2f} GiB", flush=True)
        if size < 4 * LIMIT:
            raise SystemExit("the file must be at least four times the limit")
        seconds, peak = run_charta(given.charta.resolve(), source, target)
        errors = check(truth, first, *embedding_moments(target))
    if peak >= LIMIT:
        raise SystemExit(f"peak memory {peak / 2**20:.0f} MiB is not below the limit of {LIMIT // 2**20} MiB")
    record = {"machine": described, "file_bytes": size, "limit_bytes": LIMIT, "peak_rss": peak, "wall": seconds, "errors": errors}
    row = [f"{size / 2**30:.2f}", LIMIT // 2**20, f"{peak / 2**20:.0f}", f"{seconds:.1f}", f"{max(errors.values()):.1e}"]
    table = results.markdown_table(["file GiB", "limit MiB", "peak MiB", "wall s", "largest error"], [row])
    title = f"streaming PCA({N_COMPONENTS}) of {truth.count:,}×{COLUMNS} f32 from Parquet"
    results.append(given.results, "streaming", title, record, table, "Errors relative to the components' spread.")


if __name__ == "__main__":
    main()
