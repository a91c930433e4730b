"""fields_test.py HEED: a source that is not text, from a table of numbers to a drawing."""
import struct
import unittest

from cli import ENVIRONMENT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)

ENVIRONMENT.pop("HEED_DATA", None)

FEATURES = """\
[data]
train = "sound.tsv"
columns = [2, 4]
hold_out = 1

[data.source]
kind = "features"
width = 2
cells = "range"
noise = 0.1

[model]
front = { kind = "frames", stack = 2, stride = 2 }
embedding = 4
encoder = { kind = "gru", width = 4 }
decoder = { kind = "attend_first", width = 6, embedding = 4 }

[training]
steps = 3
batch_sentences = 2
validate_every = 3
"""


class Features(Cli):
    @classmethod
    def setUpClass(cls):
        (cls.folder / "sound.f32").write_bytes(struct.pack("<40f", *range(40)))
        (cls.folder / "sound.tsv").write_text("one\t0\t6\tab\ntwo\t6\t4\tba\nthree\t10\t10\tabab\n")
        (cls.folder / "features.toml").write_text(FEATURES)
        done = cls.run_in(cls.folder, "train", "features.toml", "-o", "features")
        assert done.returncode == 0, done.stderr

    def translate(self, *words, **more):
        return self.heed("translate", "-m", "features/model.safetensors", "--max-length", "4", *words, **more)

    def test_a_table_gives_a_line_a_row(self):
        out, err = self.translate("--table", "sound.tsv", "--column", "2")
        self.assertEqual((len(out.splitlines()), err), (3, ""))
        cells = b"sound.f32:0:6\nsound.f32:6:4\nsound.f32:10:10\n"
        self.assertEqual(self.translate(stdin=cells)[0], out, "lines name the same rows")
        numbers = "; ".join(f"{2 * row} {2 * row + 1}" for row in range(6))
        self.assertEqual(self.translate(numbers)[0], out.splitlines()[0] + "\n")
        self.assertEqual(self.translate("")[0], "\n")

    def test_frames_are_drawn(self):
        out, _ = self.translate("--draw", "--svg", "map.svg", "sound.f32:0:6")
        self.assertGreater(len(out.splitlines()), 1)
        svg = (self.folder / "map.svg").read_text()
        for row in ("0", "2", "4"):
            self.assertIn(f">{row}<", svg)
        self.assertNotIn(">5<", svg)
        out, _ = self.heed("align", "-m", "features/model.safetensors", "sound.f32:0:6", "ab")
        self.assertEqual(len(out.split()), 2)

    def test_what_is_wrong_is_said(self):
        model = ("translate", "-m", "features/model.safetensors")
        self.fails(3, "there are only 20", *model, "sound.f32:15:6")
        self.fails(3, 'features: "hello" must be numbers, FILE.npy, or FILE:FIRST:COUNT with rows of float32 numbers', *model, "hello")
        good, _ = self.heed(*model, "1 2; 3 4")
        self.fails(3, 'line 2: features: "hello" must be numbers, FILE.npy, or FILE:FIRST:COUNT with rows of float32 numbers', *model, stdin=b"1 2; 3 4\nhello\n1 2; 3 4\n", printed=f"{good}\n{good}")
        self.fails(3, "there are 4 columns, but the source ends in column 5", *model, "--table", "sound.tsv", "--column", "4")
        self.fails(2, "a text, --table and --input exclude each other", *model, "--table", "sound.tsv", "1 2")
        # Nothing says how many rows make a second.
        self.fails(2, "--late-ms is for recordings, and this model reads none; leave it out", *model, "--late-ms", "4", "1 2")
        self.fails(2, "not words; leave out --replace-unknowns", *model, "--replace-unknowns", "1 2")
        self.fails(2, "model.front: words does not read the field features", "train", "features.toml", "--set",
                   "model.front=words")
        self.fails(2, "needs the folder that holds the data; set HEED_DATA=/path/to/data", "train", "features.toml", "--set", "data.train=$HEED_DATA/a.tsv")

    def test_inspect_names_the_field(self):
        out, _ = self.heed("inspect", "features/model.safetensors")
        self.assertRegex(out, r"(?m)^source +features, 2 numbers a row$")
        out, _ = self.heed("inspect", "--parts")
        for kind in ("field", "front"):
            self.assertRegex(out, rf"(?m)^{kind}$")


if __name__ == "__main__":
    unittest.main()
