"""Peak memory of a process on Linux, from the kernel's own high-water mark."""

import time
from pathlib import Path


def _status(process, key):
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) * 1024
    return 0


def resident():
    """Bytes of this process in memory now."""
    return _status("self", "VmRSS")


def peak():
    """The most bytes of this process that were in memory at once since the mark was last reset."""
    return _status("self", "VmHWM")


def reset_peak():
    """Sets the high-water mark to the present size, so that loading the data does not count."""
    Path("/proc/self/clear_refs").write_text("5")


def watch(process, every=0.005):
    """The high-water mark of another process, read until it ends.

    The mark never falls, so only what is reached in the last few milliseconds can be missed. The kernel's sum for ended children would
    also count this Python, from which the child was forked.
    """
    highest = 0
    while process.poll() is None:
        try:
            highest = max(highest, _status(process.pid, "VmHWM"))
        except (OSError, IndexError):
            break
        time.sleep(every)
    return highest
