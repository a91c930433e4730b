#!/usr/bin/env python3
"""fuzz_campaign.py pack FOLDER | run FOLDER SECONDS [PROCESSES]: every target of fuzz/ at once, on another machine or on this one.

pack copies the programs of build/fuzz (build them with `make fuzz`), their libraries, the corpus and the dictionaries into FOLDER, which
then needs nothing else of its machine. run starts PROCESSES of them (by default as many as there are cores, at least one for each target;
those left over are of `model`), waits, and writes FOLDER/report.md: executions, executions a second of one process, edges reached
after half of the executions and at the end, and what was found, which is under FOLDER/found.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FLAGS = ["-entropic=0", "-print_funcs=0", "-malloc_limit_mb=64", "-rss_limit_mb=1024", "-timeout=5", "-print_final_stats=1"]
LIBRARY = re.compile(r"(?:=> )?(/\S+) \(0x")


def targets(folder):
    return sorted(path.name.removeprefix("fuzz_") for path in folder.glob("fuzz_*") if path.suffix == "" and path.is_file())


def pack(folder):
    built = ROOT / "build/fuzz/fuzz"
    (folder / "libraries").mkdir(parents=True, exist_ok=True)
    for name in targets(built):
        program = built / f"fuzz_{name}"
        shutil.copy(program, folder)
        subprocess.run(["strip", folder / program.name], check=True)
        for library in LIBRARY.findall(subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout):
            shutil.copy(library, folder / "libraries")
    shutil.copytree(ROOT / "fuzz/corpus", folder / "corpus", dirs_exist_ok=True)
    for path in (ROOT / "fuzz").glob("*.dict"):
        shutil.copy(path, folder)
    shutil.copy(__file__, folder)


def start(folder, name, number, seconds):
    for each in ("kept", "found", "logs"):
        (folder / each / name).mkdir(parents=True, exist_ok=True)
    words = [f"-max_total_time={seconds}", f"-seed={1000 + number}", f"-artifact_prefix={folder}/found/{name}/", *FLAGS]
    if (folder / f"{name}.dict").exists():
        words.append(f"-dict={folder}/{name}.dict")
    if name == "text":
        words.append("-max_len=256")
    loader = next((folder / "libraries").glob("ld-linux*"))
    log = folder / "logs" / name / f"{number}"
    with open(log, "w") as out:
        process = subprocess.Popen([loader, "--library-path", folder / "libraries", folder / f"fuzz_{name}", *words, folder / "kept" / name,
                                    folder / "corpus" / name], stdout=out, stderr=subprocess.STDOUT)
    return name, log, process


def judged(log):
    """(executions, seconds, edges after half of the executions, edges at the end) of one process."""
    text = log.read_text(errors="replace")
    lines = [(int(count), int(edges)) for count, edges in re.findall(r"^#(\d+)\s.*?cov: (\d+)", text, re.M)]
    executions = int((re.findall(r"number_of_executed_units: (\d+)", text) or [lines[-1][0] if lines else 0])[-1])
    seconds = int((re.findall(r"Done \d+ runs in (\d+) second", text) or [0])[-1])
    half = max((edges for count, edges in lines if 2 * count <= executions), default=0)
    return executions, seconds, half, lines[-1][1] if lines else 0


def run(folder, seconds, processes):
    names = targets(folder)
    names += ["model"] * max(0, processes - len(names))
    begun = [start(folder, name, number, seconds) for number, name in enumerate(names)]
    for _, _, process in begun:
        process.wait()
    report = ["| target | processes | executions | a second, each | edges after half | at the end | found |", "|---|---|---|---|---|---|---|"]
    for name in targets(folder):
        each = [judged(log) for other, log, _ in begun if other == name]
        rate = sum(one[0] for one in each) / max(1, sum(one[1] for one in each))
        found = len(list((folder / "found" / name).iterdir()))
        report.append(f"| {name} | {len(each)} | {sum(one[0] for one in each)} | {rate:.0f} | {max(one[2] for one in each)} | "
                      f"{max(one[3] for one in each)} | {found or 'nothing'} |")
    (folder / "report.md").write_text("\n".join(report) + "\n")
    print("\n".join(report))


def main():
    folder = pathlib.Path(sys.argv[2]).resolve()
    if sys.argv[1] == "pack":
        pack(folder)
    else:
        run(folder, int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else os.cpu_count() or 1)


if __name__ == "__main__":
    main()
