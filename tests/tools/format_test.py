"""tools/format --check names the files that are not in the house's format, and says so when all are."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@unittest.skipUnless(shutil.which("clang-format"), "clang-format is not installed")
class Format(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "tools").mkdir()
        shutil.copy(ROOT / "tools/format", self.root / "tools/format")
        shutil.copy(ROOT / ".clang-format", self.root / ".clang-format")
        subprocess.run(["git", "init", "-q", self.root], check=True)
        (self.root / "good.cpp").write_text("int f() { return 1; }\n")

    def format(self, *arguments):
        done = subprocess.run([self.root / "tools/format", *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def test_all_is_well(self):
        self.assertEqual(self.format("--check"), (0, "format: 1 files are in the house's format\n", ""))

    def test_a_wrong_file_is_named_and_then_mended(self):
        (self.root / "bad.cpp").write_text("int  g( ) {return 1 ;}\n")
        status, named, said = self.format("--check")
        self.assertEqual((status, named), (1, "bad.cpp\n"))
        self.assertIn("1 of 2 files are not in the house's format; run make format", said)
        self.assertEqual(self.format()[0], 0)
        self.assertEqual(self.format("--check")[0], 0)


if __name__ == "__main__":
    unittest.main()
