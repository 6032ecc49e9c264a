"""The command line that every golden script answers to: where to write, and where the optional big data sets are."""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass
class Command:
    """Where a script writes and from where it may read."""

    output: Path
    shared_data: Path | None

    def shared_set(self, file_name):
        """The arrays of one shared data set, or None (said aloud) where the folder does not hold it."""
        path = None if self.shared_data is None else self.shared_data / file_name
        if path is None or not path.exists():
            print(f"  skipped: no {file_name} in the shared data; its golden files stay as they are", flush=True)
            return None
        return np.load(path)


def parse(description):
    """Reads the script's arguments."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("output", type=Path, help="folder of the golden files")
    parser.add_argument("--shared-data", type=Path, help="folder of the optional data sets")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    return Command(arguments.output, arguments.shared_data)
