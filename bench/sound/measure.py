#!/usr/bin/env python3
"""How fast recordings are transcribed: a minute of sound (times as fast as it plays), and one short recording from process start to its first
word; medians, spread and limits as JSON.

    bench/sound/measure.py build/release/heed OUT.json RECORDING.wav … [--model MODEL] [--rounds 10] [--threads 2]

The minute is the recordings, WAV of 16 bits with one channel and one rate, one after the other until it is full; the short one is the first.
Without --model: the one that `heed transcribe` finds by itself. How fast features alone are: build/release/bench/bench_sound.
"""
import argparse
import datetime
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import contest  # noqa: E402
import report  # noqa: E402


def a_minute(paths, to):
    """Writes 60 seconds of these recordings in turn."""
    with wave.open(str(to), "wb") as out:
        left = None
        for path in itertools.cycle(paths):
            with wave.open(str(path), "rb") as file:
                if left is None:
                    out.setparams(file.getparams())
                    left = 60 * file.getframerate()
                frames = min(left, file.getnframes())
                out.writeframes(file.readframes(frames))
            left -= frames
            if left == 0:
                return


def first_word(words, env):
    """Seconds from process start to its first byte on standard output, and to its end."""
    begin = time.perf_counter()
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=env) as process:
        said = process.stdout.read(1)
        first = time.perf_counter() - begin
        said += process.stdout.read()
        process.wait()
    whole = time.perf_counter() - begin
    if process.returncode != 0 or not said:
        sys.exit(f"{words}: exit {process.returncode}, said {said!r}")
    return first, whole


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed")
    parser.add_argument("out", type=Path)
    parser.add_argument("recordings", nargs="+", type=Path)
    parser.add_argument("--model")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    env = {**os.environ, "HEED_THREADS": str(args.threads)}
    verb = [str(Path(args.heed).resolve()), "transcribe", "-q", *(["-m", args.model] if args.model else [])]
    with tempfile.TemporaryDirectory() as folder:
        minute = Path(folder) / "minute.wav"
        a_minute(args.recordings, minute)
        long, short = ([first_word([*verb, str(path)], env) for _ in range(args.rounds + 1)][1:] for path in (minute, args.recordings[0]))
    whole, first = contest.spread([one for _, one in long]), contest.spread([one for one, _ in short])
    results = {
        "minute": {"real_time": 60 / whole["median"], "limit": 100} | {f"{key}_ms": 1e3 * value for key, value in whole.items()},
        "first_word_ms": {key: 1e3 * value for key, value in first.items()} | {"limit": 100},
    }
    about = {"command": " ".join(sys.argv), "date": datetime.date.today().isoformat(), "commit": contest.commit(), "cpu": contest.cpu_name(),
             "cores": os.cpu_count(), "threads": args.threads, "load": os.getloadavg()[0], "rounds": args.rounds}
    report.save(args.out, about, results)
    print(json.dumps(results, indent=1))


main()
