#!/usr/bin/env python3
"""Runs bench_vector and PyTorch in turns, case by case, and writes medians, spread and ratios as JSON.

    bench/vector/compare.py build/release/bench/bench_vector VENV/bin/python OUT.json [--filter REGEX] [--threads 2] [--rounds 15]

With one thread seconds are the processor's, so that a neighbour on the machine does not count; with more they are the wall's.
A ratio is PyTorch's time over heed's: of the medians, and of the least times, which a busy machine disturbs less.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import contest  # noqa: E402

BYTES = {"copy": 8 << 20, "exp": 8 << 20, "tanh": 8 << 20, "sigmoid": 8 << 20, "gelu": 8 << 20, "adam": 28 << 20}


def compared(name, args, heed, peer):
    clock = 1 if args.threads == 1 else 0
    ours, theirs = [], []
    for _ in range(args.rounds):
        ours.append(heed.run(name, args.floor)[clock])
        theirs.append(peer.ask(name, args.floor)[clock])
    mine, other = contest.spread(ours), contest.spread(theirs)
    row = {"case": name, "heed_s": mine, "pytorch_s": other, "ratio": other["median"] / mine["median"],
           "ratio_of_least": other["least"] / mine["least"]}
    if name in BYTES:
        row["heed_gb_per_s"] = BYTES[name] / mine["least"] * 1e-9
    return row


def main():
    parser = contest.arguments(__doc__, rounds=15)
    parser.add_argument("--floor", type=float, default=0.05, help="seconds a measurement takes at least")
    args = parser.parse_args()
    heed = contest.GoogleBenchmark(args.binary, args.threads)
    peer = contest.Contender([args.python, Path(__file__).with_name("pytorch.py"), args.threads], args.threads)
    results = []
    for name in heed.names(args.filter):
        row = compared(name, args, heed, peer)
        results.append(row)
        print(f"{name:20} heed {row['heed_s']['median'] * 1e3:8.3f} ms  pytorch {row['pytorch_s']['median'] * 1e3:8.3f} ms  "
              f"ratio {row['ratio']:.2f} (of least {row['ratio_of_least']:.2f})", flush=True)
    contest.write(args, results)


main()
