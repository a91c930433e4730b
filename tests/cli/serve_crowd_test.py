"""serve_crowd_test.py HEED: many clients of a server at once: events, shared batches, leavers, deadlines and slow readers."""
import base64
import http.client
import json
import pathlib
import socket
import threading
import unittest

from caption_test import png
from cli import ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)
from served import JSON, Server, Serving, eventually


class Crowd(Serving):
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

if __name__ == "__main__":
    unittest.main()
