"""Records `story.bobbin`, which `--demo` loads: real runs of the jobs in this folder on LocalCluster.

    target/python/newest/bin/python assets/demo/record.py

The numbers are as they were. Names of the machine and its user are replaced, and earlier runs are moved back by some days,
so that the overview has more than one. Loading moves all of it on again, to end a moment ago.
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
HOUR = 3600

# Job, repeats in it, and how long before the last one it is said to have run.
RUNS = (
    ("taxi_etl", 2, 74 * HOUR),
    ("climate_mean", 3, 52 * HOUR),
    ("taxi_etl", 5, 50 * HOUR),
    ("climate_mean", 6, 27 * HOUR),
    ("taxi_etl", 4, 2 * HOUR),
    ("feature_store", 4, 0),
)
TIMES = ("at", "start", "stop", "started", "sent_at", "idle_since", "first_seen", "last_seen")


def run(job, repeats):
    """In a process of its own: one cluster from its start to its end."""
    import bobbin
    from distributed import Client, LocalCluster

    story = importlib.import_module(job)
    with LocalCluster(n_workers=2, threads_per_worker=2, memory_limit="2GB", dashboard_address="127.0.0.1:0") as cluster:
        with Client(cluster) as client:
            bobbin.register(client)
            story.main(client, cluster, repeats)


def record(job, repeats, folder):
    project = job.replace("_", "-")
    settings = {
        "DASK_BOBBIN__DESTINATION": "file",
        "DASK_BOBBIN__FOLDER": folder,
        "DASK_BOBBIN__INTERVAL": "1s",
        "DASK_BOBBIN__NAME": project,
        "DASK_BOBBIN__PROJECT": project,
        "DASK_BOBBIN__TAGS": "{'team': 'data'}",
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
        # Code is that of the jobs, not of this file.
        "DASK_DISTRIBUTED__DIAGNOSTICS__COMPUTATIONS__IGNORE_FILES": "['record', 'runpy']",
        "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent / "plugin")]),
    }
    command = [sys.executable, "-W", "ignore", __file__, "--run", job, str(repeats)]
    subprocess.run(command, env=dict(os.environ, **settings), check=True)
    return b"".join(gzip.decompress(path.read_bytes()) for path in Path(folder).glob("*.bobbin")).decode("utf-8")


def neutral(text, job, ended, moved):
    """The records under neutral names and `moved` seconds earlier than if the run had ended at `ended`."""
    text = re.sub(r'[^"\s]*assets/demo/', "~/%s/" % job.replace("_", "-"), text)
    text = re.sub(r'[^"\s]*/site-packages/', "~/miniforge3/envs/dask/lib/python3.11/site-packages/", text)
    rows = [json.loads(line) for line in text.splitlines()]
    shift = round(ended * 1e6) - max(row.get("at_micros", 0) for row in rows) - moved * 1_000_000
    for row in rows:
        for name in TIMES:
            if row.get(name + "_micros"):
                row[name + "_micros"] += shift
        if row["kind"] == "cluster":
            row.update(user="ada", host="laptop", os="Linux 6.1", python_path="~/miniforge3/envs/dask/bin/python")
    return rows


def main():
    ended = time.time()
    lines = []
    for job, repeats, moved in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            rows = neutral(record(job, repeats, folder), job, ended, moved)
        lines += [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
        print("%s: %d records" % (job, len(rows)), file=sys.stderr)
    text = ("\n".join(lines) + "\n").encode("utf-8")
    for trace in (os.path.expanduser("~") + "/", str(HERE.parents[1]), tempfile.gettempdir() + "/"):
        assert trace.encode() not in text, trace
    packed = gzip.compress(text, 9, mtime=0)
    (HERE / "story.bobbin").write_bytes(packed)
    print("%d bytes, %d unpacked" % (len(packed), len(text)), file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(sys.argv[2], int(sys.argv[3]))
    else:
        main()
