"""Shared by the tests of heed serve: the program on a free port, and what clients ask it."""
import http.client
import json
import re
import signal
import subprocess
import time

from cli import ENVIRONMENT, HEED, ROOT, Cli

JSON = {"Content-Type": "application/json"}


def eventually(holds):
    """Whether it holds within 20 s."""
    end = time.monotonic() + 20
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.01)
    return held


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
    """A server of the bundled models and the tiny one, whose log has one line a request, without a text of it."""

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
