#!/usr/bin/env python3
"""Runs bench_matmul and PyTorch in turns, one product at a time, and writes medians, spread and ratios as JSON.

    bench/matmul/compare.py build/release/bench/bench_matmul VENV/bin/python OUT.json [--filter REGEX] [--threads 2] [--rounds 5]

With --threads 1 run it under `taskset -c 0`: PyTorch's library does not keep to one thread by itself. Seconds are then the
processor's, so that a neighbour on the machine does not count; with more threads they are the wall's.
"""
import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def cpu_name():
    for line in subprocess.run(["lscpu"], capture_output=True, text=True).stdout.splitlines():
        if line.startswith("Model name:"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def heed_seconds(binary, name, threads, floor):
    out = subprocess.run([binary, f"--benchmark_filter=^{name}/min_time:.*$|^{name}$|^{name}/real_time$", "--benchmark_format=json", f"--benchmark_min_time={floor}"],
                         env={**os.environ, "HEED_THREADS": str(threads)}, capture_output=True, text=True, check=True).stdout
    run = json.loads(out)["benchmarks"][0]
    return run["cpu_time" if threads == 1 else "real_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[run["time_unit"]], run


class PyTorch:
    def __init__(self, python, threads):
        self.threads = threads
        self.process = subprocess.Popen([python, HERE / "pytorch.py", str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env={**os.environ, "OMP_NUM_THREADS": str(threads)})

    def seconds(self, name, floor):
        print(name, floor, file=self.process.stdin, flush=True)
        said = self.process.stdout.readline().strip()
        return None if said == "none" else float(said.split()[1 if self.threads == 1 else 0])


def spread(values):
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("python")
    parser.add_argument("out")
    parser.add_argument("--filter", default=".")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--floor", type=float, default=0.1, help="seconds a measurement takes at least")
    args = parser.parse_args()
    listed = subprocess.run([args.binary, "--benchmark_list_tests"], capture_output=True, text=True, check=True).stdout.split()
    names = [re.sub(r"/(min_time:[^/]*|real_time)", "", name) for name in listed]
    names = [name for name in names if re.search(args.filter, name)]
    peer = PyTorch(args.python, args.threads)
    results = []
    for name in names:
        ours, theirs, last = [], [], {}
        for _ in range(args.rounds):
            took, last = heed_seconds(args.binary, name, args.threads, args.floor)
            ours.append(took)
            peers = peer.seconds(name, args.floor) if name != "read_memory" else None
            if peers is not None:
                theirs.append(peers)
        row = {"name": name, "heed_s": spread(ours)}
        if name.count("/") == 2:
            m, n, k = map(int, name.split("/")[2].split("x"))
            flops = 2 * m * n * k * (256 if "/batch/" in name else 1)
            row["heed_gflops"] = flops / row["heed_s"]["median"] * 1e-9
        if "GB/s" in last:
            row["heed_gb_per_s"] = last["GB/s"] * last["real_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[last["time_unit"]] / row["heed_s"]["median"]
        if theirs:
            row["pytorch_s"] = spread(theirs)
            row["pytorch_gflops"] = flops / row["pytorch_s"]["median"] * 1e-9
            row["ratio"] = spread([b / a for a, b in zip(ours, theirs)])
        results.append(row)
        print(f"{name:28} {row.get('heed_gflops', 0):7.1f} GFLOP/s {row.get('heed_gb_per_s', 0):6.1f} GB/s   PyTorch {row.get('pytorch_gflops', 0):7.1f}"
              f"   ratio {row.get('ratio', {}).get('median', 0):5.2f}  ({row.get('ratio', {}).get('least', 0):.2f} to {row.get('ratio', {}).get('most', 0):.2f})", flush=True)
    version = subprocess.run([args.python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True).stdout.strip()
    about = {"command": " ".join(sys.argv), "cpu": cpu_name(), "threads": args.threads, "rounds": args.rounds, "pytorch": version}
    Path(args.out).write_text(json.dumps({"about": about, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
