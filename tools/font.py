#!/usr/bin/env python3
"""font.py [WENQUANYI.TTC DEJAVU.TTF]: writes heed/see/font/*.ttf, the letters that pictures of attention are labelled with.

The fonts are those of Debian's packages fonts-wqy-microhei (0.2.0-beta-3.1) and fonts-dejavu-core (2.37-6); python3-fonttools (4.38)
makes the subsets. Their licences allow it: docs/licences/README.md. The same packages give the same bytes.

    wenquanyi-micro-hei.ttf   Latin, Greek, Cyrillic, kana, punctuation, and the Chinese of GB 2312 and of the bundled
                              models' vocabularies
    dejavu-sans.ttf           what the first lacks up to U+2BFF: more letters, arrows, symbols, ␣

Hints and tables of layout are left out: labels are drawn smooth, at any angle.
"""
import json
import pathlib
import struct
import sys

from fontTools import subset
from fontTools.ttLib import TTFont

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / "heed/see/font"
WENQUANYI = "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"
DEJAVU = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"


def of_gb2312():
    """The 6763 ideographs: rows 16 to 87 of the standard."""
    pairs = (bytes([row, column]) for row in range(0xB0, 0xF8) for column in range(0xA1, 0xFF))
    return {ord(letter) for pair in pairs for letter in pair.decode("gb2312", "ignore")}


def of_vocabularies():
    """Every character in the vocabularies of the bundled models."""
    found = set()
    for path in sorted((ROOT / "models").glob("*.safetensors")):
        data = path.read_bytes()
        start = 8 + struct.unpack("<Q", data[:8])[0]
        for name, tensor in json.loads(data[8:start]).items():
            if name.startswith("vocabulary."):
                first, last = tensor["data_offsets"]
                found |= {ord(letter) for letter in data[start + first : start + last].decode("utf-8", "ignore")}
    return found


def between(*bounds):
    return {code for first, last in bounds for code in range(first, last + 1)}


def write(font, codes, name):
    options = subset.Options()
    options.hinting = False
    options.layout_features = []
    options.notdef_outline = True
    options.glyph_names = False
    options.name_IDs = [0, 1, 2, 4, 5, 6, 13, 14]  # names, copyright and licence
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "kern", "FFTM", "gasp", "vhea", "vmtx"]
    options.recalc_timestamp = False
    font.recalcTimestamp = False
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=codes)
    subsetter.subset(font)
    path = FOLDER / name
    font.save(path)
    print(f"{path}: {len(font.getBestCmap())} characters, {path.stat().st_size} bytes")


def main():
    wenquanyi = TTFont(sys.argv[1] if len(sys.argv) > 1 else WENQUANYI, fontNumber=0)
    dejavu = TTFont(sys.argv[2] if len(sys.argv) > 2 else DEJAVU)
    vocabulary = of_vocabularies()
    wanted = (between((0x20, 0x52F), (0x1E00, 0x2BFF), (0x3000, 0x30FF), (0xFF00, 0xFFEF)) | vocabulary
              | of_gb2312())
    first = set(wenquanyi.getBestCmap())
    second = between((0x20, 0x2BFF)) - first
    unseen = {code for code in vocabulary if code >= 0x2E80} - first - set(dejavu.getBestCmap())
    print("ideographs of the vocabularies that neither has:", "".join(map(chr, sorted(unseen))) or "nothing")
    write(wenquanyi, wanted & first, "wenquanyi-micro-hei.ttf")
    write(dejavu, second & set(dejavu.getBestCmap()), "dejavu-sans.ttf")


if __name__ == "__main__":
    main()
