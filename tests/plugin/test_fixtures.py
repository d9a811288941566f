"""The recorded batches that the Rust tests read are what this plugin still sends."""

import json
import time

import bobbin
import dask
import pytest
from distributed import Client, LocalCluster, wait
from processes import REPOSITORY
from reports import batches, records, until

FIXTURES = REPOSITORY / "tests" / "fixtures" / "wire"
KINDS = {"header", "cluster", "sample", "worker", "task_group", "computation", "exception", "event", "profile", "stop"}
# Dask of 2022 has neither.
NEWER = {"span", "metric"}


def shapes(rows):
    """Field names of each kind, and of what lies within."""
    found = {}
    for row in rows:
        fields = found.setdefault(row["kind"], set())
        fields.update(row)
        for name in ("seconds", "totals", "cost", "switches", "frames", "stacks", "leaves", "lines"):
            fields.update("%s.%s" % (name, inner) for inner in row.get(name, ()))
        for frame in row.get("code") or ():
            fields.update("code." + inner for inner in frame)
    return found


def recorded(version):
    return [json.loads(line) for line in (FIXTURES / (version + ".ndjson")).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("version", ["newest", "2022"])
def test_a_recording_has_every_kind_and_whole_batches(version):
    rows = recorded(version)
    assert set(shapes(rows)) == KINDS | (set() if version == "2022" else NEWER)
    place, expected = 0, 1
    while place < len(rows):
        header = rows[place]
        assert header["kind"] == "header" and header["first_seq"] == expected
        place += 1 + header["records"]
        expected += header["records"]
    assert place == len(rows)
    assert {row["origin"] for row in rows if row["kind"] == "exception"} == {"user", "dask"}


def refuse():
    raise ValueError("no")


def test_a_fresh_report_has_the_fields_of_the_recordings(settings):
    profiled = dask.config.set({"bobbin.profile.transmit": True, "bobbin.profile.interval": "1s"})
    with profiled, LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            bobbin.register(client)
            wait([client.submit(refuse), client.submit(time.sleep, 0.5)])
            client.log_event("all", {"action": "note"})
            until(lambda: {"profile", "span", "metric"} <= {row["kind"] for row in records(settings / "out")})
    fresh = shapes([row for header, rows in batches(settings / "out") for row in [header] + rows])
    assert shapes(recorded("newest")) == fresh
    assert shapes(recorded("2022")) == {kind: fields for kind, fields in fresh.items() if kind not in NEWER}
