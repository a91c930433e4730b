#!/usr/bin/env python3
"""alone.py [--sources] BUILD [ROOT]: every header under heed/ compiles alone, and with --sources every source there and under bench/, too.

They are only parsed, by the compiler and with the flags that BUILD/compile_commands.json has for a source of the same layer, and
every warning is an error. BUILD compiles several sources of a layer as one, which hides a missing #include. A source that includes
its own header first shows that the header compiles alone; the other headers (no source of the same name, or one that includes
something else before) are each parsed as a source of one line. CUDA's own headers (.cuh) are left to nvcc.

A file that was clean is not parsed again until something it depends on changes (tools/verdicts.py).
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

from verdicts import Verdicts, versions

FIRST = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)
TARGET = re.compile(r"CMakeFiles/(heed_\w+)\.dir/")


def shown_by_source(header, root):
    """Whether the source beside `header` includes it before anything else."""
    source = header.with_suffix(".cpp")
    found = FIRST.search(source.read_text(encoding="utf-8")) if source.is_file() else None
    return found is not None and found[1] == header.relative_to(root).as_posix()


class Flags:
    """How each layer is compiled."""

    def __init__(self, build):
        entries = json.loads((build / "compile_commands.json").read_text())
        self.compiled_alone = {entry["file"] for entry in entries}
        self.of_target = {}
        for entry in entries:
            target = TARGET.search(entry["command"])
            if target:
                self.of_target.setdefault(target[1], self.parsing(entry))

    @staticmethod
    def parsing(entry):
        """The command of `entry` without its launcher, source and output, to parse in place of compiling."""
        words = shlex.split(entry["command"])
        first = next(i for i, word in enumerate(words) if re.search(r"(\+\+|g?cc|clang)(-\d+)?$", word))
        kept, words = [words[first]], iter(words[first + 1:])
        for word in words:
            if word in ("-o", "-MT", "-MF", "-c"):
                next(words)
            elif word not in ("-MD", entry["file"]):
                kept.append(word)
        # Highway's kernels are parsed for one SIMD target: what they include does not depend on it.
        return [*kept, "-DHWY_COMPILE_ONLY_STATIC", "-fsyntax-only", "-Werror"]

    def of(self, file, root):
        """The parsing command of the layer that `file` belongs to, which is the innermost folder that has one."""
        if file.parent == root / "heed" or file.is_relative_to(root / "bench"):
            return self.of_target.get("heed_api")  # what programs and benchmarks include is made of what is below this layer
        for folder in file.relative_to(root / "heed").parents:
            found = self.of_target.get("heed_" + folder.as_posix().replace("/", "_"))
            if found:
                return found
        return None


class Checker:
    def __init__(self, root, build):
        self.root, self.build = root, build
        self.flags = Flags(build)
        self.verdicts = {}

    def check(self, file):
        """(whether it was known to be clean, the compiler's complaint or '')"""
        name = file.relative_to(self.root).as_posix()
        command = self.flags.of(file, self.root)
        if command is None:
            return False, f"{name}: no source of its layer is in {self.build}/compile_commands.json, which would tell its flags; add one or build first"
        compiler = command[0]
        if compiler not in self.verdicts:
            self.verdicts[compiler] = Verdicts("alone", self.root, versions(compiler))
        verdicts = self.verdicts[compiler]
        key = verdicts.key(file, shlex.join([name, *command]), str(self.build))
        if verdicts.is_clean(key):
            return True, ""
        line = f'#include "{name}"\n' if file.suffix == ".h" else ""
        source = ["-x", "c++", "-"] if line else [str(file)]
        run = subprocess.run([*command, *source], cwd=self.build, input=line, capture_output=True, text=True)
        if run.returncode:
            return False, f"{name} does not compile alone:\n{run.stderr}"
        verdicts.keep(key)
        return False, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", action="store_true", help="check the sources, too")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    options = parser.parse_args()
    start = time.monotonic()
    root, build = options.root.resolve(), options.build.resolve()
    checker = Checker(root, build)
    headers = sorted((root / "heed").rglob("*.h"))
    files = [h for h in headers if not shown_by_source(h, root)]
    count = f"{len(headers)} headers, {len(headers) - len(files)} of them shown by their source"
    if options.sources:
        sources = sorted((root / "heed").rglob("*.cpp"))
        files += [s for s in sources if str(s) not in checker.flags.compiled_alone]
        benchmarks = sorted((root / "bench").rglob("*.cpp"))  # `make bench` compiles them, the tests do not
        sources += benchmarks
        files += benchmarks
        count += f", and {len(sources)} sources compile alone"
    else:
        count += ", compile alone"
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(checker.check, files))
    faults = [fault for _, fault in results if fault]
    known = sum(known for known, _ in results)
    print("\n".join(faults) or f"{count}: {known} known, {len(files) - known} parsed in {time.monotonic() - start:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
