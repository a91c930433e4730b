#!/usr/bin/env python3
"""Runs bench_convolve and PyTorch in turns, one network at a time, and writes medians, spread and ratios as JSON. `of_products` is
heed's rate in the whole network divided by its rate in the network's matrix products alone.

    HEED_DATA=… bench/convolve/compare.py build/release/bench/bench_convolve VENV/bin/python OUT.json [--filter REGEX] [--threads 2]
        [--rounds 5]

With one thread seconds are the processor's, so that a neighbour on the machine does not count; with more they are the wall's.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import contest  # noqa: E402


def compared(name, args, heed, peer):
    clock = 1 if args.threads == 1 else 0
    ours, alone, theirs, rates = [], [], [], []
    for _ in range(args.rounds):
        *seconds, said = heed.run(name, args.floor)
        ours.append(seconds[clock])
        *products, of_products = heed.run(name.replace("network/", "products/"), args.floor)
        alone.append(products[clock])
        rates.append((said["GFLOP/s"] / of_products["GFLOP/s"]))
        took = peer.ask(name, args.floor)
        if took:
            theirs.append(took[clock])
    row = {"name": name, "heed_s": contest.spread(ours), "products_s": contest.spread(alone), "of_products": contest.spread(rates)}
    if theirs:
        row["pytorch_s"] = contest.spread(theirs)
        row["ratio"] = contest.spread([b / a for a, b in zip(ours, theirs)])
    return row


def main():
    parser = contest.arguments(__doc__)
    parser.add_argument("--floor", type=float, default=0.5, help="seconds a measurement takes at least")
    args = parser.parse_args()
    heed = contest.GoogleBenchmark(args.binary, args.threads)
    names = [name for name in heed.names(args.filter) if name.startswith("network/")]
    if not names:
        sys.exit("convolve: saw no network, needs HEED_DATA with imagenet_cnn")
    peer = contest.Contender([args.python, Path(__file__).with_name("pytorch.py"), args.threads], args.threads)
    results = []
    for name in names:
        row = compared(name, args, heed, peer)
        results.append(row)
        ratio = row.get("ratio", {"median": 0, "least": 0, "most": 0})
        print(f"{name:24} {row['heed_s']['median'] * 1e3:8.2f} ms   PyTorch {row.get('pytorch_s', {'median': 0})['median'] * 1e3:8.2f} ms"
              f"   ratio {ratio['median']:5.2f}  ({ratio['least']:.2f} to {ratio['most']:.2f})"
              f"   of the products' rate {row['of_products']['median']:.2f}", flush=True)
        contest.write(args, results)  # so far: it takes minutes


main()
