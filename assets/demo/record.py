"""Records the stories that `bobbin demo` loads: real runs of the jobs in this folder on LocalCluster, on made-up data.

    cargo xtask record          or          target/python/newest/bin/python assets/demo/record.py [STORY ...]

`healthy.bobbin`, `wasteful.bobbin` and `failing.bobbin` hold every batch as the plugin sent it. `history.bobbin` holds those
and a few smaller runs in short: the last word on everything that grows, a sample in five, and neither profiles, metrics nor events.
From these Bobbin draws the weeks before.

The numbers are as they were measured. Names of the machine and its user are replaced, and all times are those of one fixed day:
loading moves them on. All that is drawn at random in the jobs has a fixed seed; how long things took has none.
"""

import gzip
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Each run ends then: 2026-01-05 06:00 UTC, a Monday.
ENDED = 1767592800 * 1_000_000

# Story, job, size. Those of the history are drawn from by their place in this list.
RUNS = (
    ("healthy", "taxi_etl", 3),
    ("wasteful", "climate_mean", 2),
    ("failing", "churn_model", 1),
    ("", "taxi_etl", 1),
    ("", "taxi_etl", 2),
    ("", "climate_mean", 0),
    ("", "climate_mean", 1),
    ("", "churn_model", 0),
)
TIMES = ("at", "start", "stop", "started", "sent_at", "idle_since", "first_seen", "last_seen")
TIMES += ("from", "to", "enqueued", "last_completed")
# What carries the whole thing each time, and what it is known by.
GROWS = {
    "task_group": ("group_id",),
    "computation": ("computation_id",),
    "exception": ("exception_id",),
    "span": ("span_id",),
}
LEFT_OUT = ("header", "profile", "metric", "event")
# Of so many samples one is kept, and the last: sums are told as they are by then.
SAMPLES = 5
# A batch of the history: far below what the receiver takes.
BATCH = 500


def run(job, size):
    """In a process of its own: one cluster from its start to its end."""
    import bobbin
    from distributed import Client, LocalCluster

    story = importlib.import_module(job)
    made = {"n_workers": story.WORKERS, "threads_per_worker": story.THREADS, "memory_limit": story.MEMORY}
    with LocalCluster(**made, dashboard_address="127.0.0.1:0") as cluster, Client(cluster) as client:
        bobbin.register(client)
        story.main(client, size)
        # Workers go because they are asked to, and one more report says so. One that a nanny starts again is asked, too.
        while workers := list(client.scheduler_info(n_workers=-1)["workers"]):
            client.retire_workers(workers, close_workers=True)
            time.sleep(5)
        time.sleep(1.5)


def record(job, size, folder):
    project = job.replace("_", "-")
    story = importlib.import_module(job)
    settings = {
        "DASK_BOBBIN__DESTINATION": "file",
        "DASK_BOBBIN__FOLDER": folder,
        "DASK_BOBBIN__INTERVAL": "1s",
        "DASK_BOBBIN__PROFILE__TRANSMIT": "true",
        "DASK_BOBBIN__PROFILE__INTERVAL": "2s",
        "DASK_BOBBIN__EVENTS__ALLOW": "['*']",
        "DASK_BOBBIN__NAME": project,
        "DASK_BOBBIN__PROJECT": project,
        "DASK_BOBBIN__TAGS": "{'team': '%s'}" % story.TEAM,
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
        # Code is that of the jobs, not of this file.
        "DASK_DISTRIBUTED__DIAGNOSTICS__COMPUTATIONS__IGNORE_FILES": "['record', 'runpy']",
        "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent / "plugin")]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }
    command = [sys.executable, "-W", "ignore", __file__, "--run", job, str(size)]
    subprocess.run(command, env=dict(os.environ, **settings, **story.SETTINGS), check=True, cwd=folder)
    return b"".join(gzip.decompress(path.read_bytes()) for path in Path(folder).glob("*.bobbin")).decode("utf-8")


def neutral(text, job, folder):
    """The records under neutral names, moved so that the run ended at `ENDED`."""
    text = text.replace(folder, "~")
    text = re.sub(r'[^"\s]*assets/demo/', "~/%s/" % job.replace("_", "-"), text)
    text = re.sub(r'[^"\s]*assets/plugin/', "~/.local/share/bobbin/plugin/", text)
    text = re.sub(r'[^"\s]*/lib/python3\.1\d/', "~/miniforge3/envs/dask/lib/python3.12/", text)
    rows = [json.loads(line) for line in text.splitlines()]
    shift = ENDED - max(row.get("at_micros", 0) for row in rows)
    user = importlib.import_module(job).USER
    for row in rows:
        for name in TIMES:
            if row.get(name + "_micros"):
                row[name + "_micros"] += shift
        if row["kind"] == "cluster":
            row.update(user=user, host="laptop", os="Linux 6.12", python_path="~/miniforge3/envs/dask/bin/python")
            row["host_versions"].update({"OS-release": "6.12", "machine": "x86_64", "processor": "", "LC_ALL": "None"})
    return rows


def in_short(rows):
    """The last word on what grows and a part of what does not, numbered anew."""
    header = next(row for row in rows if row["kind"] == "header")
    last = {}
    kept = []
    samples = [row for row in rows if row["kind"] == "sample"]
    thinned = [id(row) for row in samples[::-1][::SAMPLES]]
    for row in rows:
        if row["kind"] == "cluster":
            row = dict(row, interval_micros=row["interval_micros"] * SAMPLES)
        known_by = GROWS.get(row["kind"])
        if row["kind"] in LEFT_OUT or (row["kind"] == "sample" and id(row) not in thinned):
            continue
        if known_by is None:
            kept.append(row)
            continue
        key = (row["kind"], *(row[name] for name in known_by))
        if key not in last:
            last[key] = {}
            kept.append(last[key])
        # Code and text are told once.
        last[key].update({name: value for name, value in row.items() if value is not None or name not in last[key]})
    for first in range(0, len(kept), BATCH):
        part = kept[first : first + BATCH]
        sent = max(row["at_micros"] for row in part)
        yield dict(header, first_seq=first + 1, records=len(part), sent_at_micros=sent)
        yield from part


def write(name, rows):
    """Each batch is a gzip member of its own, as the plugin writes them."""
    batches = []
    for row in rows:
        if row["kind"] == "header":
            batches.append([])
        batches[-1].append(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
    texts = ["".join(lines).encode("utf-8") for lines in batches]
    for trace in (os.path.expanduser("~") + "/", str(HERE.parents[1]), tempfile.gettempdir() + "/"):
        assert not any(trace.encode() in text for text in texts), trace
    packed = b"".join(gzip.compress(text, 9, mtime=0) for text in texts)
    (HERE / (name + ".bobbin")).write_bytes(packed)
    print("%s: %d bytes, %d unpacked" % (name, len(packed), sum(map(len, texts))), file=sys.stderr)


def main(wanted):
    short = []
    for story, job, size in RUNS:
        if wanted and story not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows = neutral(record(job, size, folder), job, folder)
        print("%s %d: %d records" % (job, size, len(rows)), file=sys.stderr)
        if story:
            write(story, rows)
        short += in_short(rows)
    if not wanted:
        write("history", short)


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    if sys.argv[1:2] == ["--run"]:
        run(sys.argv[2], int(sys.argv[3]))
    else:
        main(sys.argv[1:])
