"""`bobbin check`: over files without any store, and over a store with a history."""

import gzip
import time

import pytest
from conftest import SECOND, batch, failure, records


@pytest.fixture
def files(bobbin, tmp_path):
    """What a plugin with `destination: file` leaves: batches, by the name of the run."""

    def write(name, **said):
        _, end, lines = records(name, **said)
        path = tmp_path / (name + ".bobbin")
        path.write_bytes(gzip.compress(batch(name, lines, end)))
        return path

    return write


def test_a_slower_run_fails_and_says_what_it_was(bobbin, files):
    before, after = files("before"), files("after", each=1.3)
    told = bobbin.ask("check", after, "--baseline", before, "--max-slowdown", "15%", code=1)
    assert told["verdict"] == "failed"
    (reason,) = told["reasons"]
    assert reason.startswith("working time 13.0 s, 30.0 % more than the run before (10.0 s)")
    parts = {part["kind"]: part["micros"] for part in told["comparison"]["waterfall"]["parts"] if part["micros"]}
    assert parts == {"speed": 3 * SECOND}
    text = bobbin.run("check", after, "--baseline", before, "--max-slowdown", "15%", code=1).stdout
    assert text.startswith("The check failed.\n") and "time per task: inc" in text and "+3.0 s" in text
    assert bobbin.ask("check", after, "--baseline", before, "--max-slowdown", "31%")["verdict"] == "passed"
    # Faster is never worse.
    assert bobbin.ask("check", before, "--baseline", after, "--max-slowdown", "0%")["verdict"] == "passed"
    # There was no store, and there is none now.
    assert not bobbin.folder.exists()
    assert list((bobbin.folder.parent / "tmp").iterdir()) == []


def test_cost_memory_and_exceptions_have_limits_of_their_own(bobbin, files):
    before = files("before")
    larger = files("larger", memory=3 << 29)
    failing = files("failing", more=[failure(int(time.time() * 1e6) - 3600 * SECOND)])
    told = bobbin.ask("check", larger, "--baseline", before, "--max-memory", "20", code=1)
    assert told["reasons"][0].startswith("peak memory 1536.0 MiB, 50.0 % more than the run before (1024.0 MiB)")
    assert bobbin.ask("check", larger, "--baseline", before, "--max-slowdown", "1", "--max-cost", "1")["verdict"] == "passed"
    told = bobbin.ask("check", failing, "--baseline", before, "--no-new-exceptions", code=1)
    assert told["new_exceptions"] == [{"exception_type": "ValueError", "prefix": "inc", "count": 2}]
    assert bobbin.ask("check", failing, "--baseline", before, failing, "--max-slowdown", "1")["verdict"] == "passed"


def test_several_runs_are_their_middle_and_their_noise(bobbin, files):
    others = [files("run-%d" % n, each=each) for n, each in enumerate((0.8, 0.9, 1.0, 1.1, 1.2))]
    run = files("now", each=1.25)
    told = bobbin.ask("check", run, "--baseline", *others, "--max-slowdown", "15%")
    assert (told["verdict"], len(told["runs"])) == ("passed", 5)
    assert "within the noise" in told["measures"][0]["words"]
    # Of three of them the noise is not known, and the limit alone counts.
    told = bobbin.ask("check", run, "--baseline", *others[1:4], "--max-slowdown", "15%", code=1)
    assert "the median of 3 runs" in told["reasons"][0]
    assert told["notes"] == ["3 runs to compare with; Bobbin needs 5 to estimate the noise"]
    told = bobbin.ask("check", files("far", each=3.0), "--baseline", *others, "--max-slowdown", "15%", code=1)
    assert told["comparison"]["a"]["name"] == "run-2"
    told = bobbin.ask("check", run, "--baseline", *others[:2], "--max-slowdown", "15%", "--least-runs", "3", code=3)
    assert (told["verdict"], told["reasons"]) == ("refused", ["2 of 3 runs needed"])


def killed(name):
    """A cluster of which two tasks failed, and which went without a word a moment ago."""
    start, end, lines = records(name, start=int(time.time() * 1e6) - 10 * SECOND)
    for line in lines:
        if line["kind"] == "task_group":
            line["states"] = {"memory": 38, "erred": 2}
    return start, end, lines[:-1]


def test_a_run_that_was_killed_fails_at_once_and_names_its_failed_tasks(bobbin, files, tmp_path):
    """Continuous integration looks at its file within seconds."""
    before, after = files("before"), tmp_path / "after.bobbin"
    _, end, lines = killed("after")
    after.write_bytes(gzip.compress(batch("after", lines, end)))
    told = bobbin.ask("check", after, "--baseline", before, "--max-slowdown", "15%", code=1)
    assert told["reasons"] == ["it stopped reporting without shutting down: its scheduler was killed or cut off", "2 tasks failed"]
    # In the store it may still go on; what failed has failed.
    bobbin.told(("running", killed("running")))
    told = bobbin.ask("check", "running", "--baseline", before, "--max-slowdown", "15%", code=1)
    assert told["reasons"][-1] == "2 tasks failed"


