#!/usr/bin/env python3
"""How time and memory grow: whole training steps of Transformer-base against threads, sentence length (the number of tokens stays
the same), batch and vocabulary, and decoding against threads and vocabulary; heed and PyTorch (transformers' generate) in turns.

    bench/grow/measure.py build/release/bench VENV/bin/python OUT.json [--threads 16] [--rounds 3] [--only threads,length,…] [--values 4096,8192]
        [--alone] [--seconds 300]

Memory is the peak of the resident set (VmHWM) after the rounds, for PyTorch together with its own code (about 0.3 GB).
`draw.py` makes the pictures of docs/performance.md from the result.
"""
import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import contest  # noqa: E402

TOKENS = 8192
THREADS = [1, 2, 4, 8, 16]
LENGTHS = [64, 128, 256, 512, 1024, 2048, 4096, 8192]
BATCHES = [1, 4, 16, 64, 256]
VOCABULARIES = [1000, 4000, 16000, 50000, 100000]


def peak_bytes(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1])


def in_turns(commands, threads, rounds, first, ask):
    """{name: seconds, bytes} of contenders that take turns; `first` warms them up."""
    running = {name: contest.Contender(command, threads, greets=True) for name, command in commands.items() if command}
    for each in running.values():
        each.ask(first)
    seconds = {name: [] for name in running}
    for _ in range(rounds):
        for name, each in running.items():
            seconds[name].append(each.ask(ask)[0])
    row = {name: {"seconds": contest.spread(seconds[name]), "bytes": peak_bytes(each.process)} for name, each in running.items()}
    for each in running.values():
        each.close()
    return row


def training(sizes, threads, args):
    task = f"transformer_short:{','.join(map(str, sizes))}"
    commands = {"heed": [args.folder / "bench_train_step", task, "serve"],
                "pytorch": [] if args.alone else [args.python, HERE.parent / "train_step" / "pytorch.py", task, threads]}
    return in_turns(commands, threads, args.rounds, 1, 1)


def decoding(words, threads, args, models):
    folder = models / str(words)
    if not folder.exists():
        subprocess.run([args.python, HERE.parent / "translate" / "model.py", folder, str(words)], check=True)
    said = [32, 4, 32]  # batch, beam, words of every sentence
    commands = {"heed": [args.folder / "bench_translate", folder, "f32", *said],
                "pytorch": [] if args.alone else [args.python, HERE.parent / "translate" / "peers.py", "transformers", folder, "f32", *said, threads]}
    return in_turns(commands, threads, args.rounds, 1, 1)


def questions(args, models):
    """(question, its value, how it is answered)"""
    most = args.threads
    for threads in [n for n in THREADS if n <= most]:
        yield "threads", threads, lambda n=threads: training((32, 32, 8000), n, args)
        yield "decoding_threads", threads, lambda n=threads: decoding(16000, n, args, models)
    for words in VOCABULARIES:
        yield "vocabulary", words, lambda n=words: training((32, 32, n), most, args)
        yield "decoding_vocabulary", words, lambda n=words: decoding(n, most, args, models)
    for batch in BATCHES:
        yield "batch", batch, lambda n=batch: training((n, 32, 8000), most, args)
    for length in LENGTHS:
        yield "length", length, lambda n=length: training((TOKENS // n, n, 8000), most, args)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="build/release/bench")
    parser.add_argument("python", help="of the virtual environment with PyTorch and transformers")
    parser.add_argument("out", type=Path, help="JSON")
    parser.add_argument("--threads", type=int, default=16, help="the most; all questions but that of threads use them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="questions, with commas")
    parser.add_argument("--values", default="", help="of the questions, with commas")
    parser.add_argument("--alone", action="store_true", help="heed without PyTorch, whose step takes minutes at the greatest lengths")
    parser.add_argument("--seconds", type=float, default=1e9, help="no new question after these")
    args = parser.parse_args()
    wanted = args.only.split(",") if args.only else None
    values = args.values.split(",") if args.values else None
    begun, results = time.monotonic(), []
    with tempfile.TemporaryDirectory() as models:
        for question, value, answer in questions(args, Path(models)):
            left_out = wanted and question not in wanted or values and str(value) not in values
            if left_out or time.monotonic() - begun > args.seconds:
                continue
            row = {"question": question, "value": value, **answer()}
            said = [f"{name} {row[name]['seconds']['median']:.3f} s {row[name]['bytes'] / 2**20:.0f} MiB" for name in ("heed", "pytorch") if name in row]
            if "pytorch" in row:
                row["ratio"] = row["pytorch"]["seconds"]["median"] / row["heed"]["seconds"]["median"]
                said.append(f"{row['ratio']:.2f} x")
            results.append(row)
            print(f"{question:20s} {value:7d}: {', '.join(said)}", flush=True)
            contest.write(args, results)


main()
