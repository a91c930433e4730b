#!/usr/bin/env python3
"""seeds.py HEED SEEDS: writes fuzz/corpus anew: the inputs from which fuzzing starts, and which `make test` replays. It also writes
fuzz/recipe.dict, the words of recipes.

seeds.py HEED parts FOLDER: writes a tiny model for every part of attention, of recurrent decoders and of Transformers into FOLDER. They begin long
runs of the target `model`; fuzz/kept.tar.xz has what such runs kept.

seeds.py weights: writes the inputs of the targets pickle and weights alone.

HEED is the program, which trains a tiny model of every kind; SEEDS is the program fuzz_seeds (fuzz/seeds.cpp), which makes pictures and
sounds with the encoders of their libraries. Everything else is written here. Seeds are small, so that changes hit what matters.
"""
import gzip
import hashlib
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
RECIPE = """\
[data]
synth = "reverse"
train_examples = 12
valid_examples = 2

[model]
embedding = 2
encoder = { kind = "gru", width = 2 }
decoder = { kind = "attend_first", width = 2, embedding = 2 }

[training]
steps = 1
batch_sentences = 4
validate_every = 0
"""
BLOCK = "width=2,depth=1,self={heads=1},feed_forward={width=2}"
DECODER = BLOCK + ",cross={heads=1}"
PICTURE = ['data.synth="shapes"', 'data.source={kind="picture",side=8}', 'model.encoder="identity"']
PLACES = 'position={kind="learned",maximum=8}'
MODELS = {
    "gru": [],
    "lstm-cosine": ['model.encoder={kind="lstm",width=2}', 'model.decoder.attention.score="cosine"'],
    "rnn-location": ['model.encoder={kind="rnn",width=2}', 'model.decoder.attention.score={kind="location",slots=20}'],
    "cnn-aware": ['model.encoder={kind="cnn",width=2,depth=1,kernel=3}', 'model.decoder.attention.score="location_aware"'],
    "transformer": [f'model.encoder={{kind="transformer",{BLOCK}}}', f'model.decoder={{kind="transformer",{DECODER}}}'],
    "rotary": [f'model.encoder={{kind="transformer",{BLOCK},position="rotary"}}',
               f'model.decoder={{kind="transformer",{DECODER},position={{kind="learned",maximum=20}}}}'],
    "relative": [f'model.encoder={{kind="transformer",{BLOCK},position="relative"}}',
                 f'model.decoder={{kind="transformer",{DECODER},position="alibi"}}'],
    "conformer": [f'model.encoder={{kind="conformer",{BLOCK},kernel=3}}'],
    "pyramid": ['model.encoder={kind="pyramid",width=2,halvings=1}'],
    "bag-after": ['model.encoder="bag"', 'model.decoder={kind="attend_after",width=2,embedding=2}'],
    "window": ['model.decoder.attention.focus={kind="window"}', 'model.decoder.attention.normaliser="entmax15"'],
    "prior": ['model.decoder.attention.focus={kind="prior"}', 'model.decoder.attention.normaliser={kind="topk"}'],
    "local": ['model.decoder.attention.focus={kind="local_p"}', 'model.decoder.attention.normaliser="sparsemax"'],
    "labels": ['model.decoder="labels"'],
    "mask-predict": [f'model.encoder={{kind="transformer",{BLOCK}}}', f'model.decoder={{kind="mask_predict",{DECODER},length_range=4}}',
                     'training.objectives=["cross_entropy",{kind="lengths",weight=0.1}]'],
    "language": ['data.source="none"', 'model.encoder="none"', f'model.decoder={{kind="transformer",{BLOCK}}}'],
    "bpe": ['data.source_tokens="bpe"', "data.source_vocabulary=40", "data.byte_fallback=false"],
    "unigram": ['data.target_tokens="unigram"', "data.target_vocabulary=34", "data.byte_fallback=false"],
    "ctc": ['data.synth="signals"', 'data.source={kind="features",width=8}', 'model.front={kind="frames"}', 'model.decoder="ctc"',
            'training.objectives=["ctc"]'],
    "frames": ['data.synth="signals"', 'data.source={kind="features",width=8}', 'model.front={kind="frames"}'],
    "frame-blocks": [f'model.decoder={{kind="ctc",upsample=2,blocks={{{DECODER}}}}}', 'training.objectives=["ctc"]'],
    "fixed": ['model.decoder={kind="fixed",width=2,embedding=2}'],
    "hard": ['model.decoder={kind="attend_after",width=2,embedding=2,input_feeding=false,attention={normaliser="hard"}}',
             'training.objectives=["marginal"]'],
    "sequence-label": ['model.decoder={kind="sequence_label"}', 'data.synth="marked"', 'data.source_tokens="words"'],
    "two-decoders": ['model.decoders.frames={kind="ctc",upsample=2}', 'training.objectives=["teacher_forcing",{kind="ctc",decoder="frames"}]'],
    "stages": [*PICTURE, f'model.front={{kind="stages",channels=[2],depth=1,{PLACES}}}'],
    "patches": [*PICTURE, f'model.front={{kind="patches",size=4,{PLACES}}}'],
    "subsample": ['data.synth="tones"', 'data.source={kind="sound",features="log_mel",rate=8000,filters=4,normalise="mean",over="corpus"}',
                  'model.front={kind="subsample",depth=1,kernel=3,channels=2}', 'model.decoder="ctc"', 'training.objectives=["ctc"]'],
}


