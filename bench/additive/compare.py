#!/usr/bin/env python3
"""Runs bench_additive and PyTorch in turns, one shape at a time, and writes medians, spread and ratios as JSON.

    bench/additive/compare.py build/release/bench/bench_additive VENV/bin/python OUT.json [--filter REGEX] [--threads 2] [--rounds 5]

Ratios come by the clock and, beside a machine's other work, by processor time (cpu): what both processes' threads worked.
With --threads 1 run it under `taskset -c 0`: PyTorch's library does not keep to one thread by itself.
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
FORMS = ["sum", "product", "compiled"]


def cpu_name():
    for line in subprocess.run(["lscpu"], capture_output=True, text=True).stdout.splitlines():
        if line.startswith("Model name:"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def heed_seconds(binary, name, threads, floor):
    out = subprocess.run([binary, f"--benchmark_filter=^{name}/", "--benchmark_format=json", f"--benchmark_min_time={floor}"],
                         env={**os.environ, "HEED_THREADS": str(threads)}, capture_output=True, text=True, check=True).stdout
    run = json.loads(out)["benchmarks"][0]
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[run["time_unit"]]
    return run["real_time"] * unit, run["cpu_time"] * unit


class PyTorch:
    def __init__(self, python, threads):
        self.process = subprocess.Popen([python, HERE / "pytorch.py", str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env={**os.environ, "OMP_NUM_THREADS": str(threads)})

    def seconds(self, name, form, floor):
        print(name, form, floor, file=self.process.stdin, flush=True)
        said = self.process.stdout.readline().strip()
        return None if said == "none" else tuple(map(float, said.split()))


def spread(values):
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def compared(name, args, peer):
    ours, theirs = [], {form: [] for form in FORMS}
    for _ in range(args.rounds):
        ours.append(heed_seconds(args.binary, name, args.threads, args.floor))
        if re.match("attend|both|step/", name):
            for form in FORMS:
                theirs[form].append(peer.seconds(name, form, args.floor))
    elements = 1
    for size in name.split("/")[1].split("x"):
        elements *= int(size)
    row = {"name": name}
    for i, clock in enumerate(["", "cpu_"]):
        mine = [each[i] for each in ours]
        row[f"heed_{clock}s"] = spread(mine)
        row[f"heed_gelements_per_{clock}s"] = elements / statistics.median(mine) * 1e-9
        for form, took in theirs.items():
            if took and None not in took:
                row[f"pytorch_{form}_{clock}s"] = spread([each[i] for each in took])
                row[f"ratio_{clock}{form}"] = spread([b[i] / a for a, b in zip(mine, took)])
    return row


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
    names = [re.sub(r"/(min_time:[^/]*|process_time|real_time)", "", name) for name in listed]
    peer = PyTorch(args.python, args.threads)
    results = []
    for name in names:
        if not re.search(args.filter, name):
            continue
        row = compared(name, args, peer)
        results.append(row)
        ratios = "  ".join(f"{form} {row[f'ratio_{form}']['median']:.1f}x (cpu {row[f'ratio_cpu_{form}']['median']:.1f}x)"
                           for form in FORMS if f"ratio_{form}" in row)
        print(f"{name:28} {row['heed_s']['median'] * 1e3:9.3f} ms {row['heed_gelements_per_s']:6.2f} G elements/s"
              f" (cpu {row['heed_gelements_per_cpu_s']:.2f})   {ratios}", flush=True)
    version = subprocess.run([args.python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True).stdout.strip()
    about = {"command": " ".join(sys.argv), "cpu": cpu_name(), "threads": args.threads, "rounds": args.rounds, "pytorch": version}
    Path(args.out).write_text(json.dumps({"about": about, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
