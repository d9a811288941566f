"""Failures of Dask's own that it tells as events: text only, and what is pickled in them is never loaded."""

import json
import os
import pickle

import pytest
from clusters import client_of
from processes import PLUGIN, cluster, run
from reports import latest, records, until

client = client_of(1, 1, register=True)


def failures(settings, topic):
    return [row for row in latest(settings, "exception", "exception_id").values() if row["exception_type"] == topic]


class Trap:
    """Whoever loads it leaves a mark."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


@pytest.mark.parametrize("topic", ["invalid-worker-transition", "invalid-task-states", "invalid-worker-task-state"])
def test_an_invalid_state_is_a_failure_with_its_packet_as_text(client, settings, topic):
    kept = client.submit(abs, -1, key="task-" + "0" * 32)
    kept.result()
    mark = settings / "mark"
    pickled = pickle.dumps(Trap(str(mark)))

    def tell(dask_worker=None):
        story = [["task-" + "0" * 32, "ready", "executing", {}, "stimulus-1"]]
        packet = {"key": "task-" + "0" * 32, "start": "memory", "finish": "waiting", "story": story, "pickled": pickled}
        for _ in range(3):
            dask_worker.log_event(topic, packet)

    client.run(tell)
    (row,) = until(lambda: [row for row in failures(settings / "out", topic) if row["count"] == 3])
    assert (row["origin"], row["group"], row["traceback"]) == ("dask", "task", None)
    assert row["group_id"] in latest(settings / "out", "task_group", "group_id")
    assert row["message"].endswith("memory waiting")
    assert row["worker"] == next(iter(client.cluster.scheduler.workers))
    details = json.loads(row["details"])
    assert details["pickled"] == {"bytes": len(pickled)}
    assert details["story"][0][1:3] == ["ready", "executing"]
    assert not mark.exists()


HARD = """
import os, pickle, sys
from distributed import Client

class Trap(Exception):
    # Whoever loads it leaves a mark with the number of its process.
    def __reduce__(self):
        (marks,) = self.args
        mark = "__import__('os').makedirs(%r + str(__import__('os').getpid()), exist_ok=True)" % marks
        return eval, ("(%s, Exception('loaded'))[1]" % mark,)

class Wrong:
    stimulus_id = "wrong"
    def __init__(self, marks):
        self.marks = marks
    def to_loggable(self, *, handled):
        raise Trap(self.marks)

def tell(topics, pickled, dask_worker):
    packet = {"key": "task-1", "start": "memory", "finish": "waiting", "story": [["task-1", "ready"]], "pickled": pickled}
    for topic in topics:
        dask_worker.log_event(topic, packet)
        dask_worker.log_event(topic, packet)

class Invalid:
    stimulus_id = "invalid"
    def __init__(self, *arguments):
        self.arguments = arguments
    def to_loggable(self, *, handled):
        from distributed import worker_state_machine
        name, *arguments = self.arguments
        raise getattr(worker_state_machine, name)(*arguments, [("task-2", "ready", "executing", {}, "stimulus-1", 1.5)])

def break_it(arguments, dask_worker):
    wrong = Wrong(*arguments) if len(arguments) == 1 else Invalid(*arguments)
    dask_worker.loop.add_callback(dask_worker.handle_stimulus, wrong)

if __name__ == "__main__":
    with Client(sys.argv[1]) as client:
        client.wait_for_workers(3)
        # None of them outlives what it is told.
        first, second, third = client.run(lambda: None)
        client.run(tell, sys.argv[3:], pickle.dumps(Trap(sys.argv[2])), workers=[first])
        client.run(break_it, ["InvalidTransition", "task-2", "memory", "flight"], workers=[first])
        client.run(break_it, ["InvalidTaskState", "task-2", "missing"], workers=[second])
        client.run(break_it, [sys.argv[2]], workers=[third])
        import time
        time.sleep(3)
"""
INVALID = ("invalid-worker-transition", "invalid-task-states", "invalid-worker-task-state")


@pytest.mark.parametrize("version", ["newest", "oldest", "2022", "2023", "2024", "2025"])
def test_what_a_worker_says_of_its_own_failures_is_kept_as_text_and_never_loaded(version, settings):
    script, marks = settings / "hard.py", settings / "marks"
    script.write_text(HARD)
    with cluster(version, settings / "run", workers=3, preload=PLUGIN) as started:
        run(version, script, started.address, str(marks) + os.sep, *INVALID)
        scheduler = str(started.scheduler.pid)
    # The worker itself looks whether what it tells can be loaded.
    assert scheduler not in os.listdir(marks)
    out = settings / "run" / "out"
    for topic in INVALID:
        (row,) = [row for row in failures(out, topic) if row["message"].startswith("task-1")]
        assert (row["origin"], row["count"], row["message"]) == ("dask", 2, "task-1 memory waiting")
        details = json.loads(row["details"])
        assert details["pickled"]["bytes"] > 0 and details["story"] == [["task-1", "ready"]]
    # As Dask makes them itself; it calls the second `invalid-worker-task-state`. The oldest tells neither as an event.
    real = {row["message"]: row for topic in INVALID for row in failures(out, topic) if row["count"] == 1}
    told = {"task-2 memory flight": "invalid-worker-transition", "task-2 missing": "invalid-worker-task-state"}
    assert {message: row["exception_type"] for message, row in real.items()} == ({} if version == "oldest" else told)
    for row in real.values():
        assert json.loads(row["details"])["story"] == [["task-2", "ready", "executing", {}, "stimulus-1", 1.5]] and row["worker"]
    hard = failures(out, "worker-fail-hard")
    assert len(hard) == 3
    (row,) = [row for row in hard if "InvalidT" not in row["message"]]
    assert row["origin"] == "dask" and row["group_id"] is None and row["worker"]
    assert "to_loggable" in row["traceback"] and row["message"]
    assert json.loads(row["details"])["exception"]["bytes"] > 0
    events = [event for event in records(out, "event") if event["topic"] == "worker-fail-hard"]
    assert events and not set(events[0]["payload"]) & {"exception", "traceback", "exception_text", "traceback_text"}
    left = [worker for worker in records(out, "worker") if worker["event"] == "left"]
    if version == "newest":
        assert left[0]["cause"] == "failed hard"


GRAPH = """
import sys
from distributed import Client

def unpack():
    raise RuntimeError("no such thing here: 1")

class Stuck:
    # Packed well, and unpacked by nobody: the scheduler tries.
    def __reduce__(self):
        return unpack, ()

    def __dask_tokenize__(self):
        return "stuck"

if __name__ == "__main__":
    with Client(sys.argv[1]) as client:
        try:
            client.get({"a": (len, [Stuck()])}, "a")
        except Exception as error:
            print(type(error).__name__)
"""


def test_a_graph_that_the_scheduler_cannot_take_is_a_failure_of_dasks_own(settings):
    script = settings / "graph.py"
    script.write_text(GRAPH)
    with cluster("newest", settings / "run", preload=PLUGIN) as started:
        raised = run("newest", script, started.address).strip()
        (row,) = until(lambda: latest(settings / "run" / "out", "exception", "exception_id").values())
    assert (row["origin"], row["exception_type"], row["count"], row["group_id"]) == ("dask", raised, 1, None)
    assert row["message"] and "update_graph" in row["traceback"]
