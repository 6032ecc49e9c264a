"""Two sides in turns: every run is a process of its own, and other load on the machine meets both."""

import json
import subprocess
from pathlib import Path

import numpy as np

from support import memory, results


def run(command):
    """One process; its last line of output is the JSON record. None if it failed."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or ["no message"])[-1][:160]
    return json.loads(done.stdout.strip().splitlines()[-1]), ""


def record_of(command):
    """The JSON record of a process that must not fail."""
    record, failure = run(command)
    if record is None:
        raise SystemExit(f"{command[0]}: {failure}")
    return record


def watched(command):
    """The most bytes that a process held at once, reading its data included; None if it failed."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    highest = memory.watch(process)
    return highest if process.wait() == 0 else None


class Timed:
    """The times of one side that must not fail, gathered over the rounds."""

    def __init__(self, name, command, rounds):
        self.name, self.command, self.rounds = name, command, rounds
        self.wall, self.cpu, self.record = [], [], None

    def turn(self):
        """One process with one fit: nothing here has to warm up but the page cache, which every process meets alike."""
        self.record = record_of(self.command)
        self.wall += self.record["wall"]
        self.cpu += self.record["cpu"]

    def times(self):
        """What is kept of its times and its memory."""
        return {
            "name": self.name,
            "wall": results.seconds(self.wall),
            "cpu": results.seconds(self.cpu),
            "extra_mib": (self.record["peak_rss"] - self.record["baseline_rss"]) / 2**20,
        }


class Contender(Timed):
    """One side that leaves an embedding, and may fail."""

    def __init__(self, name, command, rounds, folder):
        super().__init__(name, command, rounds)
        self.map = Path(folder) / f"{abs(hash((name, str(command))))}.npy"
        self.command = [*command, "--embedding", self.map]
        self.failure = ""

    def turn(self):
        """One process with one fit."""
        record, self.failure = run(self.command)
        if record is not None:
            self.record = record
            self.wall += record["wall"]
            self.cpu += record["cpu"]

    def summary(self, quality):
        """The record that is kept."""
        if self.record is None:
            return {"name": self.name, "failed": self.failure}
        return {**self.times(), "quality": quality(np.load(self.map)), "warnings": self.record.get("warnings", [])}


def in_turns(contenders):
    """Every contender once, then again those that have rounds left."""
    for turn in range(max(contender.rounds for contender in contenders)):
        for contender in contenders:
            if turn < contender.rounds:
                print(f"  {contender.name} …", flush=True)
                contender.turn()
