#!/usr/bin/env python3
"""glyphs.py UNIFONT.HEX: writes heed/see/glyph_table.cpp, GNU Unifont's bitmaps for the drawings' labels.

UNIFONT.HEX is /usr/share/unifont/unifont.hex of Debian's package unifont (lines CODE:BITMAP, 16 rows of 8 or 16 pixels).
Hangul syllables and private use are left out. Licence and attribution: docs/licences/README.md.

The table is zlib's stream of
    u32 runs; for each run u32 first code, u16 count, u16 bytes a row (1 or 2);
    the bitmaps in that order, 16 rows each: of wide ones the left halves of all rows, then the right halves
(little-endian), written in base64.
"""
import base64
import pathlib
import struct
import sys
import zlib

WIDTH = 96  # characters of base64 a line
LINES = 600  # a literal: compilers need not take more than 65536 characters


def wanted(code):
    return not 0xAC00 <= code <= 0xD7AF and not 0xE000 <= code <= 0xF8FF and code <= 0xFFFD and code >= 0x20


def read(path):
    glyphs = {}
    for line in pathlib.Path(path).read_text().splitlines():
        code, bitmap = line.split(":")
        if wanted(int(code, 16)):
            glyphs[int(code, 16)] = bytes.fromhex(bitmap)
    return dict(sorted(glyphs.items()))


def packed(glyphs):
    runs, bitmaps = [], bytearray()
    for code, bitmap in glyphs.items():
        wide = len(bitmap) // 16
        if runs and runs[-1][0] + runs[-1][1] == code and runs[-1][2] == wide:
            runs[-1][1] += 1
        else:
            runs.append([code, 1, wide])
        bitmaps += bitmap if wide == 1 else bitmap[0::2] + bitmap[1::2]
    head = struct.pack("<I", len(runs)) + b"".join(struct.pack("<IHH", *run) for run in runs)
    return zlib.compress(head + bytes(bitmaps), 9)


def main():
    table = packed(read(sys.argv[1]))
    text = base64.b64encode(table).decode()
    lines = [f'"{text[at : at + WIDTH]}"' for at in range(0, len(text), WIDTH)]
    parts = ["\n".join(lines[at : at + LINES]) for at in range(0, len(lines), LINES)]
    source = ["// Written by tools/glyphs.py from GNU Unifont 15.0.01 (SIL OFL 1.1: docs/licences/README.md).",
              "#include <array>", "", '#include "heed/see/glyphs.h"', "", "namespace heed {", "namespace {", "",
              "using namespace std::literals;", "", "// clang-format off",
              f"constexpr std::array<std::string_view, {len(parts)}> parts = {{", ",\n".join(part + "sv" for part in parts),
              "};", "// clang-format on", "", "}  // namespace", "",
              "std::span<const std::string_view> glyph_table() { return parts; }", "", "}  // namespace heed", ""]
    path = pathlib.Path(__file__).resolve().parents[1] / "heed/see/glyph_table.cpp"
    path.write_text("\n".join(source))
    print(f"{path}: {len(table)} bytes of table, {len(text)} of base64")


if __name__ == "__main__":
    main()
