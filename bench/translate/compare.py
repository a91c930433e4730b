#!/usr/bin/env python3
"""Decoding one Transformer-base: heed, CTranslate2 and transformers' generate, in turns in one run; medians, spread, ratios as JSON.

    bench/translate/compare.py build/release/bench/bench_translate VENV/bin/python OUT.json [--threads 2] [--rounds 5] [--filter REGEX]

model.py writes the same weights in every contender's form (once, into --folder). Every contender says the same number of words
of every sentence, so none gains by stopping early; `agrees` is the share of words that are heed's in float32. A task is
PRECISION bBATCH beamBEAM; at batch 1 a run is eight sentences one after the other.
"""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import contest  # noqa: E402

HERE = Path(__file__).resolve().parent
TASKS = [("f32", 32, 4), ("f32", 1, 1), ("int8", 32, 4), ("int8", 1, 1)]
WANTED = {("f32", 32, "ctranslate2"): 1.3, ("f32", 1, "ctranslate2"): 2.5, ("int8", 32, "ctranslate2"): 2, ("int8", 1, "ctranslate2"): 2.5,
          ("f32", 32, "transformers"): 2, ("f32", 1, "transformers"): 2.5}


def command(contender, task, args):
    precision, batch, beam = task
    if contender == "heed":
        return [args.binary, args.folder, precision, batch, beam, args.words]
    return [args.python, HERE / "peers.py", contender, args.folder, precision, batch, beam, args.words, args.threads]


def sentences(said):
    """What a contender said: numbers with −2 behind each sentence."""
    out = [[]]
    for id in said:
        if id == -2:
            out.append([])
        else:
            out[-1].append(int(id))
    return out[:-1]


def agreement(a, b):
    same = sum(x == y for left, right in zip(a, b) for x, y in zip(left, right))
    return same / max(1, sum(max(len(left), len(right)) for left, right in zip(a, b)))


def measured(task, truth, args):
    precision, batch, beam = task
    names = ["heed", "ctranslate2"] + (["transformers"] if precision == "f32" else [])
    running = {name: contest.Contender(command(name, task, args), args.threads, greets=True) for name in names}
    said = {name: sentences(each.ask("say")) for name, each in running.items()}  # warms up too
    truth.setdefault((batch, beam), said["heed"])
    seconds = {name: [] for name in names}
    for _ in range(args.rounds):
        for name, each in running.items():
            seconds[name] += each.ask(1)
    rows = []
    for name, each in running.items():
        each.close()
        spread = contest.spread(seconds[name])
        words = sum(len(ids) for ids in said[name])
        row = {"task": f"{precision} b{batch} beam{beam}", "contender": name, "seconds": spread, "words": words,
               "words_per_second": words / spread["median"], "agrees": agreement(truth[(batch, beam)], said[name])}
        if name != "heed":
            row["heed_is_faster"] = spread["median"] / rows[0]["seconds"]["median"]
            row["wanted"] = WANTED.get((precision, batch, name))
        rows.append(row)
        print(f"{row['task']:16s} {name:13s} {spread['median']:8.3f} s ({spread['least']:.3f}–{spread['most']:.3f}) "
              f"{row['words_per_second']:8.1f} words/s, agrees {row['agrees']:.4f}" +
              (f"  {row['heed_is_faster']:.2f}×, wanted {row['wanted']}" if name != "heed" else ""), flush=True)
    return rows


def main():
    parser = contest.arguments(__doc__)
    parser.add_argument("--folder", type=Path, default=None, help="where the model lies or is written; beside OUT.json by default")
    parser.add_argument("--words", type=int, default=32, help="said of every sentence")
    args = parser.parse_args()
    args.folder = args.folder or args.out.parent / "translate-model"
    if not (args.folder / "heed.safetensors").exists():
        subprocess.run([args.python, HERE / "model.py", args.folder], check=True)
    rows, truth = [], {}
    for task in TASKS:
        if re.search(args.filter, f"{task[0]} b{task[1]} beam{task[2]}"):
            rows += measured(task, truth, args)
    contest.write(args, rows, words=args.words, ctranslate2=contest.version_of("ctranslate2", args.python),
                  transformers=contest.version_of("transformers", args.python))


main()
