#!/usr/bin/env python3
"""model_metadata.py MODEL KEY=VALUE…: sets metadata of a model file, such as about.score or search, and its hash; KEY= removes one.

  tools/model_metadata.py models/en-zh.safetensors 'search={"beam":5}' 'about.score=bleu 35.1 (beam 5)'

The hash is that of the whole file in which its own 64 digits are zeros (heed/model/file/safetensors.h). The tensors stay as they are.
"""
import hashlib
import json
import os
import pathlib
import struct
import sys


def main():
    if len(sys.argv) < 3 or any("=" not in word for word in sys.argv[2:]):
        sys.exit(__doc__)
    path = pathlib.Path(sys.argv[1])
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    metadata = header.setdefault("__metadata__", {})
    for word in sys.argv[2:]:
        key, value = word.split("=", 1)
        if value:
            metadata[key] = value
        else:
            metadata.pop(key, None)
    metadata["sha256"] = "0" * 64
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    whole = struct.pack("<Q", len(text)) + text + data[8 + length:]
    digest = hashlib.sha256(whole).hexdigest().encode()
    at = whole.index(b'"sha256":"' + b"0" * 64) + len(b'"sha256":"')
    whole = whole[:at] + digest + whole[at + 64:]
    aside = path.with_name(path.name + ".new")
    aside.write_bytes(whole)
    os.replace(aside, path)


if __name__ == "__main__":
    main()
