"""serve_dialects_test.py HEED: clients of other servers are answered by heed serve as they are used to."""
import json
import pathlib
import unittest

from cli import ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)
from served import Server


class LibreTranslate(Cli):
    """What clients of LibreTranslate 1.9.6 send, and what they read."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "keys.txt").write_text("good\n")
        cls.server = Server(cls.folder, "-m", str(ROOT / "models/en-zh.safetensors"))
        cls.keyed = Server(cls.folder, "-m", str(ROOT / "models/en-zh.safetensors"), "--keys", "keys.txt")

    @classmethod
    def tearDownClass(cls):
        for server in (cls.server, cls.keyed):
            with server:
                assert server.end()[0] == 0
        super().tearDownClass()

    def says(self, status, said, path="/translate", server=None, **fields):
        got, body = (server or self.server).post(path, **fields)
        self.assertEqual((got, json.loads(body)), (status, said))

    def test_a_text_and_a_list(self):
        self.says(200, {"translatedText": "我喜欢猫。"}, q="I like cats.", source="en", target="zh")
        self.says(200, {"translatedText": ["我喜欢猫。", "晚安。", "…"]}, q=["I like cats.", "Good night.", "…"], source="EN", target="zh-Hans", format="text")
        self.says(200, {"translatedText": [""]}, q=[""], source="en", target="zh")
        self.says(200, {"translatedText": "我喜欢猫。", "detectedLanguage": {"confidence": 0, "language": "en"}}, q="I like cats.", source="auto", target="zh")

    def test_alternatives(self):
        status, body = self.server.post("/translate", q="I like cats.", source="en", target="zh", alternatives=3)
        said = json.loads(body)
        texts = [one["text"] for one in json.loads(self.heed("translate", "-m", str(ROOT / "models/en-zh.safetensors"), "--json", "--n-best", "4", "I like cats.")[0])["n_best"]]
        self.assertEqual((status, [said["translatedText"], *said["alternatives"]]), (200, texts))
        status, body = self.server.post("/translate", q=["a cat"], source="en", target="zh", alternatives=500)
        self.assertEqual((status, len(json.loads(body)["alternatives"][0])), (200, 7))  # the server's limit

    def test_forms_and_queries(self):
        wanted = {"translatedText": "我喜欢猫。"}
        query = "q=I+like+cats.&source=en&target=zh&api_key="
        part = "".join(f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in (("q", "I like cats."), ("source", "en"), ("target", "zh")))
        for path, body, type_ in (("/translate?" + query, "", None), ("/translate", query, "application/x-www-form-urlencoded"),
                                  ("/translate", part + "--x--\r\n", "multipart/form-data; boundary=x")):
            status, _, said = self.server.ask("POST", path, body, {"Content-Type": type_} if type_ else {})
            self.assertEqual((status, json.loads(said)), (200, wanted), path)
        status, _, said = self.server.ask("POST", "/translate", part, {"Content-Type": "multipart/form-data; boundary=x"})
        self.assertEqual((status, json.loads(said)), (400, {"error": "the request: the form cannot be taken apart"}))

    def test_faults_have_the_words_that_clients_know(self):
        ask = {"q": "a", "source": "en", "target": "zh"}
        for missing in ask:
            self.says(400, {"error": f"Invalid request: missing {missing} parameter"}, **{name: value for name, value in ask.items() if name != missing})
        self.says(400, {"error": "xx is not supported"}, **{**ask, "source": "xx"})
        self.says(400, {"error": "xx is not supported"}, **{**ask, "target": "xx"})
        self.says(400, {"error": "html format is not supported"}, **ask, format="html")
        self.says(400, {"error": "Invalid request: alternatives parameter is not a number"}, **ask, alternatives="x")
        self.says(400, {"error": "Invalid request: request (65537) exceeds text limit (65536)"}, **{**ask, "q": "é" * 65537})
        status, _, said = self.server.ask("GET", "/translate")
        self.assertEqual((status, list(json.loads(said))), (405, ["error"]))

    def test_keys_are_fields(self):
        ask = {"q": "I like cats.", "source": "en", "target": "zh"}
        self.says(200, {"translatedText": "我喜欢猫。"}, server=self.keyed, **ask, api_key="good")
        for wrong in ({}, {"api_key": "bad"}, {"api_key": ""}):
            self.says(403, {"error": "Invalid API key"}, server=self.keyed, **ask, **wrong)

    def test_what_is_offered(self):
        languages = json.loads(self.server.ask("GET", "/languages")[2])
        self.assertEqual(languages, [{"code": "en", "name": "English", "targets": ["zh-Hans"]}])
        settings = json.loads(self.server.ask("GET", "/frontend/settings")[2])
        self.assertEqual(set(settings), {"charLimit", "frontendTimeout", "apiKeys", "keyRequired", "suggestions", "filesTranslation", "supportedFilesFormat", "language"})
        self.assertEqual(settings["language"], {"source": {"code": "en", "name": "English"}, "target": {"code": "zh-Hans", "name": "Chinese"}})
        self.says(200, [{"confidence": 0, "language": "en"}], path="/detect", q="I like cats.")
        self.assertEqual(json.loads(self.server.ask("GET", "/health")[2]), {"status": "ok"})


class OpenAiSpeech(Cli):
    """What clients of OpenAI's transcriptions send, and what they read."""

    def test_a_recording_in_every_form(self):
        model, name = str(ROOT / "models/digits.safetensors"), str(ROOT / "models/digits/2345.wav")
        wanted = json.loads(self.heed("transcribe", "-m", model, "--json", name)[0])

        def ask(*fields, file=pathlib.Path(name).read_bytes(), type_="multipart/form-data; boundary=x"):
            body = b"".join(b'--x\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (key.encode(), value.encode()) for key, value in fields)
            body += b'--x\r\nContent-Disposition: form-data; name="file"; filename="2345.wav"\r\nContent-Type: audio/wav\r\n\r\n' + file + b"\r\n--x--\r\n"
            status, headers, said = server.ask("POST", "/v1/audio/transcriptions", body, {"Content-Type": type_})
            return status, headers["Content-Type"], said.decode()
        with Server(self.folder, "-m", model) as server:
            self.assertEqual(ask(("model", "whisper-1")), (200, "application/json", json.dumps({"text": wanted["text"]}, separators=(",", ":")) + "\n"))
            self.assertEqual(ask(("model", "digits"), ("response_format", "text"), ("language", "en"), ("temperature", "0"))[2], wanted["text"] + "\n")
            for form in ("srt", "vtt"):
                status, type_, said = ask(("model", "digits"), ("response_format", form))
                self.assertEqual((status, type_), (200, "text/plain; charset=utf-8"))
                self.assertEqual(said, self.heed("transcribe", "-m", model, f"--{form}", name)[0])
            said = json.loads(ask(("model", "digits"), ("response_format", "verbose_json"), ("timestamp_granularities[]", "word"), ("timestamp_granularities[]", "segment"))[2])
            self.assertEqual((said["task"], said["text"], said["duration"]), ("transcribe", wanted["text"], wanted["seconds"]))
            self.assertEqual(said["words"], [{"word": word["text"], "start": word["start"], "end": word["end"]} for word in wanted["words"]])
            self.assertEqual(" ".join(one["text"] for one in said["segments"]).split(), wanted["text"].split())
            self.assertNotIn("words", json.loads(ask(("model", "digits"), ("response_format", "verbose_json"))[2]))
            status, type_, said = ask(("model", "digits"), ("stream", "true"))
            self.assertEqual((status, type_), (200, "text/event-stream"))
            events = [json.loads(block.removeprefix("data: ")) for block in said.split("\n\n") if block]
            self.assertEqual([event["type"] for event in events], ["transcript.text.delta", "transcript.text.done"])
            self.assertEqual((events[0]["delta"], events[1]["text"]), (wanted["text"], wanted["text"]))
            for status, answer in ((400, ask(("model", "absent"))), (400, ask(("model", "digits"), ("response_format", "x"))), (400, ask(file=b"")), (400, ask(file=b"no sound")),
                                   (415, ask(type_="audio/wav")), (400, ask(type_="multipart/form-data; boundary=y"))):
                self.assertEqual((answer[0], set(json.loads(answer[2])["error"])), (status, {"message", "type", "param", "code"}), answer)

if __name__ == "__main__":
    unittest.main()
