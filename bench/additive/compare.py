#!/usr/bin/env python3
"""Runs bench_additive and PyTorch in turns, one shape at a time, and writes medians, spread and ratios as JSON.

    bench/additive/compare.py build/release/bench/bench_additive VENV/bin/python OUT.json [--filter REGEX] [--threads 2] [--rounds 5]

Ratios come by the clock and, beside a machine's other work, by processor time (cpu): what both processes' threads worked.
"""
import math
import re
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import contest  # noqa: E402

FORMS = ["sum", "product", "compiled"]


def compared(name, args, heed, peer):
    ours, theirs = [], {form: [] for form in FORMS}
    for _ in range(args.rounds):
        *seconds, said = heed.run(name, args.floor)
        ours.append(seconds)
        if re.match("attend|both|step/", name):
            for form in FORMS:
                theirs[form].append(peer.ask(name, form, args.floor))
    elements = math.prod(map(int, name.split("/")[1].split("x")))
    row = {"name": name, **{key: said[key] for key in said if "MiB" in key}}
    for i, clock in enumerate(["", "cpu_"]):
        mine = [each[i] for each in ours]
        row[f"heed_{clock}s"] = contest.spread(mine)
        row[f"heed_gelements_per_{clock}s"] = elements / statistics.median(mine) * 1e-9
        for form, took in theirs.items():
            if took and None not in took:
                row[f"pytorch_{form}_{clock}s"] = contest.spread([each[i] for each in took])
                row[f"ratio_{clock}{form}"] = contest.spread([b[i] / a for a, b in zip(mine, took)])
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
        ratios = "  ".join(f"{form} {row[f'ratio_{form}']['median']:.1f}x (cpu {row[f'ratio_cpu_{form}']['median']:.1f}x)"
                           for form in FORMS if f"ratio_{form}" in row)
        print(f"{name:28} {row['heed_s']['median'] * 1e3:9.3f} ms {row['heed_gelements_per_s']:6.2f} G elements/s"
              f" (cpu {row['heed_gelements_per_cpu_s']:.2f})   {ratios}", flush=True)
        contest.write(args, results)  # so far: it takes minutes


main()
