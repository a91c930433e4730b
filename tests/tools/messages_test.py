"""Messages that reach a user of the command line say what is wrong and what to do: "saw X, needs Y" is for checks that only a programmer meets."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
# fail(Fault::usage, "…" "…" and the like: an error with a kind is one that a user can cause.
MESSAGE = re.compile(rf"Fault::(?:usage|file|disk|diverged),\s*({LITERAL}(?:\s*{LITERAL})*)")


def messages(text):
    return ["".join(one[1:-1] for one in re.findall(LITERAL, found)) for found in MESSAGE.findall(text)]


class Messages(unittest.TestCase):
    def test_are_read_from_sources(self):
        source = 'fail(Fault::usage,\n     "a: saw {}, "\n     "needs b", x);\nfail(Fault::file, "c");\nfail("d");'
        self.assertEqual(messages(source), ["a: saw {}, needs b", "c"])

    def test_nobody_is_told_what_the_program_saw(self):
        found = {str(path.relative_to(ROOT)): messages(path.read_text(encoding="utf-8")) for path in (ROOT / "heed").rglob("*.cpp")}
        self.assertGreater(sum(map(len, found.values())), 250)
        wrong = [f"{path}: {one}" for path, all_ in found.items() for one in all_ if re.search(r"\bsaw\b|, needs ", one)]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
