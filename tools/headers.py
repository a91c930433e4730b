#!/usr/bin/env python3
"""headers.py BUILD [ROOT]: every header under heed/ compiles alone.

A source that includes its own header first has already shown it when it was compiled; the headers that are left (no source of
the same name, or one that includes something else before) are compiled here, each as a source of one line. CUDA's own headers
(.cuh) are nvcc's business and are left out.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

FIRST = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def shown_by_source(header, root):
    """Whether the source beside `header` includes it before anything else."""
    source = header.with_suffix(".cpp")
    found = FIRST.search(source.read_text(encoding="utf-8")) if source.is_file() else None
    return found is not None and found[1] == header.relative_to(root).as_posix()


def third_party_folders(build):
    """Where the libraries' headers lie that are not on the compiler's own path."""
    cache = (build / "CMakeCache.txt").read_text() if (build / "CMakeCache.txt").is_file() else ""
    folders = re.findall(r"^[A-Z0-9_]+_INCLUDE_DIR:PATH=(/.+)$", cache, re.M)
    return [f"-isystem{folder}" for folder in folders if folder != "/usr/include"]


def compile_alone(header, root, build):
    """The compiler's complaint about a source that holds nothing but this header, or ''."""
    name = header.relative_to(root).as_posix()
    source = build / "headers" / (name.replace("/", "_") + ".cpp")
    line = f'#include "{name}"\n'
    if not source.is_file() or source.read_text() != line:
        source.write_text(line)
    launcher = ["ccache"] if shutil.which("ccache") else []
    command = [*launcher, os.environ.get("CXX", "c++"), "-std=c++20", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
               "-fopenmp-simd", "-I.",
               *third_party_folders(build), "-c", os.path.relpath(source, root), "-o", os.path.relpath(source, root) + ".o"]
    environment = {**os.environ, "CCACHE_BASEDIR": str(root)}
    run = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    return "" if run.returncode == 0 else f"{name} does not compile alone:\n{run.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    options = parser.parse_args()
    root, build = options.root.resolve(), options.build.resolve()
    (build / "headers").mkdir(parents=True, exist_ok=True)
    headers = sorted((root / "heed").rglob("*.h"))
    alone = [h for h in headers if not shown_by_source(h, root)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [fault for fault in pool.map(lambda h: compile_alone(h, root, build), alone) if fault]
    print("\n".join(faults) or f"{len(headers)} headers compile alone: {len(headers) - len(alone)} shown by their source, {len(alone)} here")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
