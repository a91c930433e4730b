#!/usr/bin/env python3
"""Whole training steps, heed against PyTorch, in turns in one run: medians, spread and ratios as JSON. Where others
want the machine too, the time of the cores is the one to read (with one thread; with two it holds their waiting as well).

    bench/train_step/compare.py build/release/bench/bench_train_step VENV/bin/python OUT.json [--threads 2] [--rounds 5] [--steps 2] [TASK…]

With --threads 1 run it under `taskset -c 0`: PyTorch's library does not keep to one thread by itself.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
from pathlib import Path

TASKS = ["bilstm", "additive", "transformer_short", "transformer_long"]


class Contender:
    """A process that takes steps when told to, and sleeps otherwise."""

    def __init__(self, command, threads):
        env = {**os.environ, "HEED_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        self.ready = self.process.stdout.readline().split()
        assert self.ready and self.ready[0] == "ready", command

    def steps(self, count):
        print(count, file=self.process.stdin, flush=True)
        words = [float(word) for word in self.process.stdout.readline().split()]
        return list(zip(words[::2], words[1::2]))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def spread(steps):
    wall, cpu = sorted(1e3 * w for w, _ in steps), sorted(1e3 * c for _, c in steps)
    return {"median_ms": statistics.median(wall), "least_ms": wall[0], "most_ms": wall[-1], "steps": len(steps),
            "cpu_median_ms": statistics.median(cpu), "cpu_least_ms": cpu[0], "cpu_most_ms": cpu[-1]}


def cpu_name():
    for line in subprocess.run(["lscpu"], capture_output=True, text=True).stdout.splitlines():
        if line.startswith("Model name:"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def compared(task, args):
    ours = Contender([args.binary, task, "serve"], args.threads)
    theirs = Contender([args.python, Path(__file__).with_name("pytorch.py"), task, str(args.threads)], args.threads)
    heed, torch = [], []
    ours.steps(1), theirs.steps(1)  # caches fill
    for _ in range(args.rounds):
        heed += ours.steps(args.steps)
        torch += theirs.steps(args.steps)
    tokens = int(ours.ready[1])
    ours.close(), theirs.close()
    row = {"task": task, "threads": args.threads, "tokens": tokens, "heed": spread(heed), "pytorch": spread(torch)}
    row["ratio"] = row["pytorch"]["median_ms"] / row["heed"]["median_ms"]
    for kind in ("least_ms", "cpu_median_ms", "cpu_least_ms"):
        row["ratio_of_" + kind[:-3]] = row["pytorch"][kind] / row["heed"][kind]
    print(f"{task:20s} heed {row['heed']['median_ms']:9.1f} ms   PyTorch {row['pytorch']['median_ms']:9.1f} ms   {row['ratio']:.2f} x"
          f"   (least {row['ratio_of_least']:.2f} x, time of the cores {row['ratio_of_cpu_median']:.2f} x)", flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("python")
    parser.add_argument("out")
    parser.add_argument("tasks", nargs="*", default=TASKS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=2)
    args = parser.parse_args()
    rows = [compared(task, args) for task in args.tasks or TASKS]
    version = subprocess.run([args.python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True).stdout.strip()
    load = os.getloadavg()
    report = {"machine": cpu_name(), "cores": os.cpu_count(), "pytorch": version, "load": load, "rows": rows}
    Path(args.out).write_text(json.dumps(report, indent=1) + "\n")


main()
