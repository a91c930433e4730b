#!/usr/bin/env python3
"""Holds every #include under heed/ to the heed_layer() lines of CMakeLists.txt.

    heed_layer(NAME layer… THIRD library…)

A file of NAME may include its own layer, the layers on its line, the libraries after THIRD and the system's headers;
nothing else. A line may name only layers of earlier lines, so there is no cycle, and never a sibling in the same folder
(backend/all, which exists to list its siblings, is the exception).

A header in heed/ itself (heed/heed.h) is a list of headers for programs: it includes, and holds nothing of its own.

Only cli reads the environment, prints and ends the process: below it all that is handed in as values and handed back as results.
Headers that device code shares (SHARED_WITH_DEVICES) reach no library of others, not even through other headers.

    layers.py [ROOT]          check, the table of floors in docs/architecture.md too; exit 1 and one line per fault
    layers.py --write [ROOT]  bring that table up to date with the lines
"""
import argparse
import pathlib
import re
import sys

# Which headers belong to which library. A library that is not here cannot be included anywhere.
THIRD = {
    "crypto": r"openssl/.*",
    "fmt": r"fmt/.+",
    "nlohmann": r"nlohmann/.+",
    "zlib": r"zlib\.h|zconf\.h",
    "hwy": r"hwy/.+",
    "utf8proc": r"utf8proc\.h",
    "toml": r"toml\+\+/.+|toml\.hpp",
    "sentencepiece": r"sentencepiece.+",
    "png": r"png\.h|pngconf\.h",
    "freetype": r"ft2build\.h|freetype/.+",
    "jpeg": r"jpeglib\.h|jerror\.h|turbojpeg\.h",
    "sndfile": r"sndfile\.hh?",
    "soxr": r"soxr\.h",
    "kissfft": r"kissfft/.+|kiss_fft.*\.h",
    "boost": r"boost/.+",
    "mpi": r"mpi\.h",
    "cuda": r"cuda.*|cub/.+|cublas.+|nccl\.h|curand.+|nvrtc\.h|cooperative_groups.*|mma\.h|thrust/.+",
    "pybind11": r"pybind11/.+",
}
# The C++ standard library has no dot and no capital; the rest is C, POSIX, Linux and the compiler's own intrinsics.
SYSTEM = re.compile(
    r"[a-z_0-9]+|experimental/[a-z_]+"
    r"|(assert|ctype|errno|fenv|float|inttypes|limits|locale|math|setjmp|signal|stdarg|stddef|stdint|stdio|stdlib|string|time|wchar)\.h"
    r"|(aio|dirent|dlfcn|endian|fcntl|fnmatch|glob|grp|langinfo|netdb|poll|pthread|pwd|sched|semaphore|spawn|strings|syslog|termios|unistd)\.h"
    r"|(sys|netinet|arpa|net|linux|asm|bits)/[a-z_0-9/]+\.h|execinfo\.h|malloc\.h"
    r"|arm_(neon|acle|bf16|fp16)\.h|immintrin\.h|x86intrin\.h|cpuid\.h")
# Headers that device code shares: whatever they include, and include by others, is ours or the standard library's.
SHARED_WITH_DEVICES = ["heed/base/philox.h", "heed/device/dtype.h", "heed/device/functions.h", "heed/device/kernel/*.h",
                       "heed/device/kernel_key.h", "heed/device/shape.h", "heed/device/view.h"]
