#!/usr/bin/env python3
"""The attention operator: heed fused, heed composed and PyTorch, in turns in one run; medians, spread and ratios as JSON.

    bench/attend/compare.py build/release/bench/bench_attend VENV/bin/python OUT.json [--threads 2] [--rounds 5] [--filter REGEX]

A figure's flops are 4·B·H·d for each pair that is open, 3.5 times that with the backward pass; --peak (GFLOP/s of one core)
gives its share.
"""
import re
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import contest  # noqa: E402


def tasks():
    """(group, shape, contenders); a contender is heed's words or ("pytorch", focus)."""
    def heed(score="scaled_dot", normaliser="softmax", focus="everywhere", way="fused", report="none"):
        return (score, normaliser, focus, way, report)

    for length, batch, heads in [(16, 64, 8), (32, 64, 8), (64, 64, 8), (128, 16, 8), (256, 8, 8), (512, 4, 8), (1024, 1, 8), (2048, 1, 4)]:
        for focus in ("everywhere", "causal"):
            ways = [heed(focus=focus)] + ([heed(focus=focus, way="compose")] if length <= 512 else [])
            yield f"scaled_dot {focus} {length}", (batch, heads, length, length, 64), [*ways, ("pytorch", focus)]
    for width in (32, 128):
        yield f"scaled_dot width {width}", (8, 8, 256, 256, width), [heed(), heed(way="compose"), ("pytorch", "everywhere")]
    for length, batch, heads in [(64, 64, 8), (512, 4, 8)]:
        yield f"scaled_dot bf16 {length}", (batch, heads, length, length, 64), [heed(way="fused_bf16"), heed()]
    yield "decode one row", (32, 8, 1, 256, 64), [heed(), heed(way="compose"), ("pytorch", "everywhere")]
    yield "beam of four rows", (32, 8, 4, 256, 64), [heed(), heed(way="compose"), ("pytorch", "everywhere")]
    yield "score and normaliser", (8, 8, 256, 256, 64), [
        heed(), heed(score="cosine"), heed(score="bilinear"), heed(normaliser="relu"), heed(normaliser="sigmoid"),
        heed(normaliser="sparsemax"), heed(normaliser="entmax15"), heed(normaliser="topk")]
    yield "report", (8, 8, 256, 256, 64), [heed(), heed(report="argmax"), heed(report="entropy"), heed(report="weights")]
    yield "window of 64 at 8192", (1, 1, 8192, 8192, 64), [heed(focus="window"), heed()]


def open_pairs(focus, t, s):
    if focus == "causal":
        return sum(min(s, i + 1) for i in range(t))
    if focus == "window":
        return sum(min(s, i + 65) - max(0, i - 64) for i in range(t))
    return t * s


def measured(name, shape, contenders, passes, args):
    b, h, t, s, d = shape
    commands = []
    for words in contenders:
        if words[0] == "pytorch":
            commands.append([args.python, Path(__file__).with_name("pytorch.py"), words[1], passes, *shape, args.threads, args.clock])
        else:
            commands.append([args.binary, *words, passes, *shape, args.clock])
    running = [contest.Contender(command, args.threads, greets=True) for command in commands]
    once = [max(min(each.ask(3)), 1e-6) for each in running]  # caches fill, and how long a look takes
    counts = [max(3, min(50, round(args.slice / seconds))) for seconds in once]
    seconds = [[] for _ in running]
    for _ in range(args.rounds):
        for i, each in enumerate(running):
            seconds[i] += each.ask(counts[i])
    rows = []
    for words, each, times in zip(contenders, running, seconds):
        each.close()
        focus = words[1] if words[0] == "pytorch" else words[2]
        flops = 4 * b * h * d * open_pairs(focus, t, s) * (3.5 if passes == "both" else 1)
        ms = sorted(1e3 * x for x in times)
        median = statistics.median(ms)
        rows.append({"task": name, "pass": passes, "threads": args.threads, "shape": dict(zip("BHTSd", shape)), "contender": " ".join(words),
                     "median_ms": median, "p10_ms": ms[len(ms) // 10], "p90_ms": ms[len(ms) * 9 // 10], "looks": len(ms),
                     "gflops": flops / median * 1e-6, "share_of_peak": flops / median * 1e-6 / (args.peak * args.threads)})
    for row in rows:
        row["times_first"] = row["median_ms"] / rows[0]["median_ms"]
    return rows


def main():
    parser = contest.arguments(__doc__)
    parser.add_argument("--slice", type=float, default=0.15, help="seconds a contender runs at a time")
    parser.add_argument("--peak", type=float, default=39.8, help="GFLOP/s of one core")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall", help="cpu: the process's own time, for one thread on a busy machine")
    args = parser.parse_args()
    rows = []
    for name, shape, contenders in tasks():
        if not re.search(args.filter, name):
            continue
        for passes in ("forward", "both"):
            rows += measured(name, shape, contenders, passes, args)
            for row in rows[-len(contenders):]:
                print(f"{row['task']:26s} {row['pass']:8s} {row['contender']:46s} {row['median_ms']:10.3f} ms "
                      f"{row['gflops']:7.1f} GFLOP/s {row['times_first']:6.2f}×", flush=True)
        contest.write(args, rows, clock=args.clock, peak_gflops_a_core=args.peak)  # so far: it takes minutes


main()
