#!/usr/bin/env python3
"""Two builds of heed in turns in one run: what a change costs or gains. Medians, spread and ratios as JSON.

    bench/before_after.py BEFORE AFTER OUT.json [--threads 2] [--rounds 7] [--filter REGEX] [--processor]

BEFORE and AFTER are build folders (build/release) in which bench_train_step and bench_translate were built. Training steps are
those of bench/train_step; decoding is that of the bundled model (models/en-zh.safetensors) over made-up sentences. A ratio above 1
means that AFTER is faster. --processor compares processor time instead of wall time, for a machine on which others work too.
"""
import argparse
import random
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import contest  # noqa: E402
import report  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
TRAINING = ["bilstm", "additive", "transformer_short"]
DECODING = [(precision, batch, beam) for precision in ("f32", "int8") for batch, beam in ((32, 4), (32, 1), (1, 1), (1, 4))]


def sentences(folder, count=64, seed=1):
    """The bundled model and sentences of 5 to 25 made-up ids, where bench_translate looks for them."""
    (folder / "heed.safetensors").symlink_to(ROOT / "models/en-zh.safetensors")
    dice = random.Random(seed)
    lines = [" ".join(str(dice.randrange(10, 2500)) for _ in range(dice.randrange(5, 26))) for _ in range(count)]
    (folder / "source.txt").write_text("\n".join(lines) + "\n")


def processor_seconds(contender):
    """Of all its threads since they began, from the scheduler's count of nanoseconds."""
    threads = Path(f"/proc/{contender.process.pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9


def seconds_of_training(contender):
    return contender.ask(2)[::2]


def seconds_of_decoding(contender):
    return contender.ask(1)


def by_processor(read):
    def seconds(contender):
        before = processor_seconds(contender)
        steps = len(read(contender))
        return [(processor_seconds(contender) - before) / steps]

    return seconds


def in_turns(commands, read, args):
    read = by_processor(read) if args.processor else read
    running = [contest.Contender(command, args.threads, greets=True) for command in commands]
    for each in running:
        read(each)  # caches fill
    taken = [[], []]
    for turn in range(args.rounds):
        for which in ((0, 1), (1, 0))[turn % 2]:
            taken[which] += read(running[which])
    for each in running:
        each.close()
    return [contest.spread(seconds) for seconds in taken]


def tasks(args, folder):
    """(name, the command of each build, how its seconds are read)"""
    for task in TRAINING:
        yield f"train {task}", [[b / "bench/bench_train_step", task, "serve"] for b in (args.before, args.after)], seconds_of_training
    for precision, batch, beam in DECODING:
        words = [folder, precision, batch, beam, 40]
        yield (f"translate {precision} b{batch} beam{beam}", [[b / "bench/bench_translate", *words] for b in (args.before, args.after)],
               seconds_of_decoding)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--filter", default=".")
    parser.add_argument("--processor", action="store_true")
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sentences(folder)
        for task, commands, read in tasks(args, folder):
            if not re.search(args.filter, task):
                continue
            before, after = in_turns(commands, read, args)
            ratio = before["median"] / after["median"]
            rows.append({"task": task, "before": before, "after": after, "ratio": ratio, "ratio_of_least": before["least"] / after["least"]})
            print(f"{task:26s} before {1e3 * before['median']:9.1f} ms   after {1e3 * after['median']:9.1f} ms   {ratio:.3f} x"
                  f"   (least {rows[-1]['ratio_of_least']:.3f} x)", flush=True)
    about = {"command": " ".join(sys.argv), "commit": contest.commit(), "cpu": contest.cpu_name(), "threads": args.threads, "rounds": args.rounds,
             "seconds": "processor" if args.processor else "wall"}
    report.save(args.out, about, rows)


main()
