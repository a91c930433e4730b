"""The pages agree with the tree: links lead somewhere, `make` targets exist, and so do the files that pages name."""
import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def without_code(page):
    """A lambda in a program is no link."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


class Docs(unittest.TestCase):
    def test_links(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", without_code(page)):
                if not re.match(r"[a-z]+:", target):
                    self.assertTrue((page.parent / target).exists(), f"{page.relative_to(ROOT)} links {target}, which is not there")

    def test_make_targets(self):
        known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
        for page in PAGES:
            for target in re.findall(r"(?:`|^)make ([a-z-]+)", page.read_text(encoding="utf-8"), re.M):
                self.assertIn(target, known, f"{page.relative_to(ROOT)} says make {target}")

    def test_presets_and_options_are_explained(self):
        page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8").split("\n## The build\n")[1].split("\n## ")[0]
        presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]
        names = [one["name"] for one in presets if not one.get("hidden")]
        names += re.findall(r"^option\((\w+) ", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)
        self.assertGreaterEqual(len(names), 8)
        for name in names:
            self.assertIn(f"`{name}`", page, "docs/architecture.md, The build")

    def test_files(self):
        for page in PAGES:
            for name in re.findall(r"`((?:tools|cmake|\.ci|heed|tests|recipes|docs)/[\w./-]+)[` ]", page.read_text(encoding="utf-8")):
                self.assertTrue((ROOT / name).exists(), f"{page.relative_to(ROOT)} names {name}, which is not there")

    def test_every_make_target_is_explained(self):
        text = (ROOT / "Makefile").read_text()
        explained = set(re.findall(r"^([a-z-]+):.*## ", text, re.M))
        for target in ["demo", "build", "test", "test-long", "bench", "format", "lint", "setup"]:
            self.assertIn(target, explained)


if __name__ == "__main__":
    unittest.main()
