#!/usr/bin/env python3
"""One sentence from process start to exit, the memory that takes, and the program's size; medians, spread and limits as JSON.

    bench/start/measure.py build/release/heed OUT.json [--model FILE] [--text TEXT] [--rounds 30]

Without --model: the one that `heed translate` finds by itself, and where none comes with this heed, a Transformer of 3.3 million
weights that was trained for one step (three and three blocks of 192 channels).
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import contest  # noqa: E402
import report  # noqa: E402

MEGABYTE = 1e6
RECIPE = """\
[data]
synth = "dates"
train_examples = 100
valid_examples = 4
[model]
embedding = 192
encoder = { kind = "transformer", width = 192, depth = 3 }
decoder = { kind = "transformer", width = 192, depth = 3 }
[training]
steps = 1
validate_every = 0
"""


def shelved(heed):
    """The first model that translates: its languages are "from → to"."""
    said = subprocess.run([heed, "models", "--json"], capture_output=True, text=True).stdout.splitlines()
    return next((Path(one["path"]) for one in map(json.loads, said) if "→" in one.get("languages", "")), None)


def made(heed, folder):
    (folder / "start.toml").write_text(RECIPE)
    subprocess.run([heed, "train", "start.toml", "-q", "-o", "run"], cwd=folder, check=True)
    return folder / "run/model.safetensors"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed")
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--text", default="3rd of May 2021")
    parser.add_argument("--rounds", type=int, default=30)
    args = parser.parse_args()
    heed = str(Path(args.heed).resolve())
    with tempfile.TemporaryDirectory() as folder:
        model = args.model or shelved(heed) or made(heed, Path(folder))
        weights = model.stat().st_size
        runs = [contest.once([heed, "translate", "-m", str(model), "--beam", "1", args.text]) for _ in range(args.rounds + 1)][1:]
    seconds, busy, resident = (contest.spread(column) for column in zip(*runs))
    results = {
        "model": {"file": model.name, "bytes": weights},
        "start_to_exit_ms": {key: 1e3 * value for key, value in seconds.items()} | {"limit": 30},
        "processor_ms": {key: 1e3 * value for key, value in busy.items()},
        "resident_mb": resident["most"] / MEGABYTE,
        "resident_limit_mb": (1.5 * weights) / MEGABYTE + 40,
        "program_mb": Path(heed).stat().st_size / MEGABYTE,
        "program_limit_mb": 15,
    }
    about = {"command": " ".join(sys.argv), "date": datetime.date.today().isoformat(), "commit": contest.commit(), "cpu": contest.cpu_name(),
             "cores": os.cpu_count(), "load": os.getloadavg()[0], "rounds": args.rounds}
    report.save(args.out, about, results)
    print(json.dumps(results, indent=1))


main()
