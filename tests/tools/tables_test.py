"""tools/tables.py reads what the program prints, and finds a page that differs."""
import importlib.util
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("tables", ROOT / "tools/tables.py")
tables = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tables)

# A program with one score, which has a setting, and one norm, which has none and whose formula begins with a parenthesis.
PROGRAM = r"""#!/bin/sh
case $1 in
inspect) printf 'score\n  additive (mlp) (concat)  |v| f(q)\nnorm\n  rms_norm (rms) (1/N) x / rms\nformat\n  torch_zip  a zip | archive\n' ;;
serve) cat <<'END'
{"paths": {"/v1/translate": {"post": {"summary": "translates", "requestBody": {"content": {"application/json": {"schema": {"properties": {
  "text": {"default": [], "description": "a | text"}, "beam": {"default": 1, "minimum": 1.0, "maximum": 16.0, "description": "kept"},
  "norm": {"enum": ["wu", "none"], "description": "how"}}}}}}}}}}
END
;;
train)
  printf 'data.synth                 ""            a task (one of dates)\n'
  printf 'model.decoder.attention.score "additive" how (well) (one of additive)\n'
  case $* in *score=additive*) printf 'model.decoder.attention.score.width 0 wide (a whole number)\n' ;; esac ;;
esac
"""
PAGES = {"README.md": ["parts"], "README.zh.md": ["parts"], "docs/serve.md": ["routes", "fields"],
         "docs/import.md": ["imports"], "docs/import.zh.md": ["imports"],
         "docs/recipes.md": ["about", "data", "model", "training", "curriculum", "search", "scoring", "attention", "feed_forward", "parts"]}


class Tables(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        (self.root / "docs").mkdir()
        for page, names in PAGES.items():
            (self.root / page).write_text("".join(f"<!-- {name} -->\n<!-- /{name} -->\n" for name in names))
        self.program = self.root / "heed"
        self.program.write_text(PROGRAM)
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)

    def run_main(self, *words):
        with mock.patch.object(tables, "ROOT", self.root), mock.patch.object(sys, "argv", ["tables", str(self.program), *words]):
            tables.main()

    def test_writes_and_then_agrees(self):
        self.run_main("--write")
        self.run_main()
        page = (self.root / "docs/recipes.md").read_text()
        self.assertIn("| `additive`, `mlp`, `concat` | \\|v\\| f(q) | `width = 0` |\n", page)
        self.assertIn("| `rms_norm`, `rms` | (1/N) x / rms |\n", page)
        self.assertIn("| `synth` |  | a task (one of dates) |\n", page)
        self.assertIn("| `score` | `\"additive\"` | how (well) (one of additive) |\n", page)
        serve = (self.root / "docs/serve.md").read_text()
        self.assertIn("| `POST /v1/translate` | translates |\n", serve)
        self.assertIn("| `text` |  | a \\| text |\n| `beam` | `1` | kept (from 1 to 16) |\n| `norm` |  | how (one of wu, none) |\n", serve)
        for page in ("docs/import.md", "docs/import.zh.md"):
            self.assertIn("| format | `torch_zip` | a zip \\| archive |\n", (self.root / page).read_text())
        self.assertNotIn("torch_zip", (self.root / "README.md").read_text())
        self.assertIn("| 打分 score | `additive` |\n", (self.root / "README.zh.md").read_text())

    def test_notices_a_stale_page(self):
        self.run_main("--write")
        page = self.root / "README.md"
        page.write_text(page.read_text().replace("`additive`", "`subtractive`"))
        with self.assertRaisesRegex(SystemExit, r"out of date: README\.md: parts"):
            self.run_main()
        self.assertIn("subtractive", page.read_text())  # left alone

    def test_needs_its_marks(self):
        (self.root / "README.md").write_text("nothing\n")
        with self.assertRaisesRegex(SystemExit, "README.md needs one <!-- parts -->"):
            self.run_main("--write")

    def test_fails_with_the_program(self):
        self.program.write_text("#!/bin/sh\nexit 1\n")
        with self.assertRaises(subprocess.CalledProcessError):
            self.run_main()


if __name__ == "__main__":
    unittest.main()
