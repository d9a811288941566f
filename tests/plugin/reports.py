"""Reads what the plugin wrote."""

import gzip
import json
import sys
import time
from pathlib import Path


def raw(folder):
    """All bytes of all files, unpacked."""
    return b"".join(gzip.decompress(path.read_bytes()) for path in sorted(Path(folder).glob("*.bobbin")))


def batches(folder):
    """(header, records) of each batch."""
    found = []
    for line in raw(folder).decode("utf-8").splitlines():
        record = json.loads(line)
        if record["kind"] == "header":
            found.append((record, []))
        else:
            found[-1][1].append(record)
    return found


def records(folder, kind=None):
    return [record for _, rows in batches(folder) for record in rows if kind in (None, record["kind"])]


def latest(folder, kind, key):
    """The last record of each thing of a kind."""
    return {record[key]: record for record in records(folder, kind)}


def until(condition, seconds=15):
    """Waits for something true and returns it; the last of records of which none came yet is nothing."""
    end = time.monotonic() + seconds
    while True:
        try:
            found = condition()
        except IndexError:
            found = None
        if found:
            return found
        if time.monotonic() > end:
            asked = sys._getframe(1)
            raise AssertionError("it did not happen: line %d, %s" % (asked.f_lineno, asked.f_code.co_name))
        time.sleep(0.05)
