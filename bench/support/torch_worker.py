"""Trains an autoencoder with PyTorch on a CPU, in a process of its own; prints a JSON line like charta's `bench_method` program.

Arguments: a JSON object with `hidden`, `batch`, `epochs`, `activation`, then the .npy file. The clock runs over the training alone.
"""

import json
import os
import sys
import time

import numpy as np
import torch

FUNCTIONS = {"gelu": lambda: torch.nn.GELU(approximate="tanh"), "relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}


def made(case, n_columns):
    """The network: straight at the narrowest layer and at the end."""
    widths = [n_columns, *case["hidden"], 2, *reversed(case["hidden"]), n_columns]
    layers = []
    for place, (inputs, outputs) in enumerate(zip(widths, widths[1:])):
        layers.append(torch.nn.Linear(inputs, outputs))
        if place not in (len(case["hidden"]), len(widths) - 2):
            layers.append(FUNCTIONS[case["activation"]]())
    return torch.nn.Sequential(*layers)


def epoch(model, optimizer, rows, batch):
    """Goes once through the rows; the mean loss, which also waits for the last step."""
    total = 0.0
    for chosen in torch.randperm(len(rows)).split(batch):
        part = rows[chosen]
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.mse_loss(model(part), part)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(chosen)
    return total / len(rows)


def main():
    """Loads, trains, prints."""
    case, path = json.loads(sys.argv[1]), sys.argv[2]
    torch.manual_seed(0)
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    rows = torch.from_numpy(np.load(path))
    rows = rows - rows.mean(dim=0)
    model = made(case, rows.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    wall, cpu = time.perf_counter(), time.process_time()
    losses = [epoch(model, optimizer, rows, case["batch"]) for _ in range(case["epochs"])]
    record = {"wall": [time.perf_counter() - wall], "cpu": [time.process_time() - cpu], "figures": {"losses": losses}}
    print(json.dumps(record))


if __name__ == "__main__":
    main()
