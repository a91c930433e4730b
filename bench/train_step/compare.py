#!/usr/bin/env python3
"""Whole training steps, heed against PyTorch, in turns in one run: medians, spread and ratios as JSON. Where others
want the machine too, the time of the cores is the one to read (with one thread; with two it holds their waiting as well).

    bench/train_step/compare.py build/release/bench/bench_train_step VENV/bin/python OUT.json [--threads 2] [--rounds 5] [--steps 2]
"""
import re
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import contest  # noqa: E402

TASKS = ["bilstm", "additive", "pyramid", "pyramid_bf16", "transformer_short", "transformer_long", "transformer_short_bf16", "transformer_long_bf16"]


def steps(contender, count):
    """(wall, cores) of each."""
    words = contender.ask(count)
    return list(zip(words[::2], words[1::2]))


def spread(taken):
    wall, cpu = sorted(1e3 * w for w, _ in taken), sorted(1e3 * c for _, c in taken)
    return {"median_ms": statistics.median(wall), "least_ms": wall[0], "most_ms": wall[-1], "steps": len(taken),
            "cpu_median_ms": statistics.median(cpu), "cpu_least_ms": cpu[0], "cpu_most_ms": cpu[-1]}


def compared(task, args):
    ours = contest.Contender([args.binary, task, "serve"], args.threads, greets=True)
    theirs = contest.Contender([args.python, Path(__file__).with_name("pytorch.py"), task, args.threads], args.threads, greets=True)
    heed, torch = [], []
    steps(ours, 1), steps(theirs, 1)  # caches fill
    for _ in range(args.rounds):
        heed += steps(ours, args.steps)
        torch += steps(theirs, args.steps)
    tokens = int(ours.greeting[1])
    ours.close(), theirs.close()
    row = {"task": task, "threads": args.threads, "tokens": tokens, "heed": spread(heed), "pytorch": spread(torch)}
    row["ratio"] = row["pytorch"]["median_ms"] / row["heed"]["median_ms"]
    for kind in ("least_ms", "cpu_median_ms", "cpu_least_ms"):
        row["ratio_of_" + kind[:-3]] = row["pytorch"][kind] / row["heed"][kind]
    print(f"{task:20s} heed {row['heed']['median_ms']:9.1f} ms   PyTorch {row['pytorch']['median_ms']:9.1f} ms   {row['ratio']:.2f} x"
          f"   (least {row['ratio_of_least']:.2f} x, time of the cores {row['ratio_of_cpu_median']:.2f} x)", flush=True)
    return row


def main():
    parser = contest.arguments(__doc__)
    parser.add_argument("--steps", type=int, default=2, help="in a turn")
    args = parser.parse_args()
    wanted = [task for task in TASKS if re.search(args.filter, task)]
    if not contest.multiplies_bf16():
        print("no bf16: this CPU has no instruction for it, and PyTorch takes ten times as long")
        wanted = [task for task in wanted if not task.endswith("_bf16")]
    rows = {}
    for task in wanted:
        row = rows[task] = compared(task, args)
        if task.endswith("_bf16") and task.removesuffix("_bf16") in rows:
            row["ratio_to_f32"] = rows[task.removesuffix("_bf16")]["heed"]["median_ms"] / row["heed"]["median_ms"]
            print(f"{task:20s} {row['ratio_to_f32']:.2f} x heed's f32")
        contest.write(args, list(rows.values()))  # so far: it takes minutes


main()
