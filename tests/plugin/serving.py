"""A real `bobbin serve`, and what is in its store."""

import json
import re
import signal
import sqlite3
import subprocess
import urllib.request
from contextlib import contextmanager

from processes import REPOSITORY, lacking
from reports import until

BINARY = REPOSITORY / "target" / "debug" / "bobbin"


class Served:
    def __init__(self, folder, process):
        self.folder, self.process, self.page = folder, process, None

    @property
    def address(self):
        """As the setting `bobbin.receiver` takes it: over TLS, to its certificate."""
        found = json.loads((self.folder / "receiver.json").read_text())
        return "https://%s#sha256=%s" % (found["tcp"], found["certificate_sha256"])

    def asked(self, command, **request):
        """The answer of a command to a browser that came by the link, as the page asks it."""
        if self.page is None:
            link = until(lambda: re.search(r"http://127\.0\.0\.1:\d+/open/\w+", open(str(self.folder) + ".log").read()))[0]
            self.page = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            self.page.open(link).close()
            self.origin = link.partition("/open/")[0]
        headers = {"Content-Type": "application/json", "Origin": self.origin}
        question = urllib.request.Request("%s/api/%s" % (self.origin, command), json.dumps(request).encode(), headers)
        with self.page.open(question) as answer:
            return json.load(answer)

    @property
    def token(self):
        return (self.folder / "token").read_text().strip()

    def rows(self, question, *values):
        """What the store has, read beside the one who writes."""
        db = sqlite3.connect("file:%s?mode=ro" % (self.folder / "bobbin.sqlite"), uri=True, timeout=10)
        try:
            return db.execute(question, values).fetchall()
        finally:
            db.close()

    def count(self, table):
        return self.rows("select count(*) from " + table)[0][0]

    def dropped(self):
        return dict(self.rows("select what, sum(count) from dropped group by what"))

    def missing(self):
        return self.rows("select coalesce(sum(missing_records), 0) from gap")[0][0]

    def show(self, *words):
        """What the command line says of the one cluster there is."""
        (name,) = {row[0] for row in self.rows("select id from cluster")}
        command = [str(BINARY), "show", str(name), "--data-dir", str(self.folder), *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout


@contextmanager
def serving(folder, port=0, page=False):
    """Runs in this folder until the end of the block."""
    if not BINARY.exists():
        lacking("no %s; `cargo build` makes it" % BINARY.relative_to(REPOSITORY))
    command = [str(BINARY), "serve", "--port", str(port), "--data-dir", str(folder)]
    command += ["--ui", "--ui-port", "0"] if page else []
    with open(str(folder) + ".log", "ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            until(lambda: (folder / "receiver.json").exists() or process.poll() is not None, 30)
            assert process.poll() is None, open(log.name).read()
            yield Served(folder, process)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)


def installed(folder):
    """The folder of a Bobbin that ran once and is closed."""
    with serving(folder):
        pass
    assert (folder / "public_key").exists()
    return folder
