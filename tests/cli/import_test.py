"""import_test.py HEED: models of other toolkits say in heed what they say there; what cannot be imported is refused with the reason.

The folders and what the originals say are made by tools/fixtures/imported.py.
"""
import json
import pathlib
import shutil
import struct
import time
import unittest
import zipfile

from cli import IS_SANITIZED, ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)

FIXTURES = ROOT / "tests" / "fixtures" / "imported"
FOLDERS = sorted(folder for folder in FIXTURES.iterdir() if folder.is_dir())
OPTIONS = {  # of generate(), in heed
    "num_beams": lambda n: ["--beam", str(n)],
    "length_penalty": lambda x: ["--length-norm", "length", "--alpha", str(x)],
    "early_stopping": lambda full: ["--until", "full" if full else "settled"],
    "no_repeat_ngram_size": lambda n: ["--no-repeat-ngram", str(n)],
    "min_new_tokens": lambda n: ["--min-length", str(n)],
}


def tokens_by_id(folder, said):
    if "tokens" in said:
        return said["tokens"]
    two = json.loads((folder / "tokenizer_config.json").read_text()).get("separate_vocabs")
    table = json.loads((folder / ("target_vocab.json" if two else "vocab.json")).read_text())
    return {number: token for token, number in table.items()}


class Import(Cli):
    def outputs(self, model, sources, *options):
        """The tokens of the outputs, without the end."""
        out, _ = self.heed("translate", "-m", str(model), "--whole", "--json", *options, stdin="".join(f"{line}\n" for line in sources).encode())
        return [[token for token in json.loads(line)["tokens"] if token != "</s>"] for line in out.splitlines()]

    def test_every_search_finds_what_the_original_finds(self):
        self.assertGreaterEqual(len(FOLDERS), 4)
        for folder in FOLDERS:
            said = json.loads((folder / "said.json").read_text())
            tokens = tokens_by_id(folder, said)
            for name, output in said["outputs"].items():
                options = [word for key, value in output["settings"].items() for word in OPTIONS[key](value)]
                with self.subTest(folder=folder.name, search=name):
                    pairs = [pair for pair in zip(output["sources"], output["ids"]) if pair[0]]  # an empty line stays empty
                    expected = [[tokens[i] for i in ids] for _, ids in pairs]
                    self.assertEqual(self.outputs(folder, [source for source, _ in pairs], *options), expected)

    def test_a_file_says_the_same_as_its_folder(self):
        folder = FIXTURES / "marian"
        out, err = self.heed("import", str(folder), "-o", "marian.safetensors")
        self.assertEqual(err, "")
        self.assertRegex(out, r"(?m)^family +marian$")
        self.assertRegex(out, r"(?m)^stored as +f32$")
        sources = json.loads((folder / "said.json").read_text())["outputs"]["greedy"]["sources"]
        self.assertEqual(self.outputs("marian.safetensors", sources), self.outputs(folder, sources))
        shown, _ = self.heed("inspect", "marian.safetensors")
        for line in (r"imported +marian", r"licence +cc0-1.0", r"sha256 of model.safetensors +[0-9a-f]{64}"):
            self.assertRegex(shown, rf"(?m)^{line}$")
        smaller, _ = self.heed("quantise", "marian.safetensors", "small.safetensors")
        self.assertRegex(smaller, r"bytes +\d+ -> \d+")
        drawing, _ = self.heed("translate", "-m", str(folder), "--draw", stdin=b"the house is small\n")
        self.assertIn("small", drawing)
        score, _ = self.heed("score", "-m", str(folder), "--json", stdin=b"the house is small\tla maison est petite\n")
        self.assertIn("log_probability", score)

    def test_names_behind_the_pieces_are_read_and_written(self):
        folder = FIXTURES / "t5"
        out, _ = self.heed("score", "-m", str(folder), "--json", "--words", stdin=b"the <extra_id_0> is small\t<extra_id_0> house <extra_id_1>\n")
        self.assertEqual([word for word, _ in json.loads(out)["words"]][:1], ["<extra_id_0>"])
        out, _ = self.heed("import", str(folder), "-o", "t5.safetensors")
        self.assertRegex(out, r"(?m)^family +t5$")
        drawing, _ = self.heed("translate", "-m", "t5.safetensors", "--draw", stdin="the <extra_id_0> is small\n".encode())
        self.assertIn("<extra_id_0>", drawing)

    def test_the_original_is_never_written_over(self):
        folder = self.changed("x", "", "marian")
        weights = (folder / "model.safetensors").read_bytes()
        self.fails(2, "model.safetensors", "import", str(folder), "-o", str(folder / "model.safetensors"))
        self.assertEqual((folder / "model.safetensors").read_bytes(), weights)

    def test_a_name_in_front_of_a_paragraph_is_in_front_of_every_sentence(self):
        first, second = "The house is small.", "A man reads a story."
        together, _ = self.heed("translate", "-m", str(FIXTURES / "marian"), stdin=f">>fra<< {first} {second}\n".encode())
        apart, _ = self.heed("translate", "-m", str(FIXTURES / "marian"), stdin=f">>fra<< {first}\n>>fra<< {second}\n".encode())
        self.assertEqual(together.split(), apart.split())

    def test_half_precision_stays_as_it_is_stored(self):
        for name, stored in (("marian-zip", "f16"), ("marian-sharded", "bf16"), ("marian-before-zip", "f32")):
            out, _ = self.heed("import", str(FIXTURES / name), "-o", "out.safetensors")
            self.assertRegex(out, rf"(?m)^stored as +{stored}$")

    def test_training_goes_on_from_an_imported_model(self):
        self.heed("import", str(FIXTURES / "marian"), "-o", "start.safetensors")
        lines = "the cold house\tla maison froide\nbirds read\tles oiseaux lisent\n" * 4
        (self.folder / "pairs.tsv").write_text(lines)
        (self.folder / "further.toml").write_text("""\
[data]
train = "pairs.tsv"
valid = "pairs.tsv"

[training]
init = "start.safetensors"
steps = 10
batch_sentences = 4
validate_every = 5
optimiser = { kind = "adam", learning_rate = 0.003 }
""")
        self.heed("train", "further.toml", "-o", "further")
        losses = [json.loads(line) for line in (self.folder / "further" / "metrics.jsonl").read_text().splitlines()]
        valid = [line["valid_loss"] for line in losses if "valid_loss" in line]
        self.assertLess(valid[-1], valid[0])

    def refuses(self, part, folder, code=3):
        """In a second, and without much memory."""
        begin = time.monotonic()
        out, err, peak = self.peak_of("import", str(folder), "-o", "never.safetensors", code=code)
        self.assertIn(part, err)
        self.assertEqual(out, "")
        self.assertFalse((self.folder / "never.safetensors").exists())
        if not IS_SANITIZED:
            size = sum(file.stat().st_size for file in pathlib.Path(folder).iterdir()) / 1e6
            self.assertLess(peak, size + 64, f"{part}: {peak} MB")
        return time.monotonic() - begin

    def changed(self, name, contents, of="marian-zip"):
        folder = self.folder / "changed"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(FIXTURES / of, folder)
        (folder / name).write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        return folder

    def archive(self, pickle, **more):
        path = self.folder / "made.zip"
        with zipfile.ZipFile(path, "w", **more) as archive:
            archive.writestr("m/data.pkl", pickle)
        return path.read_bytes()

    def test_nothing_is_executed(self):
        touched = self.folder / "touched"
        command = f"touch {touched}".encode()
        system = b"\x80\x02cposix\nsystem\nX" + struct.pack("<I", len(command)) + command + b"\x85R."
        self.refuses("a call of posix.system, not a table", self.changed("pytorch_model.bin", self.archive(system)))
        self.assertFalse(touched.exists())
        bomb = b"\x80\x02]q\x01" + b"h\x01h\x01\x86q\x01" * 1000000 + b"."
        self.refuses("of its pickle", self.changed("pytorch_model.bin", self.archive(bomb)))
        self.refuses("of its pickle", self.changed("pytorch_model.bin", self.archive(b"\x80\x02" + b"(" * 4000000)))
        self.refuses("of its pickle", self.changed("pytorch_model.bin", self.archive(b"\x80\x02" + b"N" * 4000000)))
        many = bytearray(b"r\0\0\0\0" * 300000)  # without a list of a million texts, whose memory would count as the program's
        for i in range(300000):
            many[5 * i + 1 : 5 * i + 5] = struct.pack("<I", i)
        self.refuses("remembered", self.changed("pytorch_model.bin", self.archive(b"\x80\x02N" + bytes(many))))

    def test_archives_that_are_not_as_they_should_be(self):
        good = b"\x80\x02}."
        self.refuses("compressed", self.changed("pytorch_model.bin", self.archive(good * 100, compression=zipfile.ZIP_DEFLATED)))
        terabyte = self.archive(good).replace(struct.pack("<I", len(good)), struct.pack("<I", 0xFFFFFF00))
        self.refuses("4294967040 bytes", self.changed("pytorch_model.bin", terabyte))
        self.refuses("no tensor", self.changed("pytorch_model.bin", self.archive(good)))

    def test_settings_that_are_not_as_they_should_be(self):
        self.refuses("levels", self.changed("config.json", "[" * 100000))
        config = json.loads((FIXTURES / "marian-zip" / "config.json").read_text())
        for key, value, part in (("d_model", 1 << 13, "not ["), ("encoder_layers", 256, "there is no tensor"), ("vocab_size", 1 << 18, "tokens"),
                                 ("rope_scaling", {"type": "linear"}, "rope_scaling"), ("encoder_ffn_dim", 1 << 40, "encoder_ffn_dim")):
            self.refuses(part, self.changed("config.json", json.dumps({**config, key: value})))

    def test_what_is_missing_has_a_name(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.refuses("is no folder with a model of another toolkit", empty)
        folder = self.changed("config.json", "{}")
        (folder / "config.json").unlink()
        self.fails(3, "there is no config.json", "translate", "-m", str(folder))
        folder = self.changed("x", "")
        (folder / "source.spm").unlink()
        self.fails(3, "there is no source.spm", "translate", "-m", str(folder))


if __name__ == "__main__":
    unittest.main()
