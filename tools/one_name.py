#!/usr/bin/env python3
"""Holds every type under heed/ to one definition: no two files define a type of one name in one namespace.

Two such types are one to the linker: it keeps one std::vector<Piece>, say, for both, and the other's elements have another size. No
compiler sees it. A type that only one source needs is in a namespace without a name; those are left out.

    one_name.py [ROOT]    exit 1 and one line per fault
"""
import pathlib
import re
import sys

SOURCES = {".h", ".cpp", ".cu", ".cuh"}
SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*|R"([^()\\\s]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
                     re.S | re.M)
# What a brace opens is told by the words since the last brace or semicolon.
NAMESPACE = re.compile(r"\b(?:inline\s+)?namespace\b\s*([\w:]*)[^{]*$")
TYPE = re.compile(r"^(?!.*\btemplate\s*<\s*>)(?:.*[>\s])?\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?:\[\[.*?\]\]\s*)?(\w+)"
                  r"\s*(?:final\s*)?(?::(?!:).*)?$", re.S)


def types_of(text):
    """(name with its namespaces, line) of every type that the text defines in namespaces that have names."""
    text = SKIPPED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    open_braces = []  # the namespace that each one opened; "" for one without a name, None for anything else
    words = 0
    for found in re.finditer(r"[{};]", text):
        before = text[words:found.start()]
        words = found.end()
        if found[0] == "}":
            if open_braces:
                open_braces.pop()
        elif found[0] == "{":
            space = NAMESPACE.search(before)
            named = TYPE.match(before.strip())
            if named and all(open_braces):
                yield "::".join([*open_braces, named[1]]), text.count("\n", 0, found.start()) + 1
            open_braces.append(space[1] if space else None)


def check(root):
    places = {}
    for file in sorted((root / "heed").rglob("*")):
        if file.suffix in SOURCES:
            for name, line in types_of(file.read_text(encoding="utf-8")):
                places.setdefault(name, []).append(f"{file.relative_to(root)}:{line}")
    return [f"{there[1]}: {name} is defined in {there[0]} already; the linker takes them for one type, so one needs another name"
            for name, there in sorted(places.items()) if len(there) > 1], len(places)


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[1]
    faults, count = check(root)
    print("\n".join(faults) or f"{count} types, each defined once")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
