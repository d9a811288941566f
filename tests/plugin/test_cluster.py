"""What is told of a cluster itself: versions everywhere, and what this Dask does not have."""

import json
import re
import subprocess
from collections import Counter

import bobbin
import dask
import pytest
from distributed import Client, LocalCluster
from processes import PLUGIN, cluster, python
from reports import records, until

# What was missing in each release.
UNAVAILABLE = {
    "newest": [],
    "2025": [],
    "2024": ["lost_workers"],
    "2023": ["spans", "threads_history", "lost_workers", "memory_kills"],
    "2022": ["spans", "metrics", "idle_since", "threads_history", "lost_workers", "memory_kills"],
    "oldest": ["queued", "spans", "metrics", "idle_since", "threads_history", "lost_workers", "memory_kills"],
}


def test_the_versions_are_dasks_own(settings):
    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as started, Client(started) as client:
        bobbin.register(client)
        record = until(lambda: records(settings / "out", "cluster"))[0]
        expected = started.scheduler.versions()
    assert expected["packages"].items() <= record["versions"].items()
    assert {name: str(value) for name, value in expected["host"].items()} == record["host_versions"]
    assert record["mismatches"] == [] and record["idle_timeout_micros"] is None


def test_a_cluster_of_this_process_has_the_name_and_class_of_its_object(settings):
    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0", name="ours") as started, Client(started) as client:
        bobbin.register(client)
        record = until(lambda: records(settings / "out", "cluster"))[0]
        assert (record["name"], record["cluster_class"]) == ("ours", "LocalCluster")
        assert record["scheduler_address"] == started.scheduler_address
        assert record["dashboard_url"].rpartition(":")[2] == started.dashboard_link.rpartition(":")[2]
        assert abs(record["started_micros"] / 1e6 - started.scheduler.time_started) < 1e-5


class FarAway:
    """A cluster whose scheduler is in another process, as `Client` takes it."""

    # As some deployments name theirs by default.
    name, status = "dask-ana-1", None

    def __init__(self, address):
        self.scheduler_address = address

    def close(self):
        pass


def test_what_is_told_of_a_cluster_once_is_told_again_where_it_was_lost(settings):
    with LocalCluster(n_workers=1, processes=False, dashboard_address=None) as started, Client(started) as client:
        bobbin.register(client)
        told = lambda: len(records(settings / "out", "cluster"))
        samples = lambda: len(records(settings / "out", "sample"))
        until(told)
        before = samples()
        until(lambda: samples() > before + 2)
        once = told()
        for kinds in (Counter(sample=1), Counter(cluster=1)):
            started.scheduler.plugins["bobbin"]._run.outbox._lose_numbered(kinds, Counter(), "spool_full")
            before = samples()
            until(lambda: samples() > before + 2)
            assert told() == once + kinds["cluster"]


@pytest.mark.parametrize("user", [True, False])
@pytest.mark.parametrize("preload", [PLUGIN, None])
def test_a_cluster_of_another_process_has_those_that_its_client_knows(settings, preload, user, monkeypatch):
    monkeypatch.setattr(bobbin.getpass, "getuser", lambda: "ana")
    out = {"DASK_BOBBIN__FOLDER": str(settings / "out")}
    with cluster("newest", settings / "run", workers=0, preload=preload, environment=out) as started:
        if preload:
            assert until(lambda: records(settings / "out", "cluster"))[0]["cluster_class"] is None
        with dask.config.set({"bobbin.user.transmit": user}), Client(FarAway(started.address)) as client:
            bobbin.register(client)
            record = until(lambda: [row for row in records(settings / "out", "cluster") if row["cluster_class"]])[-1]
    told = ("dask-ana-1", "FarAway", "ana") if user else ("dask-<user>-1", "FarAway", None)
    assert (record["name"], record["cluster_class"], record["user"]) == told


def test_the_client_of_this_process_is_asked_where_none_is_named():
    assert bobbin.current_maker() == {}
    with LocalCluster(n_workers=0, processes=False, dashboard_address=":0", name="ours") as started, Client(started) as client:
        maker = bobbin.current_maker()["maker"]
        assert (maker["scheduler"], maker["class"], maker["name"]) == (started.scheduler.id, "LocalCluster", "ours")
        assert client.scheduler_info()["id"] == maker["scheduler"]


def test_what_a_client_knows_of_one_cluster_is_not_told_of_another():
    maker = {"scheduler": "Scheduler-one", "class": "FarAway", "name": "ours", "user": "ana"}

    class Scheduler:
        def __init__(self, id):
            self.id = id

    for scheduler, known in (("Scheduler-one", maker), ("Scheduler-two", {})):
        settings = bobbin.Settings({"maker": maker})
        settings.meet(Scheduler(scheduler))
        assert settings.maker == known


# What an interpreter says of itself and of who runs it.
ASK = "import getpass, json, platform as p, socket, sys; print(json.dumps([getpass.getuser(), socket.gethostname(), "
ASK += "p.python_version(), sys.executable, '%s %s' % (p.system(), p.release()), p.machine()]))"


@pytest.mark.parametrize("version", UNAVAILABLE)
def test_who_made_a_cluster_and_what_it_runs_on(version, settings):
    chosen = {"DASK_BOBBIN__NAME": "its name", "DASK_BOBBIN__PROJECT": "a project", "DASK_BOBBIN__TAGS": "{'team': 'blue'}"}
    chosen["DASK_BOBBIN__FOLDER"] = str(settings / "out")
    with cluster(version, settings / "run", workers=0, preload=PLUGIN, environment=chosen) as started:
        record = until(lambda: records(settings / "out", "cluster"))[0]
    said = json.loads(subprocess.run([python(version), "-c", ASK], capture_output=True, check=True).stdout)
    told = [record[field] for field in ("user", "host", "python_version", "python_path", "os", "architecture")]
    assert told == said
    assert (record["name"], record["project"], record["tags"]) == ("its name", "a project", {"team": "blue"})
    assert record["scheduler_address"] == started.address and record["cluster_class"] is None
    # As the scheduler itself says in its log.
    (port,) = re.findall(r"dashboard at:\s+\S*?127\.0\.0\.1:(\d+)", started.log.read_text())
    assert record["dashboard_url"].startswith("http://127.0.0.1:%s/" % port)


@pytest.mark.parametrize("version", UNAVAILABLE)
def test_what_a_version_of_dask_does_not_tell_is_said(version, settings):
    with cluster(version, settings / "run", workers=0, preload=PLUGIN):
        record = until(lambda: records(settings / "run" / "out", "cluster"))[0]
    assert record["unavailable"] == UNAVAILABLE[version]


def test_a_worker_of_another_python_is_a_mismatch(settings):
    out = settings / "run" / "out"
    with cluster("newest", settings / "run", workers=1, preload=PLUGIN) as started:
        options = ["--no-dashboard", "--no-nanny", "--nworkers", "1", "--host", "127.0.0.1", "--local-directory", str(settings)]
        command = [python("newest-python"), "-m", "distributed.cli.dask_worker", started.address, *options]
        other = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            told = until(lambda: [row["mismatches"] for row in records(out, "cluster") if row["mismatches"]], 30)[0]
        finally:
            other.terminate()
            other.wait()
        until(lambda: not records(out, "cluster")[-1]["mismatches"])
    (mismatch,) = [row for row in told if row["package"] == "python"]
    assert (mismatch["where"], mismatch["count"]) == ("worker", 1)
    assert mismatch["version"].startswith("3.13.")