def train(heed, folder, name, settings):
    words = [word for setting in settings for word in ("--set", setting)]
    done = subprocess.run([heed, "train", "tiny.toml", "-q", "-o", name, *words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"seeds: no model {name}: {done.stderr.strip()}", file=sys.stderr)
        return None
    return (folder / name / "model.safetensors").read_bytes()


def put(target, name, contents):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(contents if isinstance(contents, bytes) else contents.encode())


def tensors(model):
    """Every tensor of a model file by name, as bytes."""
    size = struct.unpack("<Q", model[:8])[0]
    header = json.loads(model[8:8 + size])
    return {name: model[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]]
            for name, entry in header.items() if name != "__metadata__"}


def character_map():
    """① (E2 91 A0) becomes 1: a Darts-clone array of 256 units, five of them in use, behind its length, and the texts."""
    def unit(label, to, has_leaf=False):
        return to << 10 | has_leaf << 8 | label
    units = [unit(0, 1 ^ 0xE2), unit(0xE2, 1 ^ 2 ^ 0x91), unit(0x91, 2 ^ 3 ^ 0xA0), unit(0xA0, 3 ^ 4, True), 1 << 31]
    return struct.pack("<I", 4 * 256) + struct.pack("<5I", *units) + bytes(4 * 251) + b"1\0"


def field(number, contents):
    """Bytes as a field of a protocol buffer."""
    assert len(contents) < 1 << 14
    return bytes([number << 3 | 2, len(contents) & 0x7F | 0x80, len(contents) >> 7]) + contents


def models_of_parts(heed):
    """Settings by name: every pair of score and normaliser, every other part in one model."""
    parts, kind = {}, ""
    for line in subprocess.run([heed, "inspect", "--parts"], check=True, capture_output=True, text=True).stdout.splitlines():
        if line[:1].isalpha():
            kind = line.strip()
        elif re.match(r"  \w", line):
            parts.setdefault(kind, []).append(line.split()[0])
    attention, encoder = "model.decoder.attention", 'model.encoder={kind="transformer",width=2,depth=1,self={heads=1}'
    models = {f"{score}-{normaliser}": [f'{attention}.score="{score}"', f'{attention}.normaliser="{normaliser}"']
              for score in parts["score"] for normaliser in parts["normaliser"]}
    models |= {f"focus-{part}": [f'{attention}.focus="{part}"'] for part in parts["focus"]}
    models |= {f"encoder-{part}": [f'model.encoder={{kind="{part}",width=2}}'] for part in parts["encoder"]}
    models |= {f"{decoder}-{part}": [f'model.decoder={{kind="{decoder}",width=2,embedding=2,cell="{part}",depth=2}}']
               for decoder in ("fixed", "attend_first", "attend_after") for part in parts["cell"]}
    for kind in ("position", "norm"):
        models |= {f"{kind}-{part}": [f'{encoder},feed_forward={{width=2}},{kind}="{part}"}}'] for part in parts[kind]}
    models |= {f"activation-{part}": [f'{encoder},feed_forward={{width=2,activation="{part}"}}}}'] for part in parts["activation"]}
    return models


def put_parts(heed, to):
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        (pathlib.Path(name) / "tiny.toml").write_text(RECIPE)
        for part, settings in models_of_parts(heed).items():
            if model := train(heed, pathlib.Path(name), part, settings):
                (to / part).write_bytes(model)


