"""Keeps results: one JSON line a run for programs, one Markdown section a run for people. Nothing is ever overwritten."""

import datetime
import json
import statistics
from pathlib import Path


def seconds(values):
    """Best and median of repeated times."""
    return {"best": min(values), "median": statistics.median(values), "repetitions": len(values)}


def append(folder, topic, title, record, table, notes):
    """Appends a run to `<topic>.jsonl` and `<topic>.md`, and prints the latter."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    moment = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    with open(folder / f"{topic}.jsonl", "a") as lines:
        lines.write(json.dumps({"moment": moment, **record}) + "\n")
    machine = record["machine"]
    where = f"{machine['cores']} cores of {machine['processor']}, {machine['memory_gib']} GiB, load {machine['load_at_start']} at the start"
    section = f"\n## {moment}: {title}\n\n{where}.\n{notes}\n\n{table}\n"
    page = folder / f"{topic}.md"
    heading = "" if page.exists() else f"# {topic}: results, newest last\n"
    with open(page, "a") as text:
        text.write(heading + section)
    print(section, flush=True)


def markdown_table(header, rows):
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
