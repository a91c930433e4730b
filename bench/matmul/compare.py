#!/usr/bin/env python3
"""Runs bench_matmul and PyTorch in turns, one product at a time, and writes medians, spread and ratios as JSON.

    bench/matmul/compare.py build/release/bench/bench_matmul VENV/bin/python OUT.json [--filter REGEX] [--threads 2] [--rounds 5]

With one thread seconds are the processor's, so that a neighbour on the machine does not count; with more they are the wall's.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import contest  # noqa: E402


def compared(name, args, heed, peer):
    clock = 1 if args.threads == 1 else 0
    ours, theirs, said = [], [], {}
    for _ in range(args.rounds):
        *seconds, said = heed.run(name, args.floor)
        ours.append(seconds[clock])
        took = peer.ask(name, args.floor) if name != "read_memory" else None
        if took:
            theirs.append(took[clock])
    row = {"name": name, "heed_s": contest.spread(ours)}
    median = row["heed_s"]["median"]
    flops = 0
    if name.count("/") == 2:
        m, n, k = map(int, name.split("/")[2].split("x"))
        flops = 2 * m * n * k * (256 if "/batch/" in name else 1)
        row["heed_gflops"] = flops / median * 1e-9
    if "GB/s" in said:
        row["heed_gb_per_s"] = said["GB/s"] * said["real_time"] * contest.UNITS[said["time_unit"]] / median
    if theirs:
        row["pytorch_s"] = contest.spread(theirs)
        row["pytorch_gflops"] = flops / row["pytorch_s"]["median"] * 1e-9
        row["ratio"] = contest.spread([b / a for a, b in zip(ours, theirs)])
    return row


def main():
    parser = contest.arguments(__doc__)
    parser.add_argument("--floor", type=float, default=0.1, help="seconds a measurement takes at least")
    args = parser.parse_args()
    heed = contest.GoogleBenchmark(args.binary, args.threads)
    peer = contest.Contender([args.python, Path(__file__).with_name("pytorch.py"), args.threads], args.threads)
    results = []
    for name in heed.names(args.filter):
        row = compared(name, args, heed, peer)
        results.append(row)
        ratio = row.get("ratio", {"median": 0, "least": 0, "most": 0})
        print(f"{name:28} {row.get('heed_gflops', 0):7.1f} GFLOP/s {row.get('heed_gb_per_s', 0):6.1f} GB/s   PyTorch {row.get('pytorch_gflops', 0):7.1f}"
              f"   ratio {ratio['median']:5.2f}  ({ratio['least']:.2f} to {ratio['most']:.2f})", flush=True)
        contest.write(args, results)  # so far: it takes minutes


main()
