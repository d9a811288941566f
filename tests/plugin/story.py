"""Runs `workload.py`, which talks in JSON lines."""

import json
import os
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from processes import python

WORKLOAD = Path(__file__).with_name("workload.py")
# Far more than it takes on a busy machine.
LIMIT_SECONDS = 120


class Story:
    def __init__(self, process, log):
        self.process, self.log = process, log

    def hear(self):
        """What it says next."""
        line = self.process.stdout.readline()
        assert line, self.log.read_text()[-4000:]
        return json.loads(line)

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()


@contextmanager
def workload(version, log, *words, environment=None):
    """The script in an environment, with these words. It has to end well."""
    with open(log, "wb") as errors:
        process = subprocess.Popen(
            [python(version), "-W", "ignore", str(WORKLOAD), *words],
            env=dict(os.environ, **(environment or {})),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
            # Where Dask of 2022 leaves its folder.
            cwd=log.parent,
        )
        limit = threading.Timer(LIMIT_SECONDS, process.kill)
        limit.start()
        try:
            yield Story(process, log)
            process.communicate()
            assert process.returncode == 0, log.read_text()[-4000:]
        finally:
            limit.cancel()
            process.kill()
            process.communicate()


def settle(check, seconds=40):
    """Asks until nothing is wrong: what the plugin writes is at most a beat behind."""
    end = time.monotonic() + seconds
    while True:
        try:
            return check()
        except (AssertionError, KeyError):
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
