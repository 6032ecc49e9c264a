"""What the benchmarks share: the machine's description, memory, alternating runs, how results are kept."""
