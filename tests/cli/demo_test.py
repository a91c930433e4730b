"""demo_test.py HEED: what `make demo` runs."""
import subprocess
import unittest

from cli import ENVIRONMENT, HEED, ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


class Demo(Cli):
    def test_runs(self):
        folder = self.folder / "demo"
        done = subprocess.run([ROOT / "tools/demo", HEED], env={**ENVIRONMENT, "HEED_DEMO": str(folder)}, capture_output=True,
                              encoding="utf-8", check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("  Tom is my best friend.                   汤姆是我最好的朋友。\n", done.stdout)
        self.assertRegex(done.stdout, "钢 +██\n琴 +██\n")  # looks at the piano
        self.assertIn("\na large purple cross left of an orange star\n", done.stdout)
        self.assertRegex(done.stdout, r"\nfive@0\.\d+ seven@0\.\d+ two@1\.\d+ eight@\d\.\d+ zero@2\.\d+ six@3\.\d+ three@[34]\.\d+\n")
        self.assertRegex(done.stdout, r"\nz +[░▒▓█]+\n")  # the first letter of zero, under its sound
        self.assertIn("'1 s", done.stdout)
        for picture in ("attention.png", "caption.png", "heard.png"):
            self.assertEqual((folder / picture).read_bytes()[:8], b"\x89PNG\r\n\x1a\n", picture)


if __name__ == "__main__":
    unittest.main()
