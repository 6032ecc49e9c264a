"""Which packages, in which versions, a golden file comes from."""

import platform
from importlib.metadata import version


def reference(package, how):
    """The `reference` field of a golden file: the package that made the numbers, and how it was called."""
    return {
        "package": package,
        "version": version(package),
        "how": how,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
    }


def own_reference(how):
    """The `reference` field of numbers that no package gives: computed in the script itself, straight from the paper."""
    return {
        "package": "numpy",
        "version": version("numpy"),
        "how": how,
        "python": platform.python_version(),
        "scipy": version("scipy"),
    }
