"""What every bench/<question>/compare.py shares: contenders that take turns, medians with their spread, a result with its machine.

A contender is a process that waits for a line, works, and answers with a line of seconds; so all of them live through one run,
warm, and take turns. A benchmark of Google's is asked anew each time (it has no such loop).
"""
import argparse
import datetime
import functools
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

import report

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}


def arguments(doc, rounds=5):
    """The arguments that all questions take; a question adds its own."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="build/release/bench/bench_QUESTION")
    parser.add_argument("python", help="of the virtual environment with the peers (bench/README.md)")
    parser.add_argument("out", type=Path, help="JSON")
    parser.add_argument("--threads", type=int, default=2, help="1: both contenders are pinned to one core")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--filter", default=".", help="a regular expression: only these")
    return parser


def cpu_name():
    for line in subprocess.run(["lscpu"], capture_output=True, text=True).stdout.splitlines():
        if line.startswith("Model name:"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def multiplies_bf16():
    return re.search(r"\b(bf16|avx512_bf16|amx_bf16)\b", Path("/proc/cpuinfo").read_text()) is not None


@functools.lru_cache
def version_of(package, python):
    return subprocess.run([python, "-c", f"import {package}; print({package}.__version__)"], capture_output=True, text=True).stdout.strip()


def commit():
    here = Path(__file__).parent
    return subprocess.run(["git", "-C", here, "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()


def spread(values):
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def pinned(command, threads):
    """One thread is one core: PyTorch's library does not keep to one thread by itself."""
    words = [str(word) for word in command]
    return ["taskset", "-c", "0", *words] if threads == 1 else words


def environment(threads):
    return {**os.environ, "HEED_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}


class Contender:
    """A process that works when told to, and sleeps otherwise. `greets`: it says a line when it is ready."""

    def __init__(self, command, threads, greets=False):
        self.process = subprocess.Popen(pinned(command, threads), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=environment(threads))
        self.greeting = self.process.stdout.readline().split() if greets else []
        if greets and self.greeting[:1] != ["ready"]:
            sys.exit(f"{command}: saw {self.greeting}, needs ready")

    def ask(self, *words):
        """Its answer as numbers; None where it says that it cannot."""
        print(*words, file=self.process.stdin, flush=True)
        said = self.process.stdout.readline().split()
        return None if said in ([], ["none"]) else [float(word) for word in said]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class GoogleBenchmark:
    """heed's side where it is a list of Google's benchmarks."""

    def __init__(self, binary, threads):
        self.binary, self.threads = binary, threads

    def names(self, wanted="."):
        said = subprocess.run([self.binary, "--benchmark_list_tests"], capture_output=True, text=True, check=True).stdout.split()
        names = [re.sub(r"/(min_time:[^/]*|process_time|real_time)", "", name) for name in said]
        return [name for name in names if re.search(wanted, name)]

    def run(self, name, floor):
        """(wall's seconds, the processor's seconds, all that it says); it runs for `floor` seconds at least."""
        ask = [self.binary, f"--benchmark_filter=^{name}(/min_time:.*|/process_time|/real_time)*$", "--benchmark_format=json",
               f"--benchmark_min_time={floor}"]
        said = subprocess.run(pinned(ask, self.threads), env=environment(self.threads), capture_output=True, text=True, check=True).stdout
        run = json.loads(said)["benchmarks"][0]
        unit = UNITS[run["time_unit"]]
        return run["real_time"] * unit, run["cpu_time"] * unit, run


def write(args, results, **more):
    """The result with what another needs to get it again."""
    about = {"command": " ".join(sys.argv), "date": datetime.date.today().isoformat(), "commit": commit(), "cpu": cpu_name(),
             "cores": os.cpu_count(), "load": os.getloadavg()[0], "threads": args.threads, "rounds": args.rounds,
             "pytorch": version_of("torch", args.python), **more}
    report.save(args.out, about, results)


def once(words):
    """(seconds, the processor's seconds, resident bytes) of one process."""
    begin = time.perf_counter()
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{words}: exit {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024
