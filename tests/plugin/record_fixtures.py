"""Records tests/fixtures/wire/<version>.ndjson from real clusters: what the plugin really sends, for the Rust tests to read.

    target/python/newest/bin/python tests/plugin/record_fixtures.py

Names of this machine and its user are replaced; nothing else is.
"""

import getpass
import json
import os
import re
import socket
import sys
import tempfile
from pathlib import Path

from processes import PLUGIN, REPOSITORY, cluster, run
from reports import raw

FIXTURES = REPOSITORY / "tests" / "fixtures" / "wire"

STORY = '''
import sys, time
from contextlib import contextmanager
import dask
import dask.array as da
from distributed import Client

dask.config.set({"distributed.diagnostics.computations.nframes": 2})


def increment(x):
    time.sleep(0.02)
    return x + 1


def parse(row):
    raise ValueError("row %d is not a number: 'zwölf 🧵'" % row)


def die():
    import os
    os._exit(1)


def mean(client):
    x = da.random.random((200, 200), chunks=(50, 50))
    return (x + x.T).mean().compute()


def lucky(path):
    with open(path, "a") as file:
        file.write("x")
    if len(open(path).read()) < 2:
        raise ValueError("not this time")


@contextmanager
def named(*tags):
    """A span, where this Dask has them."""
    try:
        from distributed import span
    except ImportError:
        yield
    else:
        with span(*tags):
            yield


def main(client):
    client.wait_for_workers(2)
    mean(client)
    with named("report", "numbers"):
        numbers = client.map(increment, range(30))
    total = client.submit(sum, numbers)
    total.result()
    rows = client.map(parse, range(4))
    table = client.submit(list, rows)
    table.exception()
    time.sleep(1)
    client.submit(lucky, sys.argv[2], retries=2).result()
    client.log_event("all", {"action": "note", "text": "half way"})
    client.log_event("mine", {"text": "not for others"})
    del numbers, total, rows, table
    client.submit(die).exception()
    time.sleep(1.2)


with Client(sys.argv[1]) as client:
    main(client)
'''


def neutral(text, folder):
    """The same text without the names of this machine and its user."""
    for place in {str(REPOSITORY), str(REPOSITORY / "target")} | {str((REPOSITORY / "target").resolve())}:
        text = re.sub(re.escape(place) + r"(?:/target)?/python/[^/\"]+", "~/env", text)
    text = text.replace(sys.base_prefix, "~/python")
    text = re.sub(r'(?:~|/)[^"\\\s]*?' + re.escape(folder.name), "~/story", text)
    replaced = []
    for line in text.splitlines():
        record = json.loads(line)
        if record["kind"] == "cluster":
            record.update(user="ada", host="laptop", python_path="~/env/bin/python", os="Linux 6.1")
        replaced.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")))
    return "\n".join(replaced) + "\n"


def record(version):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = folder / "story.py"
        script.write_text(STORY, encoding="utf-8")
        chosen = {
            "DASK_BOBBIN__INTERVAL": "1s",
            "DASK_BOBBIN__PROJECT": "fixtures",
            "DASK_BOBBIN__TAGS": "{'team': 'tests'}",
            "DASK_BOBBIN__NAME": "story of " + version,
            "DASK_BOBBIN__PROFILE__TRANSMIT": "true",
            "DASK_BOBBIN__PROFILE__INTERVAL": "2s",
        }
        options = {"workers": 2, "threads": 2, "preload": PLUGIN, "allowed_failures": 0, "environment": chosen}
        with cluster(version, folder / "run", **options) as started:
            run(version, script, started.address, folder / "lucky")
        return neutral(raw(folder / "run" / "out").decode("utf-8"), folder)


def main():
    FIXTURES.mkdir(parents=True, exist_ok=True)
    names = [socket.gethostname(), str(REPOSITORY), os.path.expanduser("~") + "/", "/tmp/"]
    for version in sys.argv[1:] or ["newest", "2022"]:
        text = record(version)
        left = [name for name in names if len(name) > 3 and name in text]
        assert not left, left
        assert '"user":"%s"' % getpass.getuser() not in text
        path = FIXTURES / (version + ".ndjson")
        path.write_text(text, encoding="utf-8")
        print("%s: %d bytes, %d records" % (path.relative_to(REPOSITORY), len(text.encode()), text.count("\n")))


if __name__ == "__main__":
    main()