def put_models(heed):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "tiny.toml").write_text(RECIPE)
        for kind, settings in MODELS.items():
            model = train(heed, folder, kind, settings)
            if model is None:
                continue
            put("model", kind, model)
            for tensor, data in tensors(model).items():
                if tensor.startswith("vocabulary.") and (kind == "gru" or b"sentencepiece" in data):
                    put("vocabulary", f"{kind}-{tensor}", data)
                    if b"sentencepiece" in data:
                        pieces = data.split(b"heed sentencepiece", 1)[1].split(b"\n", 1)[1]
                        mapped = field(3, field(2, character_map()))
                        put("subwords", f"{kind}-{tensor}", pieces)
                        put("subwords", f"{kind}-{tensor}-mapped", pieces + mapped)
                        put("vocabulary", f"{kind}-{tensor}-mapped", data + mapped)


def put_recipes():
    put("recipe", "tiny", RECIPE)
    put("recipe", "set", "#set model.encoder.width=7\n" + RECIPE)
    put("recipe", "nested", '[model]\ndecoder.attention.score = { kind = "additive", width = 3 }\n[model.decoders.other]\nkind = "labels"\n')
    put("recipe", "kinds", 'a = [1, 2.5, "x", true, 1979-05-27T07:32:00Z, [[]], {b.c = 0x1F}]\n"quoted.key" = \'\'\'\nraw\'\'\'\n')
    put("recipe", "faults", "[training]\nsteps = -1\nlearning_rte = 1e400\nclip = nan\n[data]\nsynth = \"none such\"\ncolumns = [1, \"2\"]\n")


def put_words(heed):
    """Every setting that a part of the tree describes, and every name that it may be given."""
    described = "".join(path.read_text(encoding="utf-8") for path in (CORPUS.parent.parent / "heed").rglob("*.cpp"))
    settings = set(re.findall(r'd\.(?:setting|part|parts|child|children|named_parts)\("(\w+)"', described))
    listed = subprocess.run([heed, "inspect", "--parts"], check=True, capture_output=True, text=True).stdout
    parts = set(re.findall(r"^  (\w+)", listed, re.M)) | set(re.findall(r"\((\w+)\)(?= )", listed))
    words = [f'"{name} = "' for name in sorted(settings)] + [f'"\\"{name}\\""' for name in sorted(parts)]
    text = "# The words of recipes, by fuzz/seeds.py.\n" + "".join(f"{word}\n" for word in words)
    (CORPUS.parent / "recipe.dict").write_text(text, encoding="utf-8")


def put_texts():
    put("json", "all", r'{"a": [1, -2, 3.5e-7, true, false, null, "\u00e9\ud83d\ude00\n", {"b": {}}], "big": 18446744073709551615}')
    put("json", "deep", "[" * 60 + "]" * 60)
    put("json", "faults", '{"a": 1, "a": 2}')
    put("text", "plain", "Mr. Smith went (e.g. home). “Yes!” he said…  No. 7 is 3.5.\n\n中文。日本語！\r\na\tb\u2028c\n" + " " * 40 + "x\n")
    put("text", "mark", b"\xef\xbb\xbfabc\nd\xff\xfee\n\xe2\x82\nlast")
    put("text", "long", "a" * 40 + " " * 40 + "é" * 20 + "\n" + "b, " * 20)
    put("text", "gzip", gzip.compress(b"one line.\nanother line! And more\n" * 3, mtime=0) + gzip.compress(b"member\n", mtime=0))
    put("vocabulary", "table", "heed vocabulary 3: words, 6 tokens, 0 bytes of state, end 0, unknown 1, start 5\n"
        "</s>\n<unk>\nthe\ntwo words\n\\*>>fra<<\n<pad>\n")
    merges = "t h\nth e\n"
    state = f"heed byte pairs 1: 2 merges, blank before, sha256 {hashlib.sha256(merges.encode()).hexdigest()}\n{merges}"
    put("vocabulary", "bytes", f"heed vocabulary 4: byte_bpe, 5 tokens, {len(state)} bytes of state, end 3, start 3\nt\nth\nthe\n<|end|>\n\\-<|en|>\n{state}")
    put("numbers", "text", "0.5 1.5 -2e3; 2,3,4")
    put("numbers", "raw", struct.pack("<9f", *range(9)))
    put("numbers", "gzip", gzip.compress(struct.pack("<9f", *range(9)), mtime=0))
    for kind, letter in (("f4", "f"), ("f8", "d")):
        header = "{'descr': '<%s', 'fortran_order': False, 'shape': (2, 3), }" % kind
        header += " " * (-(10 + len(header) + 1) % 64) + "\n"
        put("numbers", f"npy-{kind}", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(f"<6{letter}", *range(6)))


