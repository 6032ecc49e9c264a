"""Describes the machine without naming it: processor, cores, memory, system. No host name, no path, no user."""

import os
import platform


def _first(path, key):
    """The value of the first line of a `key : value` file that starts with the key."""
    try:
        with open(path) as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith(key))
    except (OSError, StopIteration):
        return "unknown"


def describe():
    """What a reader needs to judge the absolute times."""
    memory = _first("/proc/meminfo", "MemTotal").removesuffix(" kB")
    return {
        "processor": _first("/proc/cpuinfo", "model name"),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(int(memory) / 2**20, 1) if memory.isdigit() else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load_at_start": round(os.getloadavg()[0], 2),
    }
