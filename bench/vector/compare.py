#!/usr/bin/env python3
"""Runs bench_vector and PyTorch in turns, case by case, and writes medians, spread and ratios as JSON.

    bench/vector/compare.py build/release/bench/bench_vector VENV/bin/python bench/results/vector.json [--rounds 15] [--filter REGEX]

Two threads by the wall's clock; then one, both pinned to one core, by the processor's, so that a neighbour on the machine does
not count. A ratio is PyTorch's time over heed's: of the medians, and of the least times, which a busy machine disturbs less.
"""
import argparse
import datetime
import json
import os
import platform
import re
import statistics
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
BYTES = {"copy": 8 << 20, "exp": 8 << 20, "tanh": 8 << 20, "sigmoid": 8 << 20, "gelu": 8 << 20, "adam": 28 << 20}


def cpu_name():
    for line in subprocess.run(["lscpu"], capture_output=True, text=True).stdout.splitlines():
        if line.startswith("Model name:"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


class Contender:
    """A process for each number of threads, pinned where there is one."""

    def __init__(self, threads):
        self.threads = threads
        self.pinned = ["taskset", "-c", "0"] if threads == 1 else []
        self.environment = {**os.environ, "HEED_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}


class Heed(Contender):
    def __init__(self, binary, threads):
        super().__init__(threads)
        self.binary = binary

    def names(self):
        said = subprocess.run([self.binary, "--benchmark_list_tests"], capture_output=True, text=True, check=True).stdout
        return [line.split("/")[0] for line in said.split()]

    def seconds(self, name, floor):
        said = subprocess.run([*self.pinned, self.binary, f"--benchmark_filter=^{name}(/real_time)?$", "--benchmark_format=json",
                               f"--benchmark_min_time={floor}"], env=self.environment, capture_output=True, text=True, check=True).stdout
        run = json.loads(said)["benchmarks"][0]
        return run["cpu_time" if self.threads == 1 else "real_time"] * UNITS[run["time_unit"]]


class PyTorch(Contender):
    def __init__(self, python, threads):
        super().__init__(threads)
        self.process = subprocess.Popen([*self.pinned, python, HERE / "pytorch.py", str(threads)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=self.environment)

    def seconds(self, name, floor):
        print(name, floor, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline().split()[1 if self.threads == 1 else 0])


def spread(values):
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("python")
    parser.add_argument("out", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--floor", type=float, default=0.05, help="seconds a measurement takes at least")
    parser.add_argument("--filter", default=".")
    options = parser.parse_args()
    results = []
    for threads in (2, 1):
        heed, pytorch = Heed(options.binary, threads), PyTorch(options.python, threads)
        for name in filter(re.compile(options.filter).search, heed.names()):
            ours, theirs = [], []
            for _ in range(options.rounds):
                ours.append(heed.seconds(name, options.floor))
                theirs.append(pytorch.seconds(name, options.floor))
            row = {"case": name, "threads": threads, "heed": spread(ours), "pytorch": spread(theirs),
                   "ratio": statistics.median(theirs) / statistics.median(ours), "ratio_of_least": min(theirs) / min(ours)}
            if name in BYTES:
                row["heed_gigabytes_a_second"] = BYTES[name] / min(ours) * 1e-9
            results.append(row)
            print(f"{threads} threads  {name:20} heed {min(ours) * 1e3:8.3f} ms  pytorch {min(theirs) * 1e3:8.3f} ms  "
                  f"ratio {row['ratio']:.2f} (of least {row['ratio_of_least']:.2f})", flush=True)
    machine = {"cpu": cpu_name(), "cores": os.cpu_count(), "load": os.getloadavg()}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps({"date": datetime.date.today().isoformat(), "machine": machine, "rounds": options.rounds,
                                       "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