def put_weights():
    """Weights of other toolkits, as torch.save and safetensors write them."""
    def text(word):
        return b"X" + struct.pack("<I", len(word)) + word.encode()

    def tensor(key, kind, elements, sizes, strides, legacy=b""):
        numbers = [b"(" + b"".join(b"K" + bytes([n]) for n in some) + b"t" for some in (sizes, strides)]
        return (b"ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + b"ctorch\n" + kind + b"\n" + text(key) + text("cpu") + b"K" + bytes([elements])
                + legacy + b"tQK\x00" + b"".join(numbers) + b"\x89ccollections\nOrderedDict\n)RtR")

    def table(legacy=b""):
        return (b"\x80\x02ccollections\nOrderedDict\n)Rq\x00(" + text("a.weight") + tensor("0", b"FloatStorage", 6, (2, 3), (3, 1), legacy) + text("b")
                + tensor("1", b"HalfStorage", 4, (2,), (1,), legacy) + text("c") + tensor("1", b"HalfStorage", 4, (), (), legacy)
                + text("steps") + tensor("2", b"LongStorage", 1, (1,), (1,), legacy) + b"u}" + text("_metadata") + b"h\x00sb.")
    storages = [struct.pack("<6f", *range(6)), struct.pack("<4e", *range(4)), struct.pack("<q", 7)]
    put("pickle", "table", table())
    put("pickle", "others", b"\x80\x02}(" + text("n") + b"J\x00\x00\x00\x80" + text("l") + b"](K\x01M\x02\x00\x8a\x01\xff\x88\x89NG" + bytes(8) + b"e"
        + text("o") + b"cargparse\nNamespace\n)\x81}" + text("lr") + b"U\x010sbr" + struct.pack("<I", 300) + text("t") + b"K\x01\x85K\x02K\x03\x86"
        + b"j" + struct.pack("<I", 300) + b"N\x87u.")
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w") as archive:
            members = [("data.pkl", table()), ("byteorder", b"little"), *((f"data/{i}", data) for i, data in enumerate(storages)), ("version", b"3\n")]
            for name, data in members:
                archive.writestr(zipfile.ZipInfo(f"m/{name}"), data)
        file.seek(0)
        put("weights", "zip", file.read())
    keys = b"\x80\x02](" + b"".join(text(str(i)) for i in range(3)) + b"e."
    machine = b"\x80\x02}(" + text("protocol_version") + b"M\xe9\x03" + text("little_endian") + b"\x88u."
    put("weights", "before-zip", b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03." + machine + table(b"N") + keys
        + b"".join(struct.pack("<q", count) + data for count, data in zip((6, 4, 1), storages)))
    header = json.dumps({"__metadata__": {"format": "pt"}, "a.weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
                         "b": {"dtype": "F16", "shape": [4], "data_offsets": [24, 32]}, "steps": {"dtype": "I64", "shape": [1], "data_offsets": [32, 40]}})
    put("weights", "safetensors", struct.pack("<Q", len(header)) + header.encode() + b"".join(storages))


def put_requests():
    """The first byte is the size of the pieces that the others come in."""
    host = "Host: a\r\n"
    put("http", "get", f"\1GET /a%20b?x=1&y=%C3%A9+&z HTTP/1.1\r\n{host}X: v \r\n\r\n")
    put("http", "post", f"\3POST / HTTP/1.1\r\n{host}Content-Length: 5\r\n\r\nhelloGET / HTTP/1.0\r\n{host}\r\n")
    put("http", "chunks", f"\7\r\nPOST /c HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n00A\r\n, 10 bytes\r\n0\r\n\r\nHEAD")
    put("http", "expects", f"\2PUT / HTTP/1.1\r\n{host}Expect: 100-continue\r\nConnection: keep-alive, close\r\nContent-Length: 1\r\n\r\nx")


def main():
    if sys.argv[1:] == ["weights"]:
        put_weights()
        return
    if sys.argv[2:3] == ["parts"]:
        put_parts(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[3]))
        return
    heed, seeds = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    shutil.rmtree(CORPUS, ignore_errors=True)
    put_models(heed)
    put_recipes()
    put_words(heed)
    put_texts()
    put_weights()
    put_requests()
    subprocess.run([seeds, str(CORPUS)], check=True)


if __name__ == "__main__":
    main()
