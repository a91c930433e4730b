"""serve_test.py HEED: a server says what the command line says, refuses what it should, and ends when it is told to."""
import base64
import http.client
import json
import math
import pathlib
import re
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest

from caption_test import png
from cli import ENVIRONMENT, HEED, ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)

JSON = {"Content-Type": "application/json"}


def eventually(holds):
    """Whether it holds within 20 s."""
    end = time.monotonic() + 20
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.01)
    return held


def scores_and_normalisers(test):
    """Every one that heed lists, as a field of POST /v1/operator."""
    fields = json.loads(test.heed("serve", "--openapi")[0])["paths"]["/v1/operator"]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]
    assert len(fields["score"]["enum"]) > 5 and len(fields["normaliser"]["enum"]) > 5
    return [{name: one} for name in ("score", "normaliser") for one in fields[name]["enum"]]


class Server:
    """The program on a free port, until the end of the with statement."""

    def __init__(self, folder, *words, **more):
        self.process = subprocess.Popen([HEED, "serve", "--port", "0", *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**ENVIRONMENT, **more})
        self.url = self.process.stdout.readline().decode().strip()
        self.address = self.url.removeprefix("http://")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()
        self.process.stdout.close()
        self.process.stderr.close()

    def end(self, number=signal.SIGTERM):
        """The exit code and the lines of the log; number 0 is no signal."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        said = self.process.stderr.read().decode()
        return self.process.wait(60), said.splitlines()

    def ask(self, method, path, body=None, headers=None):
        """Status, fields and body of the answer."""
        connection = http.client.HTTPConnection(self.address, timeout=60)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body

    def events(self, path, body, headers=JSON):
        """The events of a stream: names and what they say."""
        status, fields, said = self.ask("POST", path, body, headers)
        assert (status, fields["Content-Type"]) == (200, "text/event-stream"), said
        blocks = [block.split("\n") for block in said.decode().split("\n\n") if block and not block.startswith(":")]
        return [(name.removeprefix("event: "), data.removeprefix("data: ")) for name, data in blocks]

    def figure(self, name):
        """One of GET /metrics."""
        return float(re.search(rf"^{name} (\S+)$", self.ask("GET", "/metrics")[2].decode(), re.M)[1])

    def post(self, path, **fields):
        status, _, body = self.ask("POST", path, json.dumps(fields), JSON)
        return status, body.decode()


class Serving(Cli):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        models = [word for name in ("en-zh", "digits", "shapes") for word in ("-m", str(ROOT / f"models/{name}.safetensors"))]
        cls.server = Server(cls.folder, *models, "-m", f"tiny={cls.model}")

    @classmethod
    def tearDownClass(cls):
        with cls.server as server:
            code, log = server.end()
        assert code == 0, log
        for line in log:
            entry = json.loads(line)
            assert list(entry) == ["time", "id", "peer", "route", "status", "bytes", "ms"], line
            assert "secret words" not in line, line  # no text of a request
        super().tearDownClass()

    def same(self, said, *words, stdin=b""):
        status, body = said
        self.assertEqual(status, 200, body)
        self.assertEqual(body, self.heed(*words, stdin=stdin)[0])

    def test_texts_are_translated_as_by_the_command_line(self):
        post, model = self.server.post, ["-m", str(ROOT / "models/en-zh.safetensors")]
        for text in ("I like cats.", "How are you? I am fine, thank you.", "", " ", "Ünïcode → 中文 👍", "a\tb"):
            self.same(post("/v1/translate", text=text), "translate", *model, "--json", text)
        text = "Where do you live?"
        for fields, words in (({"beam": 4, "n_best": 3}, ["--beam", "4", "--n-best", "3"]),
                              ({"n_best": 2}, ["--n-best", "2"]),
                              ({"beam": 5, "length_norm": "none", "alignment": "soft"}, ["--beam", "5", "--length-norm", "none", "--alignment", "soft"]),
                              ({"alignment": "0.3", "coverage": 0.2}, ["--alignment", "0.3", "--coverage", "0.2"]),
                              ({"sample": True, "n_best": 3, "seed": 5, "temperature": 0.8}, ["--sample", "--n-best", "3", "--seed", "5", "--temperature", "0.8"]),
                              ({"diverse": 2, "n_best": 2}, ["--diverse", "2", "--n-best", "2"]),
                              ({"prefix": "你", "max_length": 6}, ["--prefix", "你", "--max-length", "6"]),
                              ({"constrain": "在"}, ["--constrain", "在"]),
                              ({"whole": True, "no_repeat_ngram": 2}, ["--whole", "--no-repeat-ngram", "2"])):
            with self.subTest(fields=fields):
                self.same(post("/v1/translate", text=text, **fields), "translate", *model, "--json", *words, text)

    def test_a_model_is_named(self):
        self.same(self.server.post("/v1/translate", text="abc", model="tiny"), "translate", "-m", self.model, "--json", "abc")
        status, body = self.server.post("/v1/translate", text="abc", model="tyni")
        self.assertEqual((status, json.loads(body)["error"]["faults"][0]["path"]), (400, "model"))
        self.assertIn('did you mean \\"tiny\\"?', body)
        status, body = self.server.post("/v1/translate", text="abc", model="digits")
        self.assertIn('\\"digits\\" is for `transcribe`', body)

    def test_several_texts_have_a_list_of_answers(self):
        texts = ["I like cats.", "Good night.", "Where is the station?"]
        status, body = self.server.post("/v1/translate", text=texts)
        lines = self.heed("translate", "-m", str(ROOT / "models/en-zh.safetensors"), "--json", stdin="\n".join(texts).encode())[0].splitlines()
        self.assertEqual((status, body), (200, "[" + ",".join(lines) + "]\n"))
        self.assertEqual(self.server.post("/v1/translate", text=texts[:1])[1], "[" + lines[0] + "]\n")

    def test_recordings_are_transcribed_as_by_the_command_line(self):
        name = str(ROOT / "models/digits/2345.wav")
        status, _, body = self.server.ask("POST", f"/v1/transcribe?name={name}&beam=4", pathlib.Path(name).read_bytes(), {"Content-Type": "audio/wav"})
        self.assertEqual(status, 200, body)
        self.assertEqual(body.decode(), self.heed("transcribe", "-m", str(ROOT / "models/digits.safetensors"), "--json", "--beam", "4", name)[0])
        for bytes_ in (b"", b"no sound", pathlib.Path(name).read_bytes()[:20]):
            status, _, body = self.server.ask("POST", "/v1/transcribe", bytes_, {"Content-Type": "audio/wav"})
            self.assertEqual(status, 400, body)

    def test_bytes_are_never_the_name_of_a_file(self):
        name = str(ROOT / "models/digits/2345.wav")
        status, _, body = self.server.ask("POST", "/v1/transcribe", name.encode(), {"Content-Type": "audio/wav"})
        self.assertEqual(status, 400, body)
        status, _, body = self.server.ask("POST", "/v1/caption", b"/etc/passwd", {"Content-Type": "image/png"})
        self.assertEqual(status, 400, body)

    def test_pairs_are_scored_and_aligned(self):
        model, pair = ["-m", str(ROOT / "models/en-zh.safetensors")], {"source": "I like cats.", "target": "我喜欢猫。"}
        self.same(self.server.post("/v1/score", words=True, **pair), "score", *model, "--json", "--words", stdin="I like cats.\t我喜欢猫。\n".encode())
        status, body = self.server.post("/v1/align", **pair)
        links = " ".join(f"{s}-{t}" for s, t in json.loads(body)["alignment"])
        self.assertEqual((status, links + "\n"), (200, self.heed("align", *model, "I like cats.", "我喜欢猫。")[0]))
        status, body = self.server.post("/v1/align", source="", target="")
        self.assertEqual([fault["path"] for fault in json.loads(body)["error"]["faults"]], ["source", "target"])

    def test_maps_are_those_of_the_command_line(self):
        """A file of safetensors, read in a few lines; `heed translate --heads --json` has the same weights."""
        model, pair = ["-m", str(ROOT / "models/en-zh.safetensors")], {"source": "I like cats.", "target": "我喜欢猫。"}

        def maps(**fields):
            status, headers, file = self.server.ask("POST", "/v1/attention", json.dumps({**pair, **fields}), JSON)
            self.assertEqual((status, headers["Content-Type"]), (200, "application/octet-stream"), file)
            head = json.loads(file[8:8 + int.from_bytes(file[:8], "little")])
            return head.pop("__metadata__"), head, file[8 + int.from_bytes(file[:8], "little"):]
        listed = json.loads(self.heed("translate", *model, "--json", "--heads", pair["source"])[0])["attention"]
        about, tensors, data = maps(form="f32")
        self.assertEqual((about["of"], json.loads(about["rows"]), json.loads(about["columns"])), ("cross", listed["rows"], listed["columns"]))
        self.assertEqual(list(tensors), [f"block.{i}" for i in range(len(listed["blocks"]))])
        for tensor, block in zip(tensors.values(), listed["blocks"]):
            begin, end = tensor["data_offsets"]
            weights = [weight for head in block["heads"] for row in head["weights"] for weight in row]
            self.assertEqual((tensor["dtype"], tensor["shape"]), ("F32", [len(block["heads"]), len(listed["rows"]), len(listed["columns"])]))
            self.assertEqual(list(struct.unpack(f"<{len(weights)}f", data[begin:end])), weights)
        number, head = len(listed["blocks"]) - 1, len(listed["blocks"][-1]["heads"]) - 1
        about, one, bytes_ = maps(block=number, head=head)
        self.assertEqual((about["first_head"], list(one)), (str(head), [f"block.{number}"]))
        weights = [weight for row in listed["blocks"][number]["heads"][head]["weights"] for weight in row]
        self.assertEqual(list(bytes_), [int(weight * 255 + 0.5) for weight in weights])

    def test_maps_of_an_answer_and_thumbnails(self):
        answer = json.loads(self.server.post("/v1/translate", text="I like cats.", alignment="soft")[1])
        status, body = self.server.post("/v1/attention", source="I like cats.", tokens=answer["tokens"], form="thumbnails")
        heads = json.loads(body)
        self.assertEqual((status, heads["of"], heads["rows"]), (200, "cross", len(answer["tokens"])))
        for block in heads["blocks"]:
            for head in block["heads"]:
                self.assertEqual(set(head), {"entropy", "distance", "diagonality", "thumbnail"})
                self.assertAlmostEqual(sum(map(sum, head["thumbnail"])), heads["rows"], delta=1e-3)

    def test_maps_that_are_none(self):
        pair = {"source": "I like cats.", "target": "我喜欢猫。"}
        for said, fields in (("has no self-attention", {"of": "self"}), ("has no self-attention", {"of": "encoder"}), ("`block`: there is no block 9", {"block": 9}), ("`head`: there is no head 99", {"head": 99}),
                             ("give one of the two", {"tokens": ["我"]}), ("the model has no token \\\"xyz\\\"", {"target": "", "tokens": ["xyz"]}),
                             ("must be a text that is not empty", {"target": ""}), ("make more than 262144 cells", {"source": "a b " * 400, "target": "我" * 800})):
            status, body = self.server.post("/v1/attention", **{**pair, **fields})
            self.assertEqual(status, 400, body)
            self.assertIn(said, body)
        with Server(self.folder, "-m", str(ROOT / "models/en-zh.safetensors"), "--map-bytes", "50") as server:
            status, body = server.post("/v1/attention", **pair, form="f32")
            self.assertEqual(status, 400)
            self.assertRegex(body, "the maps have [0-9]+ bytes, and this server sends 50 at most; ask for one `block` or one `head`")
            self.assertEqual(server.ask("POST", "/v1/attention", json.dumps({**pair, "block": 0, "head": 0}), JSON)[0], 200)

    def test_the_operator_on_given_vectors(self):
        """Worked out by hand: q = (1, 2) and the keys (1, 0), (0, 1), (-3, 1) have the scores 1, 2 and -1."""
        keys, values = [[1, 0], [0, 1], [-3, 1]], [[10, 0, 0], [0, 10, 0], [0, 0, 10]]

        def operator(**fields):
            status, body = self.server.post("/v1/operator", **{"queries": [[1, 2]], "keys": keys, "values": values, "score": "dot", **fields})
            self.assertEqual(status, 200, body)
            return json.loads(body)

        def near(seen, wanted):
            self.assertEqual([len(row) for row in seen], [len(row) for row in wanted])
            for a, b in zip(sum(seen, []), sum(wanted, [])):
                self.assertAlmostEqual(a, b, places=5)
        soft = [math.exp(e) / (math.exp(1) + math.exp(2) + math.exp(-1)) for e in (1, 2, -1)]
        said = operator()
        self.assertEqual(list(said), ["scores", "weights", "context"])
        near(said["scores"], [[1, 2, -1]])
        near(said["weights"], [soft])
        near(said["context"], [[10 * weight for weight in soft]])
        near(operator(score="scaled_dot")["scores"], [[e / math.sqrt(2) for e in (1, 2, -1)]])
        said = operator(normaliser="sparsemax")  # max(0, e - τ) with τ = 1
        near(said["weights"], [[0, 1, 0]])
        near(said["context"], [[0, 10, 0]])
        said = operator(queries=[[1, 2], [1, 2]], focus=["causal"])  # j ≤ i
        near(said["weights"], [[1, 0, 0], [1 / (1 + math.e), math.e / (1 + math.e), 0]])
        status, body = self.server.post("/v1/operator", queries=[[1, 2]], keys=[[1], [2]], score="dto", focus=["/etc/passwd"])
        self.assertEqual((status, {fault["path"] for fault in json.loads(body)["error"]["faults"]}), (400, {"score", "focus"}))
        for fields in ({"queries": [[1]]}, {"queries": []}, {"values": [[1]]}, {"score": {"kind": "bilinear", "given": "/etc/passwd"}}):
            status, body = self.server.post("/v1/operator", **{"queries": [[1, 2]], "keys": keys, "score": "dot", **fields})
            self.assertEqual(status, 400, body)
            self.assertNotIn("root:", body)
        for part in scores_and_normalisers(self):
            operator(**part)

    def test_all_faults_are_told_at_once(self):
        status, body = self.server.post("/v1/translate", text="secret words", beam=17, n_best=0, lenght_norm="none", strategy="greedy")
        faults = {fault["path"]: fault["message"] for fault in json.loads(body)["error"]["faults"]}
        self.assertEqual(status, 400)
        self.assertEqual(faults["beam"], "must be a whole number from 1 to 16, not 17")
        self.assertEqual(faults["lenght_norm"], 'unknown setting; did you mean "length_norm"?')
        self.assertEqual(set(faults), {"beam", "n_best", "lenght_norm", "strategy"})

    def test_what_is_no_request_is_refused(self):
        ask = self.server.ask
        for status, method, path, body, headers in (
                (404, "GET", "/", None, {}), (404, "POST", "/v1/nothing", "{}", JSON), (405, "GET", "/v1/translate", None, {}), (405, "DELETE", "/health", None, {}),
                (415, "POST", "/v1/translate", "{}", {}), (415, "POST", "/v1/translate", "a=b", {"Content-Type": "text/plain"}),
                (415, "POST", "/v1/caption", "x", JSON), (400, "POST", "/v1/translate", "", JSON), (400, "POST", "/v1/translate", "{", JSON),
                (400, "POST", "/v1/translate", "[]", JSON), (400, "POST", "/v1/translate", '{"text": "a", "text": "b"}', JSON),
                (400, "POST", "/v1/translate", "[" * 40 + "]" * 40, JSON), (400, "POST", "/v1/translate", '{"text": 5}', JSON),
                (400, "POST", "/v1/translate", "{}", JSON), (400, "POST", "/v1/translate", b'{"text": "\xff"}', JSON),
                (413, "POST", "/v1/translate", '{"text": "' + "a" * 1_000_000 + '"}', JSON),
                (400, "POST", "/v1/translate", json.dumps({"text": "a" * 70_000}), JSON), (400, "POST", "/v1/translate", json.dumps({"text": ["a"] * 65}), JSON),
                (403, "POST", "/v1/translate", '{"text": "a"}', {**JSON, "Origin": "https://evil.example"}), (421, "GET", "/health", None, {"Host": "evil.example"})):
            with self.subTest(path=path, status=status):
                got, fields, said = ask(method, path, body, headers)
                self.assertEqual(got, status, said)
                self.assertEqual(json.loads(said)["error"]["status"], status)
                self.assertEqual(fields["Content-Type"], "application/json")
                self.assertRegex(fields["X-Request-Id"], r"^[0-9a-f]{8}-[0-9a-f]+$")

    def test_models_are_listed(self):
        listed = json.loads(self.server.ask("GET", "/v1/models")[2])
        self.assertEqual([model["id"] for model in listed["data"]], ["en-zh", "digits", "shapes", "tiny"])
        self.assertEqual([model["route"] for model in listed["data"]], ["/v1/translate", "/v1/transcribe", "/v1/caption", "/v1/translate"])
        self.assertEqual(listed["data"][3]["about"]["languages"], "reversed")

    def test_figures_are_for_prometheus(self):
        self.server.ask("GET", "/health")
        text = self.server.ask("GET", "/metrics")[2].decode()
        for line in text.splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) heed_\w+ .+|heed_\w+(\{(\w+="[^"\n]*",?)+\})? [0-9.e+-]+)$')
        self.assertIn('heed_requests_total{route="GET /health",status="200"}', text)

    def test_the_list_of_routes_is_whole(self):
        listed = json.loads(self.server.ask("GET", "/openapi.json")[2])
        self.assertEqual(listed["openapi"], "3.1.0")
        self.assertEqual(listed, json.loads(self.heed("serve", "--openapi")[0]))
        for path, methods in listed["paths"].items():
            for method in methods:
                self.assertNotIn(self.server.ask(method.upper(), path, "{}" if method == "post" else None, JSON)[0], (404, 405, 501), path)
        # The options of the command line are the fields.
        options = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", self.heed("translate", "--help")[0], re.M))
        fields = {name.replace("_", "-") for name in listed["paths"]["/v1/translate"]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]}
        self.assertEqual(fields - options, {"text", "stream"})
        self.assertGreaterEqual(fields, {"beam", "n-best", "length-norm", "sample", "constrain", "min-length", "model"})

    def test_clients_at_once_get_their_own_answers(self):
        texts = [f"I have {number} cats." for number in range(12)]
        lines = self.heed("translate", "-m", str(ROOT / "models/en-zh.safetensors"), "--json", stdin="\n".join(texts).encode())[0].splitlines()
        found = {}

        def ask(i):
            found[i] = self.server.post("/v1/translate", text=texts[i])
        threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(texts))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i, line in enumerate(lines):
            self.assertEqual(found[i], (200, line + "\n"))

    def test_words_are_told_as_they_come(self):
        model, text = ["-m", str(ROOT / "models/en-zh.safetensors")], "How are you? I am fine, thank you."
        for options, words in (({}, []), ({"beam": 4, "n_best": 2}, ["--beam", "4", "--n-best", "2"]), ({"sample": True, "n_best": 2}, ["--sample", "--n-best", "2"])):
            with self.subTest(options=options):
                events = self.server.events("/v1/translate", json.dumps({"text": text, "stream": True, **options}))
                self.assertEqual((events[0][0], events[-1][0]), ("start", "done"))
                self.assertEqual(events[-1][1] + "\n", self.heed("translate", *model, "--json", *words, text)[0])  # watched or not
                self.assertEqual({name for name, _ in events[1:-1]} - {"step", "beam", "stable"}, set())
                start, told = json.loads(events[0][1]), [(name, json.loads(said)) for name, said in events[1:-1]]
                [parts] = start["sources"]
                self.assertEqual(start["model"], "en-zh")
                self.assertEqual([[text.encode()[a:b].decode() for a, b in part["places"]] for part in parts],
                                 [[token.lstrip("▁") for token in part["tokens"][:-1]] for part in parts])  # without the end
                for name, said in told:
                    if name == "step":
                        self.assertEqual(len(base64.b64decode(said["weights"])), len(parts[said["part"]]["tokens"]))
                        self.assertAlmostEqual(sum(base64.b64decode(said["weights"])) / 255, 1, delta=0.1)
                        self.assertEqual(len(said["rivals"]), 4)
                        self.assertLessEqual(said["log_probability"], 0)

    def test_what_is_stable_stays(self):
        """The tree of hypotheses, as the events tell it: what all share is what the answer begins with."""
        claims = 0
        for text in ("Where is the station? It is a long way from here.", "I like cats.", "How much is this book?"):
            events = [(name, json.loads(said)) for name, said in self.server.events("/v1/translate", json.dumps({"text": text, "stream": True, "beam": 3, "whole": True}))]
            tree, leading, stable = {}, 0, 0

            def path(node):
                return path(tree[node][0]) + [tree[node][1]] if node else []
            for name, said in events:
                if name == "step":
                    leading = said["node"]
                elif name == "beam":
                    tree.update({node["node"]: (node["parent"], node["token"]) for node in said["nodes"] if node["node"] > 0})
                elif name == "stable":
                    self.assertGreater(said["tokens"], stable)
                    stable, claims = said["tokens"], claims + 1
                    self.assertEqual(path(leading)[:stable], events[-1][1]["tokens"][:stable])
        self.assertGreater(claims, 2)

    def test_pictures_and_recordings_are_streamed(self):
        (self.folder / "red.png").write_bytes(png(30, 20, (250, 10, 10)))
        events = self.server.events("/v1/caption?stream=true&beam=2", (self.folder / "red.png").read_bytes(), {"Content-Type": "image/png"})
        self.assertEqual(events[-1], ("done", self.heed("caption", "-m", str(ROOT / "models/shapes.safetensors"), "--json", "--beam", "2", "red.png")[0].strip()))
        height, width = json.loads(events[0][1])["sources"][0][0]["grid"]
        steps = [json.loads(said) for kind, said in events if kind == "step"]
        self.assertEqual({len(base64.b64decode(step["weights"])) for step in steps}, {height * width})
        name = str(ROOT / "models/digits/2345.wav")
        events = self.server.events(f"/v1/transcribe?name={name}&stream=true&beam=4", pathlib.Path(name).read_bytes(), {"Content-Type": "audio/wav"})
        self.assertEqual([kind for kind, _ in events], ["start", "done"])  # a ctc decoder does not write one word after the other
        self.assertEqual(events[-1][1], self.heed("transcribe", "-m", str(ROOT / "models/digits.safetensors"), "--json", "--beam", "4", name)[0].strip())
        seconds = json.loads(events[0][1])["sources"][0][0]["seconds"]
        self.assertEqual(seconds, sorted(seconds))
        status, _, said = self.server.ask("POST", "/v1/transcribe?stream=true", b"no sound", {"Content-Type": "audio/wav"})
        self.assertEqual(status, 400, said)  # what is wrong before the stream begins has its status

    def test_crowds_are_answered_as_one_client_is(self):
        """1, 8 and 64 clients with mixed options, some as streams, while others leave: the bytes of the command line."""
        model = ["-m", str(ROOT / "models/en-zh.safetensors")]
        texts = ["I like cats.", "Where do you live? I live here.", "Good night.", "How much is it?", "The weather is very nice today, is it not?", "a"]
        mixed = (({}, []), ({"beam": 4}, ["--beam", "4"]), ({"beam": 2, "n_best": 2}, ["--beam", "2", "--n-best", "2"]), ({"sample": True, "seed": 3}, ["--sample", "--seed", "3"]),
                 ({"length_norm": "none", "beam": 3, "alignment": "soft"}, ["--length-norm", "none", "--beam", "3", "--alignment", "soft"]), ({"prefix": "我"}, ["--prefix", "我"]))
        wanted = {(text, i): self.heed("translate", *model, "--json", *words, text)[0] for text in texts for i, (_, words) in enumerate(mixed)}
        digits = str(ROOT / "models/digits/2345.wav")
        heard = self.heed("transcribe", "-m", str(ROOT / "models/digits.safetensors"), "--json", digits)[0]
        wrong, joins = [], self.server.figure("heed_search_joins_total")

        def ask(number, times):
            for turn in range(times):
                text, i = texts[(number + turn) % len(texts)], (number * 5 + turn) % len(mixed)
                kind = (number + 3 * turn) % 8
                if kind == 7:  # another model takes its turns
                    status, _, body = self.server.ask("POST", f"/v1/transcribe?name={digits}", pathlib.Path(digits).read_bytes(), {"Content-Type": "audio/wav"})
                    got, right = (status, body.decode()), (200, heard)
                elif kind == 6:  # leaves
                    host, port = self.server.address.split(":")
                    with socket.create_connection((host, int(port)), timeout=60) as leaver:
                        body = json.dumps({"text": text, "beam": 8, "min_length": 200, "stream": turn % 2 == 0}).encode()
                        leaver.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                    continue
                elif kind in (1, 4):
                    events = self.server.events("/v1/translate", json.dumps({"text": text, "stream": True, **mixed[i][0]}))
                    got, right = events[-1], ("done", wanted[text, i].strip())
                else:
                    got, right = self.server.post("/v1/translate", text=text, **mixed[i][0]), (200, wanted[text, i])
                if got != right:
                    wrong.append((text, mixed[i], got, right))
        for clients in (1, 8, 64):
            threads = [threading.Thread(target=ask, args=(number, 16 if clients == 1 else 3)) for number in range(clients)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [], clients)
        self.assertGreater(self.server.figure("heed_search_joins_total"), joins)
        self.assertTrue(eventually(lambda: self.server.figure("heed_queue") == 0))


class Leavers(Cli):
    """Whoever leaves frees what was his, wherever his request is."""

    def begun(self, server, **fields):
        host, port = server.address.split(":")
        client = socket.create_connection((host, int(port)), timeout=60)
        body = json.dumps({"text": "abcd", "beam": 4, "min_length": 100_000, "max_length_factor": 1e6, **fields}).encode()
        client.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        return client

    def test_searches_end_with_their_clients(self):
        with Server(self.folder, "-m", self.model) as server:
            clients = [self.begun(server, stream=number % 2 == 0) for number in range(8)]
            self.assertTrue(eventually(lambda: server.figure("heed_queue") == 8))
            for client in clients[:6]:
                client.close()
            self.assertTrue(eventually(lambda: server.figure("heed_queue") == 2))
            before = server.figure("heed_search_steps_total")
            self.assertTrue(eventually(lambda: server.figure("heed_search_steps_total") > before))  # the others go on
            for client in clients[6:]:
                client.close()
            self.assertTrue(eventually(lambda: server.figure("heed_queue") == 0))
            ended = server.figure("heed_search_steps_total")
            self.assertEqual(server.post("/v1/translate", text="abc")[1], self.translate("--json", "abc")[0])
            self.assertLess(server.figure("heed_search_steps_total"), ended + 50)

    def test_requests_end_at_their_deadline(self):
        with Server(self.folder, "-m", self.model, "--request-seconds", "0.5") as server:
            with self.begun(server) as whole, self.begun(server, stream=True) as stream:
                answer = http.client.HTTPResponse(whole)
                answer.begin()
                self.assertEqual((answer.status, answer.headers["Retry-After"]), (503, "1"), answer.read())
                answer = http.client.HTTPResponse(stream)
                answer.begin()
                events = answer.read().decode().split("\n\n")
                self.assertEqual((answer.status, events[-2].split("\n")[0]), (200, "event: error"))
                self.assertEqual(json.loads(events[-2].split("\n")[1].removeprefix("data: "))["error"]["status"], 503)

    def test_too_many_are_told_to_come_again(self):
        with Server(self.folder, "-m", self.model, "--queue", "2") as server:
            with self.begun(server), self.begun(server):
                self.assertTrue(eventually(lambda: server.figure("heed_queue") == 2))
                status, fields, _ = server.ask("POST", "/v1/translate", '{"text": "abc"}', JSON)
                self.assertEqual((status, fields["Retry-After"]), (503, "1"))
                self.assertEqual((server.ask("GET", "/ready")[0], server.ask("GET", "/health")[0]), (503, 200))
            self.assertTrue(eventually(lambda: server.ask("GET", "/ready")[0] == 200))

    def test_a_slow_reader_gets_fewer_events_and_the_last(self):
        text = "abcd" * 10
        with Server(self.folder, "-m", self.model, "--stream-bytes", "1000") as server:
            host, port = server.address.split(":")
            with socket.socket() as slow:
                slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                slow.connect((host, int(port)))
                body = json.dumps({"text": text, "beam": 8, "min_length": 300, "max_length_factor": 100, "stream": True}).encode()
                slow.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                self.assertTrue(eventually(lambda: server.figure("heed_search_steps_total") > 0 and server.figure("heed_queue") == 0))
                answer = http.client.HTTPResponse(slow)
                answer.begin()
                said = answer.read().decode()
            whole = server.events("/v1/translate", body)
            self.assertTrue(said.startswith("event: start\n"), said[:100])
            self.assertTrue(said.endswith("event: done\ndata: " + whole[-1][1] + "\n\n"))

    def test_what_is_under_way_at_the_end_is_given_up(self):
        with Server(self.folder, "-m", self.model, "--drain-seconds", "0.2") as server:
            with self.begun(server), self.begun(server, stream=True):
                self.assertTrue(eventually(lambda: server.figure("heed_queue") == 2))
                self.assertEqual(server.end()[0], 0)


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


class Doors(Cli):
    def test_keys(self):
        (self.folder / "keys.txt").write_text("# of friends\n\nfirst\nsecond \n")
        with Server(self.folder, "-m", self.model, "--keys", "keys.txt", "--rate", "0.001", "--burst", "2") as server:
            self.assertEqual(server.ask("GET", "/health")[0], 200)
            self.assertEqual(server.ask("GET", "/v1/models")[0], 401)
            self.assertEqual(server.ask("GET", "/v1/models", headers={"Authorization": "Bearer third"})[1]["WWW-Authenticate"], "Bearer")
            for _ in range(2):
                self.assertEqual(server.ask("GET", "/v1/models", headers={"Authorization": "Bearer second"})[0], 200)
            status, fields, _ = server.ask("GET", "/v1/models", headers={"Authorization": "Bearer second"})
            self.assertEqual((status, fields["Retry-After"]), (429, "1000"))
            self.assertEqual(server.ask("GET", "/v1/models", headers={"X-API-Key": "first"})[0], 200)
        (self.folder / "none.txt").write_text("# nobody\n")
        self.fails(2, "serve: --keys: none.txt has no key", "serve", "-m", self.model, "--keys", "none.txt")

    def test_others_are_not_let_in_by_mistake(self):
        self.fails(2, "serve: others can reach 0.0.0.0; give them keys by --keys FILE, or say --insecure", "serve", "-m", self.model, "--address", "0.0.0.0")
        self.fails(2, "serve: example is not an address", "serve", "-m", self.model, "--address", "example", "--insecure")

    def test_pages_that_are_named_may_ask(self):
        with Server(self.folder, "-m", self.model, "--origin", "https://friend.example", "--host", "own.example") as server:
            friend = {"Origin": "https://friend.example"}
            status, fields, _ = server.ask("OPTIONS", "/v1/translate", headers=friend)
            self.assertEqual((status, fields["Access-Control-Allow-Origin"], fields["Access-Control-Allow-Methods"]), (204, "https://friend.example", "GET, POST"))
            status, fields, _ = server.ask("POST", "/v1/translate", '{"text": "abc"}', {**JSON, **friend, "Host": "own.example:80"})
            self.assertEqual((status, fields["Access-Control-Allow-Origin"]), (200, "https://friend.example"))
            self.assertIsNone(server.ask("OPTIONS", "/v1/translate", headers={"Origin": "https://evil.example"})[1]["Access-Control-Allow-Origin"])

    def test_models_have_names_of_their_own(self):
        self.fails(2, "serve: two models are called model; give one another name: NAME=FILE", "serve", "-m", self.model, "-m", self.model)
        self.fails(2, 'serve: --model: must be FILE, NAME=FILE or NAME=FILE,precision=int8, not "=x"', "serve", "-m", "=x")
        self.fails(3, 'serve: there is neither a file nor a model called "absent"', "serve", "-m", "absent")
        with Server(self.folder, "-m", f"small={self.model},precision=int8") as server:
            status, body = server.post("/v1/translate", text="abc")
            self.assertEqual((status, body), (200, self.translate("--precision", "int8", "--json", "abc")[0]))


class Endings(Cli):
    def test_what_was_accepted_is_finished(self):
        with Server(self.folder, "-m", self.model) as server:
            host, port = server.address.split(":")
            with socket.create_connection((host, int(port)), timeout=60) as begun, socket.create_connection((host, int(port)), timeout=60) as idle:
                body = b'{"text": "abc"}'
                begun.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:5])
                self.assertEqual(server.ask("GET", "/ready")[0], 200)
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(idle.recv(1000), b"")  # whoever has asked nothing is let go
                begun.sendall(body[5:])
                answer = b""
                while chunk := begun.recv(65536):
                    answer += chunk
                self.assertTrue(answer.startswith(b"HTTP/1.1 200 OK\r\n"), answer)
                self.assertIn(b"\r\nConnection: close\r\n", answer)
            code, log = server.end(0)
            self.assertEqual(code, 0, log)

    def test_a_second_signal_ends_it_at_once(self):
        with Server(self.folder, "-m", self.model) as server:
            host, port = server.address.split(":")
            with socket.create_connection((host, int(port)), timeout=60) as begun:
                begun.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\n")
                self.assertEqual(server.ask("GET", "/health")[0], 200)
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(begun.recv(0), b"")
                with self.assertRaises(OSError):  # nobody listens any more
                    while True:
                        socket.create_connection((host, int(port)), timeout=60).close()
                server.process.send_signal(signal.SIGINT)
                self.assertEqual(server.process.wait(60), -signal.SIGINT)

    def test_the_port_is_taken(self):
        with Server(self.folder, "-m", self.model) as server:
            self.fails(1, "serve: cannot listen on 127.0.0.1 port", "serve", "-m", self.model, "--port", server.address.split(":")[1])


if __name__ == "__main__":
    unittest.main()