SOURCES = {".h", ".cpp", ".cu", ".cuh"}
OTHER_SOURCES = {".c", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".inl", ".inc", ".ipp", ".tpp", ".cppm", ".ixx"}
INCLUDE = re.compile(r"^[ \t]*#[ \t]*(?:include|include_next|import)\b[ \t]*(.*)$", re.M)
MODULE = re.compile(r"^[ \t]*(?:export[ \t]+)?import[ \t]+[^;\n]+;", re.M)
PROBE = re.compile(r"__has_include(?:_next)?[ \t]*\([ \t]*([<\"][^>\"]+[>\"])")
COMMENT_OR_STRING = re.compile(
    r'//(?:[^\n])*|/\*.*?\*/|R"([^()\\\s]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)

# What a library leaves to the program that it is part of.
OUTSIDE = re.compile(
    r"\b(?:secure_)?getenv\b|\b(?:set|unset|put)env\b|\benviron\b|\bstd::(?:cout|cerr|clog)\b|\bfmt::print\b"
    r"|\bv?f?printf\s*\(|\bf?puts\s*\(|\bf?putc(?:har)?\s*\(|\bperror\s*\(|\bstd(?:out|err)\b|\bwrite\s*\(\s*(?:STD(?:OUT|ERR)_FILENO|[12])\b"
    r"|\b(?:quick_|_)?exit\s*\(|\babort\s*\(|\bstd::terminate\b")
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')


def parse_lines(text):
    """{layer: (layers it may include, libraries it may include)} in the order of the lines; CMake refuses a second line."""
    text = re.sub(r"#[^\n]*", "", text)
    floors = {}
    for line in re.findall(r"\bheed_layer\s*\(([^)]*)\)", text):
        name, *rest = line.split()
        cut = rest.index("THIRD") if "THIRD" in rest else len(rest)
        floors[name] = (rest[:cut], rest[cut + 1:])
    return floors


def faults_of_lines(floors):
    seen = set()
    for name, (below, third) in floors.items():
        for lower in below:
            if lower not in seen:
                yield f"CMakeLists.txt: {name} names {lower}, which no earlier heed_layer line declares; arrows run downward"
            parent = name.rpartition("/")[0]
            if parent and lower.rpartition("/")[0] == parent and not name.endswith("/all"):
                yield f"CMakeLists.txt: {name} names its sibling {lower}; siblings never include each other"
        for library in third:
            if library not in THIRD:
                yield f"CMakeLists.txt: {name} names THIRD {library}, whose headers tools/layers.py does not know; add them there"
        seen.add(name)


def without_comments(text):
    """Comments become spaces, with their line ends kept; strings stay, for an include's path may be one."""
    text = re.sub(r"\\\r?\n", " ", text)

    def blank(found):
        piece = found[0]
        if piece.startswith("/"):
            return " " + "\n" * piece.count("\n")
        return '""' + "\n" * piece.count("\n") if piece.startswith("R") else piece

    return COMMENT_OR_STRING.sub(blank, text)


def layer_of(path, floors):
    """The layer of heed/<layer>/…, the deepest that fits."""
    return max((f for f in floors if path.startswith(f"heed/{f}/")), key=len, default=None)


def fault_of_include(spelling, home, floors, root):
    """Why a file of layer `home` may not include `spelling` ("…" or <…>), or None."""
    found = re.fullmatch(r'"([^"]+)"|<([^>]+)>', spelling)
    if not found:
        return f"includes {spelling or 'nothing'}; spell the header out"
    header = found[1] or found[2]
    below, third = floors[home]
    if header.startswith("heed/"):
        there = layer_of(header, floors)
        if found[2]:
            return f"includes {spelling}; ours are written with quotes"
        if ".." in header or not (root / header).is_file():
            return f"includes {spelling}, which does not exist"
        if there is None or (there != home and there not in below):
            return f"{home} may not include {header} (its line allows {' '.join(below) or 'nothing'})"
        return None
    owner = next((name for name, pattern in THIRD.items() if re.fullmatch(pattern, header)), None)
    if owner is not None:
        if owner in third:
            return None
        return f"{home} may not include {header} of {owner} (its line allows THIRD {' '.join(third) or 'nothing'})"
    if found[1]:
        return f'includes {spelling}; ours are written "heed/<layer>/<thing>.h", others with <>'
    if SYSTEM.fullmatch(header):
        return None
    return f"includes {spelling}, which belongs to no library that tools/layers.py knows"


def faults_of_file(file, floors, root):
    name = file.relative_to(root).as_posix()
    home = layer_of(name, floors)
    if file.parent == root / "heed" and file.suffix == ".h":
        yield from faults_of_umbrella(file, floors, root)
        return
    if home is None:
        yield f"{name}: this folder has no heed_layer line in CMakeLists.txt"
        return
    if file.suffix in OTHER_SOURCES:
        yield f"{name}: sources end in {' '.join(sorted(SOURCES))}; rename it"
        return
    if file.suffix in {".cu", ".cuh"} and home != "backend/cuda":
        yield f"{name}: only backend/cuda holds CUDA sources"
    text = without_comments(file.read_text(encoding="utf-8"))
    spellings = [(m.start(), m[1].strip()) for m in INCLUDE.finditer(text)]
    spellings += [(m.start(), m[1]) for m in PROBE.finditer(text)]
    for start, spelling in sorted(spellings):
        fault = fault_of_include(spelling, home, floors, root)
        if fault:
            yield f"{name}:{text.count(chr(10), 0, start) + 1}: {fault}"
    for found in OUTSIDE.finditer(STRING.sub('""', text)) if home != "cli" else []:
        yield (f"{name}:{text.count(chr(10), 0, found.start()) + 1}: {found[0].strip(' (')}: only cli reads the environment, prints "
               "and exits; take a value, or hand back a result")
    for found in MODULE.finditer(text):
        yield f"{name}:{text.count(chr(10), 0, found.start()) + 1}: imports a module; use #include"


def faults_of_umbrella(file, floors, root):
    """heed/heed.h and the like: a list of headers below cli that are installed, and nothing else."""
    text = without_comments(file.read_text(encoding="utf-8"))
    for line in filter(None, map(str.strip, text.splitlines())):
        found = re.fullmatch(r'#include "(heed/[^"]+\.h)"', line)
        if line != "#pragma once" and not (found and layer_of(found[1], floors) not in (None, "cli") and (root / found[1]).is_file()):
            yield f"{file.relative_to(root)}: saw `{line}`; it lists headers of layers below cli and holds nothing of its own"


def faults_of_shared(root):
    """Libraries that a header which device code shares reaches, with the way there."""
    for start in sorted(file for pattern in SHARED_WITH_DEVICES for file in root.glob(pattern)):
        ways = [[start.relative_to(root).as_posix()]]
        seen = set(ways[0])
        while ways:
            way = ways.pop()
            for spelling in INCLUDE.findall(without_comments((root / way[-1]).read_text(encoding="utf-8"))):
                header = spelling.strip()[1:-1]
                if any(re.fullmatch(pattern, header) for pattern in THIRD.values()):
                    yield f"{way[0]}: device code shares it, and it reaches {header} by way of {' → '.join(way[1:]) or 'itself'}"
                elif header not in seen and (root / header).is_file():
                    seen.add(header)
                    ways.append([*way, header])


def faults_of_build(root):
    """Arrows drawn anywhere but on a heed_layer line."""
    for file in [root / "CMakeLists.txt", *sorted((root / "heed").rglob("CMakeLists.txt"))]:
        text = re.sub(r"#[^\n]*", "", file.read_text())
        if re.search(r"\btarget_link_libraries\s*\(\s*heed_", text):
            yield f"{file.relative_to(root)}: links a layer by hand; its heed_layer line is the place"


def faults_of_tests(root):
    """Tests whose names are not in a namespace of their own: several are compiled as one source."""
    for file in sorted((root / "tests").glob("*/**/*_test.cpp")):
        if not re.search(rf"^namespace heed(::test)?::{file.stem} {{$", file.read_text(encoding="utf-8"), re.M):
            yield f"{file.relative_to(root)}: its names are in no namespace of its own; open heed::test::{file.stem}"


def check(root):
    floors = parse_lines((root / "CMakeLists.txt").read_text())
    faults = [*faults_of_lines(floors), *faults_of_build(root), *faults_of_shared(root), *faults_of_tests(root)]
    files = [f for f in sorted((root / "heed").rglob("*")) if f.suffix in SOURCES | OTHER_SOURCES]
    for file in files:
        faults += faults_of_file(file, floors, root)
    page = root / "docs/architecture.md"
    if page.is_file() and page.read_text() != document(page.read_text(), floors):
        faults.append("docs/architecture.md: its table of floors is not what the heed_layer lines say; run tools/layers.py --write")
    return faults, len(floors), len(files)


def document(text, floors):
    """docs/architecture.md with the last two columns of its table of floors as the lines have them.

    The table begins at the row `| layer | lives here |`; a layer it lacks gets a row, one that has gone loses it.
    """
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith("| layer | lives here |")), None)
    if start is None:
        return text
    end = next((i for i in range(start, len(lines)) if not lines[i].startswith("|")), len(lines))
    purpose = {cells[1].strip(" `"): cells[2].strip() for cells in (line.split("|") for line in lines[start + 2:end])}
    rows = [f"| `{name}` | {purpose.get(name, '')} | {' '.join(below) or '–'} | {' '.join(third) or '–'} |"
            for name, (below, third) in floors.items()]
    return "\n".join(lines[:start + 2] + rows + lines[end:]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    parser.add_argument("--write", action="store_true", help="write the lines into docs/architecture.md")
    options = parser.parse_args()
    if options.write:
        page = options.root / "docs/architecture.md"
        page.write_text(document(page.read_text(), parse_lines((options.root / "CMakeLists.txt").read_text())))
    faults, floors, files = check(options.root)
    print("\n".join(faults) or f"{floors} layers, {files} files, every include runs downward")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
