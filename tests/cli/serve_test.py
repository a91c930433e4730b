"""serve_test.py HEED: a server says what the command line says, refuses what it should, and ends when it is told to."""
import json
import math
import pathlib
import re
import signal
import socket
import struct
import unittest

from cli import ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)
from served import JSON, Server, Serving


def scores_and_normalisers(test):
    """Every one that heed lists, as a field of POST /v1/operator."""
    fields = json.loads(test.heed("serve", "--openapi")[0])["paths"]["/v1/operator"]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]
    assert len(fields["score"]["enum"]) > 5 and len(fields["normaliser"]["enum"]) > 5
    return [{name: one} for name in ("score", "normaliser") for one in fields[name]["enum"]]


class Answers(Serving):
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
