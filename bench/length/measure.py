#!/usr/bin/env python3
"""How the time of a whole model grows with length: everywhere, and in windows.

    bench/length/measure.py build/release/heed FOLDER [--lengths 256 512 1024 2048 4096] [--rounds 3] [--lines FILE]

Untrained models (made in FOLDER by one step of training) score pairs of n words each: the processor time of one thread for a pair, in milliseconds
(the least of the rounds), and in brackets how many times longer than at half the length: 2 where the time grows with the length, 4 where it grows with
its square. --lines writes what `heed plot` draws.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys

RECIPE = """
[data]
synth = "reverse"
train_examples = 50
valid_examples = 4
source_tokens = "characters"
target_tokens = "characters"
[training]
steps = 1
validate_every = 0
[model]
embedding = 128
"""
WINDOW = '{ heads = 2, focus = { kind = "window", left = 16, right = 16 } }'
MODELS = {
    "recurrent, everywhere": 'encoder = { kind = "gru", width = 64 }\ndecoder = { kind = "attend_first", width = 128 }',
    "recurrent, local_m (D = 8)": 'encoder = { kind = "gru", width = 64 }\n'
                                  'decoder = { kind = "attend_first", width = 128, attention = { focus = { kind = "local_m", D = 8 } } }',
    "recurrent, local_p (D = 8)": 'encoder = { kind = "gru", width = 64 }\n'
                                  'decoder = { kind = "attend_first", width = 128, attention = { focus = { kind = "local_p", D = 8 } } }',
    "Transformer, everywhere": 'encoder = { kind = "transformer", width = 128, depth = 2, self = { heads = 2 } }\n'
                               'decoder = { kind = "transformer", width = 128, depth = 2, self = { heads = 2 }, cross = { heads = 2 } }',
    "Transformer, windows": f'encoder = {{ kind = "transformer", width = 128, depth = 2, self = {WINDOW} }}\n'
                            f'decoder = {{ kind = "transformer", width = 128, depth = 2, self = {WINDOW}, '
                            'cross = { heads = 2, focus = { kind = "local_m", D = 16 } } }',
}
PAIRS = 4


def run(heed, *words, text=None):
    """The processor time of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([heed, *words], input=text, capture_output=True, text=True, env={**os.environ, "HEED_THREADS": "1"})
    if done.returncode:
        sys.exit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def made(heed, folder, name, parts):
    path = folder / name.replace(" ", "-").replace(",", "").replace("(", "").replace(")", "").replace("=", "")
    if not (path / "model.safetensors").exists():
        recipe = folder / "recipe.toml"
        recipe.write_text(RECIPE + parts + "\n")
        run(heed, "train", str(recipe), "-o", str(path))
    return str(path / "model.safetensors")


def milliseconds(heed, model, length):
    """Of one pair; what loading the model takes is taken off."""
    line = ("abcdefgh" * (length // 8 + 1))[:length]
    alone = run(heed, "score", "-m", model, "-", text="a\ta\n")
    return 1000 * (run(heed, "score", "-m", model, "--batch", "1", "-", text=f"{line}\t{line}\n" * PAIRS) - alone) / PAIRS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--lengths", type=int, nargs="+", default=[256, 512, 1024, 2048, 4096])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lines", type=pathlib.Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    times = {}
    print(f"| model | {' | '.join(f'{length} words' for length in args.lengths)} |\n|---|{'---|' * len(args.lengths)}")
    for name, parts in MODELS.items():
        model = made(args.heed, args.folder, name, parts)
        times[name] = [min(milliseconds(args.heed, model, length) for _ in range(args.rounds)) for length in args.lengths]
        cells = [f"{times[name][0]:.1f}"] + [f"{now:.1f} ({now / before:.1f})" for before, now in zip(times[name], times[name][1:])]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    if args.lines:
        args.lines.write_text("".join(json.dumps({"step": length, **{f"{name}: ms a pair": times[name][k] for name in MODELS}}) + "\n"
                                      for k, length in enumerate(args.lengths)))


if __name__ == "__main__":
    main()
