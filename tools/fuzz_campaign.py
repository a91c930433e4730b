#!/usr/bin/env python3
"""fuzz_campaign.py pack FOLDER [BUILD ROOT] | run FOLDER SECONDS OUT [PROCESSES] | rows SUMMARY.json: every target of fuzz/ at once.

pack copies the programs of BUILD (by default build/fuzz, which `make fuzz` makes; tools/fuzz_cross makes one for x86-64), the libraries
that they need from ROOT (by default /), the corpus, what earlier campaigns kept (fuzz/kept.tar.xz) and the dictionaries into FOLDER, which then needs nothing else of its machine.

run keeps PROCESSES of them going (by default as many as there are cores) for SECONDS in all. A process has a turn of some seconds; the
next turn goes to a target that needs it to reach its GOAL (see `choose`), and when all will reach theirs, to the one that has had the
least. All processes of a target share what they keep. What an earlier run kept and counted may lie in FOLDER/corpora.tar.xz and
FOLDER/earlier.json (its summary.json); this run goes on from there.

OUT then has summary.md (the rows of the table in docs/reliability.md), summary.json (edges over time), corpora.tar.xz (what reaches new
code, without what reaches nothing more than the others) and, if anything was found, found.tar.xz (the inputs and the logs).
rows prints the rows of a summary.json again.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Executions that the project asks for.
GOAL = {"model": 10_000_000}
GOAL_OF_OTHERS = 2_000_000
FLAGS = ["-entropic=0", "-print_funcs=0", "-malloc_limit_mb=64", "-rss_limit_mb=1024", "-timeout=5", "-print_final_stats=1", "-reload=5"]
# A text is short; a model file may grow at once, so that its parts can.
FLAGS_OF = {"text": ["-max_len=256"], "model": ["-len_control=0", "-max_len=8192"]}
SECONDS_TO_MERGE = 35
FLAT = 0.005  # coverage is called flat if it grew by less over the last half of the executions


def targets(folder):
    return sorted(path.name.removeprefix("fuzz_") for path in folder.glob("fuzz_*") if path.suffix == "" and path.is_file())


# --- packing ------------------------------------------------------------------------------------------------------------------------

def libraries(program, folders):
    """Every library that the program or one of its libraries names, by file name, as far as the folders have it."""
    found, open_ = {}, [program]
    while open_:
        said = subprocess.run(["readelf", "-d", "-l", open_.pop()], capture_output=True, text=True, check=True).stdout
        loader = re.findall(r"program interpreter: \S*/([^/\]]+)\]", said)
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", said) + loader:
            path = next((folder / name for folder in folders if (folder / name).exists()), None)
            if name not in found and path:
                found[name] = path
                open_.append(path)
    return found


def pack(folder, build, root):
    built = build / "fuzz"
    triplet = {62: "x86_64-linux-gnu", 183: "aarch64-linux-gnu"}[(built / f"fuzz_{targets(built)[0]}").read_bytes()[18]]  # e_machine
    folders = [root / place / triplet for place in ("lib", "usr/lib")] + [root / "lib64", root / "lib"]
    (folder / "libraries").mkdir(parents=True, exist_ok=True)
    for name in targets(built):
        program = built / f"fuzz_{name}"
        subprocess.run([f"{triplet}-strip", "-o", folder / program.name, program], check=True)
        for library, path in libraries(program, folders).items():
            shutil.copy(path, folder / "libraries" / library)
    shutil.copytree(ROOT / "fuzz/corpus", folder / "corpus", dirs_exist_ok=True)
    for path in (ROOT / "recipes").glob("*.toml"):
        shutil.copy(path, folder / "corpus/recipe")
    shutil.copy(ROOT / "fuzz/kept.tar.xz", folder / "corpora.tar.xz")
    for path in (ROOT / "fuzz").glob("*.dict"):
        shutil.copy(path, folder)
    shutil.copy(__file__, folder)


# --- running ------------------------------------------------------------------------------------------------------------------------

def ways(folder):
    """Ways to start a program, the safest first: ([words before it], {variables})."""
    own = {"LD_LIBRARY_PATH": str(folder / "libraries")}
    (folder / "others").mkdir(exist_ok=True)
    for path in (folder / "libraries").iterdir():
        if not re.match(r"(ld-linux|libc\.|libm\.|libpthread|libdl|librt|libresolv)", path.name):
            shutil.copy(path, folder / "others" / path.name)
    loader = next((folder / "libraries").glob("ld-linux*"))
    # The address sanitizer of clang 14 cannot always live with the kernel's random addresses.
    for before in (["setarch", os.uname().machine, "-R"], []):
        yield [*before], {"LD_LIBRARY_PATH": str(folder / "others")}
        yield [*before, str(loader), "--library-path", own["LD_LIBRARY_PATH"]], {}


def way(folder):
    for words, variables in ways(folder):
        try:
            tried = [subprocess.run([*words, folder / "fuzz_json", "-runs=10", "-detect_leaks=0"], capture_output=True, timeout=20,
                                    env=os.environ | variables | {"ASAN_OPTIONS": "detect_leaks=0"}) for _ in range(6)]
        except (OSError, subprocess.TimeoutExpired):
            continue
        if all(one.returncode == 0 for one in tried):
            return words, variables
        print("fuzz_campaign: cannot start it by", words, tried[0].stderr.decode(errors="replace")[-300:], flush=True)
    raise SystemExit("fuzz_campaign: saw no way to start the programs on this machine, needs one; see what was said above")


class Target:
    """One target: its turns so far, and the edges that its processes had reached when they were looked at."""

    def __init__(self, folder, name, how):
        self.folder, self.name, self.how = folder, name, how
        self.goal = GOAL.get(name, GOAL_OF_OTHERS)
        self.done, self.busy, self.turns, self.running = 0, 0.0, [], []
        self.done_before, self.busy_before = 0, 0.0
        self.edges = []  # (seconds since the beginning, most edges of any process)
        for each in ("kept", "found", "logs"):
            (folder / each / name).mkdir(parents=True, exist_ok=True)

    def command(self, *words):
        before, variables = self.how
        dictionary = self.folder / f"{self.name}.dict"
        more = [f"-dict={dictionary}"] if dictionary.exists() else []
        return [*before, self.folder / f"fuzz_{self.name}", *FLAGS, *FLAGS_OF.get(self.name, []), *more, *words], os.environ | variables

    def rate(self):
        if self.busy:
            return max(1.0, self.done / self.busy)
        return max(1.0, self.done_before / self.busy_before) if self.busy_before else 1000.0

    def coming(self):
        """Executions that running processes will add."""
        return self.rate() * sum(turn["until"] - turn["began"] for turn in self.running)

    def need(self):
        """Seconds of one processor that are missing for the goal; a little more than the rate says, as rates fall."""
        return 1.1 * (self.goal - self.done_before - self.done - self.coming()) / self.rate()

    def start(self, number, now, seconds):
        log = self.folder / "logs" / self.name / str(number)
        words, variables = self.command(f"-max_total_time={int(seconds)}", f"-seed={1000 + number}",
                                        f"-artifact_prefix={self.folder}/found/{self.name}/", self.folder / "kept" / self.name,
                                        self.folder / "corpus" / self.name)
        with open(log, "w") as out:
            process = subprocess.Popen(words, env=variables, stdout=out, stderr=subprocess.STDOUT)
        self.running.append({"log": log, "process": process, "began": now, "until": now + seconds})

    def look(self, now):
        """Takes what ended, and notes the edges."""
        most = max((edges for turn in self.running for _, edges in counts(turn["log"])[-1:]), default=0)
        if most > (self.edges[-1][1] if self.edges else 0):
            self.edges.append((now, most))
        for turn in self.running:  # at an interrupt it says what it has done, and ends
            if now > turn["until"] + 4 and turn["process"].poll() is None:
                turn["process"].send_signal(signal.SIGINT if now < turn["until"] + 8 else signal.SIGKILL)
        for turn in [turn for turn in self.running if turn["process"].poll() is not None]:
            self.running.remove(turn)
            text = turn["log"].read_text(errors="replace")
            executions = re.findall(r"number_of_executed_units: (\d+)", text) or [count for count, _ in counts(turn["log"])[-1:]] or [0]
            turn["executions"], turn["ended"] = int(executions[-1]), now
            self.done += turn["executions"]
            self.busy += now - turn["began"]
            self.turns.append(turn)

    def found(self):
        return sorted((self.folder / "found" / self.name).iterdir())

    def record(self):
        """What summary.json keeps: enough to write the row of the table again."""
        return {"executions": self.done_before + self.done, "goal": self.goal, "core_seconds": round(self.busy_before + self.busy, 1),
                "of_this_run": [self.done, round(self.busy, 1)], "edges_over_seconds": [[round(when, 1), edges] for when, edges in self.edges],
                "turns": [[round(turn["began"], 1), round(turn["ended"], 1), turn["executions"]] for turn in self.turns],
                "found": [path.name for path in self.found()]}


def half_of(turns):
    """When half of the executions of these turns were done; within a turn they are thought to be evenly spread."""
    def done_by(moment):
        return sum(count * min(1.0, max(0.0, moment - began) / max(0.1, ended - began)) for began, ended, count in turns)
    low, high = 0.0, max((ended for _, ended, _ in turns), default=0.0)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if 2 * done_by(middle) >= done_by(1e9) else (middle, high)
    return high


def row(name, record):
    edges, turns = record["edges_over_seconds"], record["turns"]
    end = edges[-1][1] if edges else 0
    half = max((count for when, count in edges if when <= half_of(turns)), default=0)
    seconds = sum(ended - began for began, ended, _ in turns)
    rate = sum(count for _, _, count in turns) / seconds if seconds else 0
    grown = (end - half) / max(1, end)
    verdict = "not run" if not turns else "flat" if grown < FLAT else f"grew by {100 * grown:.1f} %"
    found = ", ".join(path[:20] for path in record["found"]) or "nothing"
    return (f"| {name} | {record['executions']:,} | {record['core_seconds']:.0f} | {rate:,.0f} | {half:,} | {end:,} | ".replace(",", " ")
            + f"{verdict} | {found} |")


def counts(log):
    """(executions, edges) of every line of a log that has both."""
    return [(int(count), int(edges)) for count, edges in re.findall(r"^#(\d+)\s.*?cov: (\d+)", log.read_text(errors="replace"), re.M)]


def choose(all_targets, processes):
    """The target of the next turn. Small goals have half of the processes until they are reached, the large one has the rest."""
    small = [target for target in all_targets if target.name not in GOAL]
    open_ = [target for target in small if target.need() > 0]
    large = [target for target in all_targets if target.name in GOAL and target.need() > 0]
    if not large or 2 * sum(len(target.running) for target in small) < processes:
        large = open_ or large
    if large:
        return max(large, key=lambda target: target.need() / (1 + len(target.running)))
    return min(all_targets, key=lambda target: (target.done_before + target.done + target.coming()) / target.goal)


def fuzz(all_targets, began, seconds, processes):
    """Turns until the time is over."""
    number = 0
    turn_seconds = max(10.0, min(75.0, seconds / 7))
    while True:
        now = time.time() - began
        for target in all_targets:
            target.look(now)
        running = sum(len(target.running) for target in all_targets)
        if now >= seconds - 2 and running == 0:
            return
        while running < processes and now < seconds - 8:
            chosen = choose(all_targets, processes)
            length = max(10.0, min(turn_seconds, chosen.need())) if chosen.done_before + chosen.done else min(20.0, seconds / 10)
            rest = seconds - now
            number += 1
            chosen.start(number, now, rest if rest < 1.5 * length else length)
            running += 1
        time.sleep(1.0)


def merge(all_targets, deadline):
    """What is kept without what adds nothing; a target that takes too long keeps all."""
    begun = []
    for target in all_targets:
        to = target.folder / "merged" / target.name
        to.mkdir(parents=True, exist_ok=True)
        words, variables = target.command("-merge=1", to, target.folder / "corpus" / target.name, target.folder / "kept" / target.name)
        begun.append((target, to, subprocess.Popen(words, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                                   start_new_session=True)))
    for target, to, process in begun:
        try:
            process.wait(max(1.0, deadline - time.time()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
        if process.returncode != 0:
            shutil.rmtree(to)
            shutil.copytree(target.folder / "kept" / target.name, to)


def keep(all_targets, out):
    """corpora.tar.xz, with the smallest inputs of each target first and at most 24 MB of each before they are packed."""
    with tarfile.open(out / "corpora.tar.xz", "w:xz", preset=1) as archive:
        for target in all_targets:
            room = 24_000_000 if target.name == "model" else 6_000_000
            for path in sorted((target.folder / "merged" / target.name).iterdir(), key=lambda path: path.stat().st_size):
                room -= path.stat().st_size
                if room < 0:
                    break
                archive.add(path, f"{target.name}/{path.name}")
    if any(target.found() for target in all_targets):
        with tarfile.open(out / "found.tar.xz", "w:xz") as archive:
            for target in all_targets:
                for path in target.found():
                    archive.add(path, f"{target.name}/{path.name}")
                for turn in target.turns if target.found() else []:
                    archive.add(turn["log"], f"{target.name}/logs/{turn['log'].name}")


def summary(all_targets, seconds, processes, how):
    total = sum(target.done for target in all_targets)
    missed = [f"{target.name} ({target.done_before + target.done:,} of {target.goal:,})" for target in all_targets
              if target.done_before + target.done < target.goal]
    lines = ["| target | executions | seconds of one core | a second | edges at half | at the end | last half | found |",
             "|---|---|---|---|---|---|---|---|", *(row(target.name, target.record()) for target in all_targets), "",
             f"This run: {total:,} executions in {seconds:.0f} s on {processes} cores; short of the goal: {', '.join(missed) or 'none'}.".replace(",", " "),
             f"Started by: {' '.join(how[0]) or 'the system’s loader'}."]
    return "\n".join(lines) + "\n"


def run(folder, seconds, out, processes):
    began = time.time()
    out.mkdir(parents=True, exist_ok=True)
    how = way(folder)
    all_targets = [Target(folder, name, how) for name in targets(folder)]
    earlier = folder / "corpora.tar.xz"
    if earlier.exists():
        with tarfile.open(earlier) as archive:
            archive.extractall(folder / "kept")
    if (folder / "earlier.json").exists():
        earlier = json.loads((folder / "earlier.json").read_text())
        for target in all_targets:
            target.done_before = earlier.get(target.name, {}).get("executions", 0)
            target.busy_before = earlier.get(target.name, {}).get("core_seconds", 0.0)
    fuzz(all_targets, began, seconds - SECONDS_TO_MERGE, processes)
    text = summary(all_targets, time.time() - began, processes, how)
    print(text, flush=True)
    (out / "summary.md").write_text(text)
    (out / "summary.json").write_text(json.dumps({target.name: target.record() for target in all_targets}, indent=1) + "\n")
    merge(all_targets, began + seconds - 10)
    keep(all_targets, out)


def main():
    folder = pathlib.Path(sys.argv[2]).resolve()
    if sys.argv[1] == "rows":
        print("\n".join(row(name, record) for name, record in json.loads(folder.read_text()).items()))
    elif sys.argv[1] == "pack":
        build, root = (pathlib.Path(word).resolve() for word in (sys.argv[3:5] or (ROOT / "build/fuzz", "/")))
        pack(folder, build, root)
    else:
        run(folder, int(sys.argv[3]), pathlib.Path(sys.argv[4]).resolve(), int(sys.argv[5]) if len(sys.argv) > 5 else os.cpu_count() or 1)


if __name__ == "__main__":
    main()
