"""tools/one_name.py catches what it is there to catch: each case is a small tree with one fault, or with none."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import one_name  # noqa: E402


def faults(*texts):
    """What one_name.py says of a tree whose files hold `texts`."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "heed").mkdir()
        for i, text in enumerate(texts):
            (root / f"heed/{i}.h").write_text(text)
        return "\n".join(one_name.check(root)[0])


class OneName(unittest.TestCase):
    def test_two_types_of_one_name(self):
        for other in ["struct Piece {\n int a;\n};", "class Piece : public Base<int> {};", "enum class Piece : char { a };", "struct Piece final {};",
                      "template <class T>\nclass Piece {};", "int f() { return 1; }\nstruct Piece {};", "union Piece { int a; };"]:
            with self.subTest(other):
                said = faults("namespace heed {\nstruct Piece {};\n}", f"namespace heed {{\n{other}\n}}")
                self.assertIn("heed::Piece is defined in heed/0.h:2 already", said)
                self.assertIn("heed/1.h:", said)

    def test_types_that_the_linker_tells_apart(self):
        for other in ["namespace heed { namespace { struct Piece {}; } }", "namespace heed::test { struct Piece {}; }", "struct Piece {};",
                      "namespace heed { struct Piece; class Of { struct Piece {}; }; }", "namespace heed { Piece piece() { return {}; } }",
                      "namespace heed { void f(struct Piece* a) { struct Piece {}; } }", "namespace heed { template <> struct Piece<int> {}; }",
                      "namespace heed { // struct Piece {\n }", 'namespace heed { auto a = "struct Piece {"; }']:
            with self.subTest(other):
                self.assertEqual(faults("namespace heed {\nstruct Piece {};\n}", other), "")

    def test_the_tree_itself(self):
        found, count = one_name.check(pathlib.Path(__file__).resolve().parents[2])
        self.assertEqual(found, [])
        self.assertGreater(count, 500)


if __name__ == "__main__":
    unittest.main()
