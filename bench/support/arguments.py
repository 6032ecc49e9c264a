"""The arguments that every benchmark takes."""

import argparse
from pathlib import Path


def parser(description, program="the built program bench_method", shared="folder of the optional data sets"):
    """A parser of the arguments that all share."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--charta", type=Path, required=True, help=program)
    made.add_argument("--scratch", type=Path, required=True, help="folder for files that can be made again")
    made.add_argument("--results", type=Path, required=True, help="folder where results are kept")
    made.add_argument("--shared-data", type=Path, help=shared)
    return made


def with_parts(made, known):
    """Reads the call of a benchmark that measures some of its parts, all if none is named."""
    made.add_argument("parts", nargs="*", help="what to measure; all if nothing is named")
    arguments = made.parse_args()
    if unknown := set(arguments.parts) - set(known):
        made.error(f"there is no part {', '.join(unknown)}; there are {', '.join(known)}")
    return arguments


def has_fashion_mnist(shared, about="this benchmark is about it"):
    """True if the images are there; says so if they are not."""
    found = shared is not None and (shared / "fashion_mnist.npz").exists()
    if not found:
        print(f"skipped: ../shared/data/fashion_mnist.npz is absent, and {about}")
    return found
