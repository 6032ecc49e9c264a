"""Progress bar on standard error."""

import sys
import time

WIDTH = 24


class Bar:
    """Shows the stage of a fit, how far it is, and the loss where there is one."""

    def __init__(self, title):
        self.title, self.stage, self.loss = title, None, None
        self.begun = time.monotonic()

    def __call__(self, stage, done, total, step, loss, layout):
        if stage != self.stage:
            if self.stage is not None:
                self._write("\n")
            self.stage, self.loss = stage, None
        if loss is not None:
            self.loss = loss
        share = done / total if done is not None and total else None
        self._write("\r" + self._line(share))
        if share == 1.0:
            self._write("\n")
            self.stage = None
        return False

    def _line(self, share):
        parts = [f"{self.title}: {self.stage:<16}"]
        if share is not None:
            filled = int(WIDTH * share)
            parts.append(f"[{'#' * filled}{'.' * (WIDTH - filled)}] {share:4.0%}")
        if self.loss is not None:
            parts.append(f"loss {self.loss:.5g}")
        parts.append(f"{time.monotonic() - self.begun:.1f} s")
        return "  ".join(parts)

    def _write(self, text):
        sys.stderr.write(text)
        sys.stderr.flush()
