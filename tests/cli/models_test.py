"""models_test.py HEED: model files that are not what they should be, and the models that come with heed."""
import json
import pathlib
import tomllib
import unittest

from cli import Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


class BadModels(Cli):
    def test_files_that_are_no_model(self):
        good = (self.folder / self.model).read_bytes()
        middle = bytearray(good)
        middle[len(good) // 2] ^= 1
        for name, bytes_, message in (
            ("short", good[: len(good) // 2], ""),
            ("one-less", good[:-1], ""),
            ("flipped", bytes(middle), ""),
            ("empty", b"", ""),
            ("text", b"not a model, just text\n" * 9, ""),
        ):
            (self.folder / name).write_bytes(bytes_)
            for words in (["inspect", name], ["translate", "-m", name, "abc"], ["align", "-m", name, "a", "b"]):
                with self.subTest(words=words):
                    self.fails(3, f"{name}: {message}", *words)

    def test_no_file_and_a_folder(self):
        self.fails(3, 'translate: there is neither a file nor a model called "absent"', "translate", "-m", "absent", "abc")
        self.fails(3, 'run is a folder; did you mean "run/model.safetensors"?', "translate", "-m", "run", "abc")
        self.fails(3, 'run is a folder; did you mean "run/model.safetensors"?', "inspect", "run")


class Bundled(Cli):
    # What a visitor types first, with the answers that make sense.
    GREETINGS = {
        "hello": ("你好", "您好", "喂"), "hi": ("你好", "您好", "嗨"), "good morning": ("早上好", "早安", "早"), "good night": ("晚安",),
        "thank you": ("谢谢", "谢谢你", "谢谢您"), "thanks": ("谢谢", "谢谢你", "谢谢您"), "goodbye": ("再见",), "bye": ("再见",), "yes": ("是", "是的", "对"),
        "sorry": ("对不起", "抱歉"), "how are you": ("你好吗", "你怎么样"),
    }

    def test_what_a_visitor_types_first_is_answered_as_it_is_meant(self):
        root = pathlib.Path(__file__).resolve().parents[2]

        def answers(lines):
            out, _ = self.heed("translate", "-m", str(root / "models/en-zh.safetensors"), stdin="\n".join(lines).encode())
            return [line.strip("。！？!?. ") for line in out.splitlines()]
        said = list(self.GREETINGS)
        for one in (said, [text.capitalize() for text in said], [text.upper() for text in said], [f"{text.capitalize()}." for text in said]):
            for text, answer in zip(one, answers(one)):
                self.assertIn(answer, self.GREETINGS[text.lower().rstrip(".")], text)
        for texts in (("I like cats.", "i like cats", "I like cats", "I LIKE CATS"), ("I love you.", "i love you", "I love you"),
                      ("What is your name?", "what is your name")):
            self.assertEqual(len(set(answers(texts))), 1, texts)

    def test_they_are_searched_as_their_recipes_say(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        shelf = str(root / "models")
        for line in self.heed("models", "--json", HEED_MODELS=shelf)[0].splitlines():
            one = json.loads(line)
            recipe = tomllib.loads((root / f"recipes/{one['recipe']}.toml").read_text(encoding="utf-8"))
            wanted = recipe.get("search", {})
            self.assertEqual(json.loads(self.heed("inspect", one["path"], "--json")[0]).get("search", {}), wanted, one["name"])
            if "beam" in wanted:
                self.assertIn(f"beam {wanted['beam']}", one["score"])


def shelf_of(test):
    """A folder with one model, tiny."""
    folder = test.folder / "shelf"
    folder.mkdir(exist_ok=True)
    (folder / "tiny.safetensors").write_bytes((test.folder / test.model).read_bytes())
    return str(folder)


class Shelf(Cli):
    def test_models_are_listed_and_found_by_name(self):
        shelf = shelf_of(self)
        out, err = self.heed("models", HEED_MODELS=shelf)
        self.assertEqual(err, "")
        self.assertRegex(out.splitlines()[0], r"^name +languages +domain +MB score$")
        self.assertRegex(out, r"(?m)^tiny +reversed +letters for tests +0\.0 ")
        one = json.loads(self.heed("models", "--json", HEED_MODELS=shelf)[0].splitlines()[0])
        self.assertEqual((one["name"], one["languages"], one["recipe"]), ("tiny", "reversed", "tiny"))
        said, _ = self.translate("abc")
        self.assertEqual(self.heed("translate", "-m", "tiny", "abc", HEED_MODELS=shelf)[0], said)
        self.assertEqual(self.heed("translate", "abc", HEED_MODELS=shelf)[0], said)

    def test_a_broken_one_is_named(self):
        folder = self.folder / "broken"
        folder.mkdir()
        (folder / "bad.safetensors").write_bytes(b"no model")
        out, err = self.heed("models", code=3, HEED_MODELS=str(folder))
        self.assertIn("warning: " + str(folder / "bad.safetensors"), err)


class Doctor(Cli):
    def test_describes_the_machine_and_tests_heed_on_it(self):
        shelf = shelf_of(self)
        out, err = self.heed("doctor", HEED_MODELS=shelf)
        self.assertEqual(err, "")
        for key in ("system", "cpu", "memory", "vectors", "backends", "threads", "models"):
            self.assertRegex(out, rf"(?m)^{key} +\S")
        self.assertRegex(out, r"(?m)^backends +cpu, reference$")
        self.assertRegex(out, r"(?m)^missing +cuda: there is no libheed_cuda\.so beside the program$")
        self.assertRegex(out, r"(?m)^ok +cpu equals reference$")
        self.assertNotIn("FAILS", out)
        seen = json.loads(self.heed("doctor", "--json", "--threads", "1", HEED_MODELS=shelf)[0])
        self.assertEqual(seen["threads"], 1)
        self.assertEqual(seen["backends"], ["cpu", "reference"])
        self.assertEqual(seen["missing"], {"cuda": "there is no libheed_cuda.so beside the program"})
        self.assertTrue(all(check["holds"] for check in seen["self_test"]))
        self.assertIn(f"{self.folder}/shelf/tiny.safetensors", seen["models"])


if __name__ == "__main__":
    unittest.main()
