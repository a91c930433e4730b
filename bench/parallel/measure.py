#!/usr/bin/env python3
"""Sentences in a second: one word after the other against all words at once, with models of the same sizes, as JSON and as a table.

    bench/parallel/measure.py build/release/heed OUT.json --one-by-one MODEL --mask-predict MODEL --ctc MODEL --sources FILE
                              [--threads 1] [--rounds 5] [--sentences 400]

The models are those of the rows tatoeba-one-by-one, tatoeba-mask-predict and tatoeba-ctc of docs/results.toml (runs/results/ROW-SEED/model.safetensors),
because untrained ones do not know when to end; FILE has source lines. At batch 1 every sentence is answered alone. The time of a way is that of all
sentences less that of the first eighth, so that loading the model does not count; ways take turns, and medians count.
"""
import argparse
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import report  # noqa: E402

BATCHES = (1, 32)


def ways(args):
    """Name, model, options of heed translate."""
    yield "greedy, one word after the other", args.one_by_one, []
    for rounds in (1, 4):
        yield f"mask-predict, {rounds} round{'s' if rounds > 1 else ''}, one length", args.mask_predict, ["--rounds", str(rounds), "--length-beam", "1"]
    yield "mask-predict, 4 rounds, three lengths", args.mask_predict, ["--rounds", "4", "--length-beam", "3"]
    yield "CTC, best path", args.ctc, []


def seconds(args, model, options, batch, lines):
    environment = {**os.environ, "HEED_THREADS": str(args.threads)}
    began = time.monotonic()
    done = subprocess.run([args.heed, "translate", "-m", model, "--batch", str(batch), "-q", *options], input="".join(lines), capture_output=True, text=True,
                          env=environment)
    took = time.monotonic() - began
    if done.returncode:
        sys.exit(done.stderr)
    return took


def measured(args, lines):
    every = [(name, batch, model, options) for batch in BATCHES for name, model, options in ways(args)]
    times = {(name, batch): [] for name, batch, *_ in every}
    few = len(lines) // 8
    for _ in range(args.rounds):
        for name, batch, model, options in every:
            rest = seconds(args, model, options, batch, lines) - seconds(args, model, options, batch, lines[:few])
            times[name, batch].append((len(lines) - few) / rest)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed")
    parser.add_argument("out", type=pathlib.Path)
    for name in ("--one-by-one", "--mask-predict", "--ctc", "--sources"):
        parser.add_argument(name, required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=400)
    args = parser.parse_args()
    lines = pathlib.Path(args.sources).read_text(encoding="utf-8").splitlines(keepends=True)[:args.sentences]
    times = measured(args, lines)
    rows = [{"way": name, "batch": batch, "sentences_per_second": statistics.median(each), "least": min(each), "most": max(each)}
            for (name, batch), each in times.items()]
    report.save(args.out, {"machine": platform.machine(), "threads": args.threads, "sentences": len(lines)}, rows)
    rate = {(row["way"], row["batch"]): row["sentences_per_second"] for row in rows}
    first = rows[0]["way"]
    print(f"| way | {' | '.join(f'batch {batch}: sentences/s | times greedy' for batch in BATCHES)} |\n|---|{'---|' * 2 * len(BATCHES)}")
    for name, *_ in ways(args):
        print(f"| {name} | {' | '.join(f'{rate[name, batch]:.1f} | {rate[name, batch] / rate[first, batch]:.2f}' for batch in BATCHES)} |")


if __name__ == "__main__":
    main()