def test_runs_that_are_not_alike_are_refused(bobbin, files):
    before = files("before")
    told = bobbin.ask("check", files("more", tasks=400), "--baseline", before, "--max-slowdown", "15%", code=3)
    assert "10 times the tasks" in told["reasons"][0]
    assert told["notes"] == ["--per-task compares times per thousand tasks"]
    assert bobbin.ask("check", files("more", tasks=400), "--baseline", before, "--max-slowdown", "15%", "--per-task")["verdict"] == "passed"
    told = bobbin.ask("check", files("other", prefix="dec"), "--baseline", before, "--max-slowdown", "15%", code=3)
    # No flag makes them alike.
    assert "different computations" in told["reasons"][0] and told["notes"] == []
    # One that is alike is enough; the other is left out, and that is said.
    told = bobbin.ask("check", before, "--baseline", files("other", prefix="dec"), files("like"), "--max-slowdown", "15%")
    assert told["notes"][0].startswith("1 of 2 runs are left out")


def test_one_computation_or_two_is_the_same_graph_and_other_code_is_no_other_run(bobbin, files, tmp_path):
    """Dask puts what comes while it works into the computation before; it depends on milliseconds."""
    name, written = "split", []
    for parts in ((["g", "h"],), (["g"], ["h"])):
        _, end, lines = records(name)
        (whole,) = [line for line in lines if line["kind"] == "computation"]
        (group,) = [line for line in lines if line["kind"] == "task_group"]
        lines.remove(whole)
        lines[-1:-1] = [{**group, "group_id": "h", "name": "total-5f3a9c01", "prefix": "total", "dependencies": ["g"]}] + [
            {**whole, "computation_id": "c%d" % n, "groups": groups, "code": [{**whole["code"][0], "code": "other%d()" % len(parts)}]}
            for n, groups in enumerate(parts)]
        written.append(tmp_path / ("parts-%d.bobbin" % len(parts)))
        written[-1].write_bytes(gzip.compress(batch(name, lines, end)))
    assert bobbin.ask("check", written[1], "--baseline", written[0], "--max-slowdown", "15%")["verdict"] == "passed"
    bobbin.ask("check", files("only"), "--baseline", written[0], "--max-slowdown", "15%", code=3)


def test_wrong_use_is_told_apart(bobbin, files, tmp_path):
    before = files("before")
    assert "there is nothing to check" in bobbin.run("check", before, "--baseline", before, code=2).stderr
    bobbin.run("check", before, "--max-slowdown", "15%", code=2)
    bobbin.run("check", before, "--baseline", before, "--max-slowdown", "fast", code=2)
    assert "no history" in bobbin.run("check", before, "--baseline", "history", "--max-slowdown", "15%", code=2).stderr
    hostile = tmp_path / "hostile.bobbin"
    hostile.write_bytes(b"neither\x1b[2J")
    bobbin.run("check", hostile, "--baseline", before, "--max-slowdown", "15%", code=2)
    bobbin.run("check", tmp_path / "none.bobbin", "--baseline", before, "--max-slowdown", "15%", code=1)
    # A run with itself is nothing to compare with.
    told = bobbin.ask("check", before, "--baseline", before, "--max-slowdown", "15%", code=3)
    assert told["reasons"] == ["there is no run to compare it with"]


def test_a_store_has_a_history_and_bundles_of_it_say_the_same(bobbin, tmp_path):
    day = 86400 * SECOND
    now = int(time.time() * 1e6)
    runs = [("night-%d" % n, records("night-%d" % n, start=now - (9 - n) * day, each=1.0 + n / 100)) for n in range(6)]
    slow = ("slow", records("slow", start=now - day, each=1.6))
    bobbin.told(*runs, slow)
    told = bobbin.ask("check", "slow", "--baseline", "history", "--max-slowdown", "15%", code=1)
    assert len(told["runs"]) == 6 and told["measures"][0]["band"] is not None
    assert bobbin.ask("check", "night-5", "--baseline", "history", "--max-slowdown", "15%")["verdict"] == "passed"
    assert bobbin.ask("check", "night-1", "--baseline", "history", "--max-slowdown", "15%", code=3)["reasons"] == ["1 of 5 runs needed"]
    bundles = []
    for name in ("night-3", "slow"):
        bundles.append(tmp_path / (name + "-told.bobbin"))
        bobbin.run("export", name, "--output", bundles[-1])
    told = bobbin.ask("check", bundles[1], "--baseline", bundles[0], "--max-slowdown", "15%", code=1)
    assert told["reasons"][0].startswith("working time 16.0 s, 55.3 % more")
    # A store beside a file, too.
    assert bobbin.ask("check", "night-4", "--baseline", bundles[0], "--max-slowdown", "15%")["verdict"] == "passed"


def test_a_comment_and_annotations_hold_a_cluster_s_words_as_text(bobbin, files):
    hostile = "inc`[x](http://evil)<img src=x>@team"
    before = files("before", prefix=hostile)
    after = files("after", prefix=hostile, each=2.0, more=[failure(int(time.time() * 1e6) - 3600 * SECOND, kind="<b>%0A::error::E")])
    done = bobbin.run("check", after, "--baseline", before, "--max-slowdown", "15%", "--no-new-exceptions", "--markdown", code=1,
                      environment={"GITHUB_ACTIONS": "true"})
    before_fence, fenced = done.stdout.split("text\n", 1)
    assert "❌" in before_fence and "<img" not in before_fence and "<b>" not in before_fence
    assert hostile[:4] in fenced
    commands = [line for line in done.stderr.splitlines() if line.startswith("::")]
    assert len(commands) == 2 and all(line.startswith("::error title=bobbin check::") for line in commands)
    assert "%250A" in done.stderr
