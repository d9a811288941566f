"""A Bobbin of its own for each test, and none that runs on this machine."""

import gzip
import http.client
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PLUGIN = REPOSITORY / "assets" / "plugin"
BOBBIN = REPOSITORY / "target" / "debug" / "bobbin"
SECOND = 1_000_000

sys.path.insert(0, str(PLUGIN))
for name in list(os.environ):
    if name.startswith(("DASK_", "BOBBIN_", "GITHUB_")) and name != "BOBBIN_STORIES":
        del os.environ[name]
os.environ["BOBBIN_COMMAND"] = str(BOBBIN)


def records(name, *, start=None, tasks=40, each=1.0, prefix="inc", threads=4, memory=1 << 30, more=()):
    """A cluster that ran so many tasks of so many seconds on one worker, and is over."""
    start = int(time.time() * 1e6) - 3600 * SECOND if start is None else start
    compute = tasks * each
    end = start + int(compute / threads * 1e6)
    of_group = {"group_id": "g", "start_micros": start, "stop_micros": end}
    return start, end, [
        {"kind": "cluster", "at_micros": start, "name": name, "started_micros": start, "plugin_version": "0.1.0",
         "user": "zqcanaryuser", "host": "zqcanaryhost", "project": "etl", "tags": {"team": "blue"},
         "scheduler_address": "tcp://zqcanaryaddress:8786", "python_path": "/home/zqcanaryuser/python",
         "versions": {"dask": "2026.8.0"}, "interval_micros": 10 * SECOND,
         "switches": {"code": True, "profile": True, "events_allow": ["*"]}},
        {"kind": "worker", "at_micros": start, "worker_id": "w", "event": "joined", "threads": threads, "resources": {},
         "address": "tcp://zqcanaryworker:1", "name": "zqcanaryworkername", "host": "zqcanaryhost", "cause": None,
         "expected": None, "memory_limit_bytes": 2 << 30, "nanny": None},
        {"kind": "sample", "at_micros": end, "workers": 1, "threads": threads, "tasks": {"memory": tasks},
         "memory_used_bytes": memory, "memory_limit_bytes": 2 << 30,
         "totals": {"compute": compute, "thread_seconds": compute, "tasks_completed": tasks}},
        {"kind": "task_group", "at_micros": end, "name": prefix + "-5f3a9c01", "prefix": prefix, "states": {"memory": tasks},
         "seconds": {"compute": compute}, "result_bytes": 10, "final": True, **of_group},
        {"kind": "computation", "at_micros": end, "computation_id": "c", "start_micros": start, "stop_micros": end, "groups": ["g"],
         "states": {"memory": tasks}, "code": [{"code": "zqcanarycode()", "filename": "/home/zqcanaryuser/zqcanaryfile.py",
                                                 "line_relative": 0, "line": 7}]},
        *more,
        {"kind": "stop", "at_micros": end, "reason": "closed"},
    ]


def failure(at, kind="ValueError", group="inc-5f3a9c01"):
    return {"kind": "exception", "at_micros": at, "exception_id": kind + group, "group_id": "g", "group": group, "origin": "user",
            "exception_type": kind, "message": "zqcanarymessage", "traceback": "zqcanarytraceback", "worker": "tcp://zqcanaryworker:1",
            "first_seen_micros": at, "last_seen_micros": at, "count": 2, "dependents": 1}


def event(at):
    return {"kind": "event", "at_micros": at, "topic": "all", "payload": {"text": "zqcanarypayload"}}


def profile(start, end):
    return {"kind": "profile", "at_micros": end, "from_micros": start, "to_micros": end, "prefix": "inc", "samples": 6,
            "sample_micros": 10_000, "unattributed": 1, "strings": ["inc", "load", "/home/zqcanaryuser/work.py", "zqcanaryline"],
            "frames": {"name": [0, 1], "file": [2, 2], "line": [3, 9], "text": [None, 3]},
            "stacks": {"parent": [-1, 0], "frame": [0, 1]}, "leaves": {"stack": [0, 1], "count": [3, 2]}}


def batch(name, told, sent):
    header = {"kind": "header", "protocol": 1, "cluster_id": "Scheduler-" + name, "instance_id": "i", "first_seq": 1,
              "records": len(told), "sent_at_micros": sent, "monotonic_micros": 1, "plugin_version": "0.1.0"}
    return "".join(json.dumps(line) + "\n" for line in [header, *told]).encode()


class Bobbin:
    """A folder, and the real binary over it."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder.parent), "LANG": "C.UTF-8", "BOBBIN_DATA_DIR": str(folder),
            "TMPDIR": str(folder.parent / "tmp"),
        }
        (folder.parent / "tmp").mkdir(exist_ok=True)

    def run(self, *words, code=0, environment=None, typed=None):
        done = subprocess.run([str(BOBBIN), *map(str, words)], env={**self.environment, **(environment or {})},
                              capture_output=True, text=True, timeout=300, check=False, input=typed)
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        return done

    def ask(self, *words, code=0, typed=None):
        return json.loads(self.run(*words, "--json", code=code, typed=typed).stdout)

    def serve(self, *more):
        process = subprocess.Popen([str(BOBBIN), "serve", "--port", "0", *more], env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        listening = json.loads(process.stdout.readline())
        return process, listening

    def post(self, listening, body):
        token = Path(listening["token_file"]).read_text().strip()
        request = urllib.request.Request("http://%s/v1/batches" % listening["tcp"], data=gzip.compress(body), method="POST", headers={
            "Authorization": "Bearer " + token, "Content-Encoding": "gzip", "Content-Type": "application/x-ndjson"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as answer:
            told = json.load(answer)
        assert told["refused"] == [], told

    def told(self, *clusters):
        """Takes what clusters said, and is closed again."""
        process, listening = self.serve()
        try:
            for name, (_, end, lines) in clusters:
                self.post(listening, batch(name, lines, end))
        finally:
            process.terminate()
            assert process.wait(timeout=120) == 0
        return self


class Page:
    """What a browser asks that is signed in, by the link of `bobbin serve --ui`."""

    def __init__(self, listening):
        link = urllib.parse.urlsplit(listening["ui"])
        self.host = link.netloc
        headers, _ = self.send("GET", link.path, None, {})
        self.cookie = headers["set-cookie"].split(";")[0]

    def ask(self, command, /, **request):
        headers = {"Cookie": self.cookie, "Origin": "http://" + self.host, "Content-Type": "application/json"}
        return json.loads(self.send("POST", "/api/" + command, json.dumps(request), headers)[1])

    def send(self, method, path, body, headers):
        connection = http.client.HTTPConnection(self.host, timeout=60)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status < 400, (method, path, answer.status, text)
            return answer.headers, text
        finally:
            connection.close()


@pytest.fixture
def bobbin(tmp_path):
    if not BOBBIN.exists():
        pytest.fail("there is no %s: `cargo build` makes it" % BOBBIN)
    return Bobbin(tmp_path / "data")


def python(name):
    """The interpreter of one environment of the tests, or a reason to pass over."""
    found = REPOSITORY / "target" / "python" / name / "bin" / "python"
    missing = found.parents[2] / (name + ".missing")
    if missing.exists():
        pytest.skip(missing.read_text())
    if not found.exists():
        if os.environ.get("BOBBIN_STORIES") == "required":
            pytest.fail("there is no environment %s" % name)
        pytest.skip("there is no environment %s (`cargo xtask setup` makes it)" % name)
    return found


def copied_plugin(folder):
    """The plugin's folder as it is in the repository, where an installation may write beside it."""
    target = folder / "plugin"
    shutil.copytree(PLUGIN, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target
