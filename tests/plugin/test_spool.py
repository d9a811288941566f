"""With no receiver: what is left on the disk, what is not, and how it gets home."""

import errno
import gzip
import json
import os
import stat
import subprocess
import time

import bobbin
import dask
import pytest
from listener import Listener, listening
from losses import Losses, missing
from processes import PLUGIN, REPOSITORY, cluster, python, run
from reports import until
from serving import installed, serving
from small_disk import fill, small_disk
from spools import Reporting, folders, spooled, work


def everything(folder):
    """All bytes below a folder, as they are and unpacked."""
    found = b""
    for path in folder.rglob("*"):
        if path.is_file():
            found += path.read_bytes()
            if path.suffix == ".batch":
                found += gzip.decompress(path.read_bytes())
    return found


def ends(how, data, version="newest"):
    """Runs the script to its end; what it said, and how long its process took after that."""
    environment = {
        "DASK_BOBBIN__INTERVAL": "0.3s",
        "BOBBIN_DATA_DIR": str(data),
        "PYTHONPATH": str(PLUGIN.parent),
        "PYTHONWARNINGS": "ignore",
    }
    script = REPOSITORY / "tests" / "plugin" / "ending.py"
    process = subprocess.Popen(
        [python(version), str(script), how, "0.6"],
        env=dict(os.environ, **environment),
        cwd=data.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    said = json.loads(process.stdout.readline())
    start = time.monotonic()
    out, err = process.communicate(timeout=60)
    said["ended_seconds"] = time.monotonic() - start
    for line in out.splitlines():
        said.update(json.loads(line))
    assert "bobbin" not in err.lower() or "Traceback" not in err or how == "exception", err
    return said


ENDS = [("newest", how) for how in ("with", "script", "exception", "sys.exit", "interrupted")]
# Pythons differ in what may still be done at their end: 3.9 and 3.12.
ENDS += [(version, "script") for version in ("oldest", "2025")]


@pytest.mark.parametrize("version, how", ENDS)
def test_whatever_way_a_script_ends_with_bobbin_closed_the_next_start_of_bobbin_has_it_all(tmp_path, version, how):
    data = installed(tmp_path / "data")
    said = ends(how, data, version=version)
    assert said["ended_seconds"] < 10 and said.get("closed_seconds", 0) < 5
    assert len(folders(data)) == 1
    assert list((data / "spool").glob("*/*.sealed"))
    assert b"canary" not in everything(data / "spool").replace(b"canary_in_code", b"")
    with serving(data) as served:
        until(lambda: not folders(data))
        assert served.rows("select instance_id, stop_reason is not null from instance") == [(said["instance"], 1)]
        assert served.missing() == 0 and served.dropped() == {}
        ((completed, erred),) = served.rows("select tasks_completed, tasks_erred from sample order by seq desc limit 1")
        assert (completed, erred) == (said["well"] + said["erred"], said["erred"])
        assert served.rows("select count from exception where message_sealed is not null and traceback_sealed is not null") == [(1,)]
        assert served.count("computation_code") >= 1
        assert "canary-in-message" in served.show("--json")


@pytest.mark.parametrize("how", ["terminated", "killed"])
def test_of_a_process_that_dies_at_once_what_is_no_text_remains_up_to_the_last_interval(tmp_path, how):
    data = installed(tmp_path / "data")
    said = ends(how, data)
    assert len(folders(data)) == 1 and not list((data / "spool").glob("*/*.sealed"))
    assert b"canary" not in everything(data / "spool").replace(b"canary_in_code", b"")
    with serving(data) as served:
        until(lambda: not folders(data))
        ((completed, at),) = served.rows("select tasks_completed, max(at_micros) from sample")
        assert completed == said["well"] + said["erred"]
        assert served.missing() == 0 and served.count("task_group") == 1
        # That something failed is no text; what it said is.
        assert served.rows("select count, message_sealed, traceback_sealed from exception") == [(said["erred"], None, None)]


def test_a_scheduler_of_the_command_line_that_is_told_to_stop_leaves_all_for_bobbin(tmp_path):
    data = installed(tmp_path / "data")
    script = tmp_path / "work.py"
    script.write_text(
        "import sys\nfrom distributed import Client\n"
        "with Client(sys.argv[1]) as client: print(sum(client.gather(client.map(abs, range(9)))))\n"
    )
    chosen = {"DASK_BOBBIN__DESTINATION": "receiver", "BOBBIN_DATA_DIR": str(data)}
    with cluster("newest", tmp_path / "run", preload=PLUGIN, environment=chosen) as started:
        assert run("newest", script, started.address).strip() == "36"
        start = time.monotonic()
        started.scheduler.terminate()
        started.scheduler.wait(20)
        assert time.monotonic() - start < 6
    assert len(folders(data)) == 1
    with serving(data) as served:
        until(lambda: not folders(data))
        assert served.rows("select stop_reason is not null from instance") == [(1,)]
        assert served.missing() == 0 and served.rows("select max(tasks_completed) from sample") == [(9,)]


def spooled_by(here):
    return here.outbox.spool.bytes


def test_when_bobbin_comes_back_all_arrives_in_order_and_the_folder_goes(tmp_path):
    data = installed(tmp_path / "data")
    with Reporting(data) as here:
        work(here.client)
        until(lambda: spooled(data) and here.outbox.text)
        until(lambda: len([row for _, rows in spooled(data) for row in rows if row["kind"] == "sample"]) > 5)
        assert here.outbox.spool.bytes > 0
        with serving(data) as served:
            until(lambda: not folders(data))
            here.close()
            assert here.outbox.done.wait(10)
            assert served.missing() == 0 and served.dropped() == {}
            (numbers,) = served.rows("select min(seq), max(seq), count(distinct seq) from sample")
            assert served.rows("select min(first_seq), sum(records) from batch") == [(1, here.outbox.next_seq - 1)]
            assert numbers[2] > 5
            assert served.rows("select max(tasks_completed), max(tasks_erred) from sample") == [(9, 1)]
            assert served.rows("select count from exception") == [(1,)]
            arrived = served.rows("select first_seq from batch order by received_micros, first_seq")
            assert arrived == sorted(arrived)
            assert served.rows("select sum(conflicts) from instance") == [(0,)]


def test_a_file_that_was_acknowledged_is_gone_and_the_rest_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(bobbin, "DRAFT_BYTES", 3_000)
    listener = Listener()
    with Reporting(tmp_path / "data", receiver="http://127.0.0.1:9", token="t") as here:
        until(lambda: len(spooled(tmp_path / "data")) > 3)
        names = [header["first_seq"] for header, _ in spooled(tmp_path / "data")]
        # Two are kept, then nobody answers again.
        listener.answers = [200, 200] + ["hang up"] * 1000
        with listening(listener) as address:
            here.outbox.door.finder.settings.receiver = address
            until(lambda: len(listener.kept) == 2 and len(listener.bodies) > 3)
        left = [header["first_seq"] for header, _ in spooled(tmp_path / "data")]
        assert [header["first_seq"] for header, _ in listener.kept] == names[:2]
        assert left[: len(names) - 2] == names[2:]


def test_without_the_key_of_an_install_text_is_counted_and_the_rest_is_kept(tmp_path):
    data = tmp_path / "data"
    with Reporting(data) as here:
        work(here.client)
        until(lambda: here.run.failures.erred)
        time.sleep(0.5)
    rows = [row for _, batch in spooled(data) for row in batch]
    told = {row["what"]: row["count"] for row in rows if row["kind"] == "dropped"}
    assert told.pop("exception_text") == 1 and told.pop("computation") >= 1 and told.pop("event", 1) >= 1 and not told
    (failure,) = (row for row in rows if row["kind"] == "exception")
    assert (failure["exception_type"], failure["count"]) == ("ValueError", 1)
    assert failure["message"] is failure["traceback"] is failure["details"] is None
    assert {row["reason"] for row in rows if row["kind"] == "dropped"} == {"not_sealed"}
    assert {row["kind"] for row in spooled(data)[-1][1]} == {"dropped", "exception"} and "stop" in {row["kind"] for row in rows}
    assert not list((data / "spool").glob("*/*.sealed"))
    numbers = [header["first_seq"] + place for header, batch in spooled(data) for place in range(len(batch))]
    assert missing(numbers) == Losses(rows).gap == sum(row["count"] for row in rows if row["kind"] == "dropped")


def test_all_in_the_spool_is_for_its_user_alone_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        data = tmp_path / "data"
        with Reporting(data) as here:
            until(lambda: spooled(data))
            (folder,) = folders(data)
            seen = {path: stat.S_IMODE(path.stat().st_mode) for path in [data, folder.parent, folder, *folder.iterdir()]}
            assert here.outbox.errors == 0
    finally:
        os.umask(before)
    assert {mode for path, mode in seen.items() if path.is_dir() or "." not in path.name} <= {0o700, 0o600}, seen
    assert {mode for path, mode in seen.items() if path.suffix} <= {0o600}


def link(data, elsewhere):
    data.mkdir(mode=0o700)
    (data / "spool").symlink_to(elsewhere)


def another_user(data, elsewhere):
    (data / "spool").mkdir(parents=True, mode=0o700)
    os.chown(data / "spool", 12345, 12345)


def open_to_others(data, elsewhere):
    (data / "spool").mkdir(parents=True)
    (data / "spool").chmod(0o777)


def a_file(data, elsewhere):
    data.mkdir(mode=0o700)
    (data / "spool").write_text("")


@pytest.mark.parametrize("plant", [link, another_user, open_to_others, a_file])
def test_a_spool_that_was_planted_is_left_alone(tmp_path, plant):
    if plant is another_user and os.geteuid():
        pytest.skip("only root makes folders of other users")
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    elsewhere.mkdir()
    plant(data, elsewhere)
    with Reporting(data) as here:
        work(here.client)
        until(lambda: here.outbox.errors)
        assert here.outbox.waiting() > 0 and here.outbox.spool.bytes == 0
    assert here.closed_seconds < 5
    assert not list(elsewhere.iterdir())
    assert plant is a_file or not list((data / "spool").iterdir())


def test_a_link_in_the_place_of_the_own_folder_is_left_alone(tmp_path):
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (data / "spool").mkdir(parents=True, mode=0o700)
    data.chmod(0o700)
    original = bobbin._Spool.put

    def put(spool, name, body):
        if not os.path.lexists(data / "spool" / spool.stem):
            (data / "spool" / spool.stem).symlink_to(elsewhere)
        return original(spool, name, body)

    bobbin._Spool.put = put
    try:
        with Reporting(data) as here:
            until(lambda: here.outbox.errors)
            assert here.client.submit(abs, -1).result() == 1
    finally:
        bobbin._Spool.put = original
    assert not list(elsewhere.iterdir())


def no_locks(monkeypatch, data):
    def flock(file, how):
        raise OSError(errno.ENOLCK, "no locks here")

    monkeypatch.setattr(bobbin.fcntl, "flock", flock)


def no_such_module(monkeypatch, data):
    monkeypatch.setattr(bobbin, "fcntl", None)


def a_full_disk(monkeypatch, data):
    def write(file, rest):
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(bobbin.os, "write", write)


def read_only(monkeypatch, data):
    monkeypatch.setenv("BOBBIN_DATA_DIR", "/proc/bobbin")


@pytest.mark.parametrize("trouble", [no_locks, no_such_module, a_full_disk, read_only])
def test_where_no_spool_can_be_all_waits_in_memory_and_arrives(tmp_path, monkeypatch, trouble):
    data = tmp_path / "data"
    trouble(monkeypatch, data)
    listener = Listener()
    with Reporting("/proc/bobbin" if trouble is read_only else data, receiver="http://127.0.0.1:9", token="t") as here:
        work(here.client)
        until(lambda: here.outbox.errors or trouble is no_such_module)
        assert here.started_seconds < 5 and here.outbox.spool.bytes == 0
        with listening(listener) as address:
            here.outbox.door.finder.settings.receiver = address
            until(lambda: listener.records("exception"))
            here.close()
            assert here.outbox.done.wait(10)
    assert listener.numbers() == list(range(1, len(listener.numbers()) + 1))
    assert listener.records("stop") and not listener.records("dropped")
    assert not folders(data)


def test_a_file_system_that_is_full_is_used_again_when_it_has_room(tmp_path):
    with small_disk(tmp_path / "data", "64k") as mounted:
        fill(mounted)
        with Reporting(mounted) as here:
            work(here.client)
            until(lambda: here.outbox.errors)
            assert here.outbox.waiting() > 0 and not spooled(mounted)
            (mounted / "ballast").unlink()
            here.outbox.spool_again = 0
            until(lambda: spooled(mounted))
        rows = [row for _, batch in spooled(mounted) for row in batch]
        assert "stop" in {row["kind"] for row in rows}


def test_a_process_that_was_forked_off_does_not_hold_the_lock(tmp_path):
    data = tmp_path / "data"
    with Reporting(data) as here:
        until(lambda: spooled(data))
        (folder,) = folders(data)
        lock = os.open(folder / "lock", os.O_RDWR)
        child = os.fork()
        if not child:
            time.sleep(30)
            os._exit(0)
        try:
            with pytest.raises(BlockingIOError):
                bobbin.fcntl.flock(lock, bobbin.fcntl.LOCK_EX | bobbin.fcntl.LOCK_NB)
            here.close()
            here.outbox.give_up = 0
            here.outbox.thread.join(15)
            bobbin.fcntl.flock(lock, bobbin.fcntl.LOCK_EX | bobbin.fcntl.LOCK_NB)
        finally:
            os.kill(child, 9)
            os.waitpid(child, 0)
            os.close(lock)


def test_where_bobbin_never_comes_the_oldest_of_what_was_left_goes(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(bobbin, "SPOOLS", 1)
    monkeypatch.setattr(bobbin, "SPOOL_BYTES", 3 << 20)
    data = tmp_path / "data"
    (data / "spool").mkdir(parents=True, mode=0o700)
    data.chmod(0o700)
    for number in range(6):
        folder = data / "spool" / ("Scheduler-%d-i" % number)
        folder.mkdir(mode=0o700)
        (folder / "lock").touch()
        (folder / "000000000001.batch").write_bytes(bytes(900_000))
        os.utime(folder, (1e9 + number, 1e9 + number))
    held = open(data / "spool" / "Scheduler-0-i" / "lock")
    bobbin.fcntl.flock(held, bobbin.fcntl.LOCK_SH)
    with held, Reporting(data, spool__limit="1MiB") as here:
        until(lambda: spooled_by(here))
        left = {folder.name for folder in folders(data)} - {here.outbox.spool.stem}
    # The newest within the room of the others, however little this one may keep; and the one whose scheduler lives.
    assert left == {"Scheduler-0-i", "Scheduler-3-i", "Scheduler-4-i", "Scheduler-5-i"}
    (line,) = [record.getMessage() for record in caplog.records if "earlier schedulers left" in record.getMessage()]
    assert "that 2 earlier schedulers left" in line


def whole(listener):
    """Every number arrived once, and nothing was shed."""
    return listener.numbers() == list(range(1, len(listener.numbers()) + 1)) and not listener.records("dropped")


def fails(spool, name, body):
    raise OSError(errno.ENOSPC, "no space left on device")


def test_a_draft_that_cannot_be_written_again_holds_nothing_up(tmp_path, monkeypatch):
    data, listener = tmp_path / "data", Listener()
    with Reporting(data, receiver="http://127.0.0.1:9", token="t") as here:
        until(lambda: here.outbox.draft)
        with monkeypatch.context() as patch:
            patch.setattr(bobbin._Spool, "put", fails)
            work(here.client)
            with listening(listener) as address:
                here.outbox.door.finder.settings.receiver = address
                until(lambda: listener.records("exception"))
                assert all(rows for _, rows in listener.kept) and whole(listener)
                until(lambda: not folders(data))
                here.close()
                assert here.outbox.done.wait(10)
    assert whole(listener) and listener.records("stop")


def test_what_cannot_be_made_smaller_stays_whole(tmp_path, monkeypatch):
    data, listener = tmp_path / "data", Listener()
    monkeypatch.setattr(bobbin, "DRAFT_BYTES", 3_000)
    with Reporting(data, receiver="http://127.0.0.1:9", token="t") as here:
        outbox = here.outbox
        until(lambda: len(spooled(data)) > 3)
        before = outbox.errors
        with monkeypatch.context() as patch:
            patch.setattr(bobbin._Spool, "put", fails)
            patch.setattr(outbox, "_write_draft", lambda: None)
            outbox.spool.limit = 1
            until(lambda: outbox.errors > before)
            outbox.spool.limit = bobbin.SPOOL_BYTES
        with listening(listener) as address:
            outbox.door.finder.settings.receiver = address
            here.close()
            assert outbox.done.wait(10)
    # A batch of nothing but what is shed first went whole, where there was one: that takes no writing.
    numbers, told = listener.numbers(), listener.records("dropped")
    assert {row["what"] for row in told} <= {"sample", "dropped", "task_group"}
    assert sorted(numbers) == numbers and numbers[-1] - len(numbers) == sum(row["count"] for row in told)
    assert listener.records("stop")


def test_a_folder_in_which_an_open_file_stays_goes_all_the_same_and_can_be_used_again(tmp_path, monkeypatch):
    """As on NFS, where a file that is removed stays until it is closed."""
    data = tmp_path / "data"
    rmdir, open_locks, stuck = os.rmdir, [], []

    def as_on_nfs(name, dir_fd=None):
        if stuck or any(each.lock is not None for each in open_locks):
            raise OSError(errno.ENOTEMPTY, "directory not empty")
        rmdir(name, dir_fd=dir_fd)

    monkeypatch.setattr(bobbin.os, "rmdir", as_on_nfs)
    with dask.config.set({"bobbin.data-dir": str(data)}):
        spool = bobbin._Spool(bobbin.Settings(), "Scheduler-1", "i")
        open_locks.append(spool)
        for number in range(2):
            spool.put("000000000001.batch", b"x")
            spool.remove("000000000001.batch")
            spool.close()
            assert not folders(data)
        stuck.append(True)
        spool.put("000000000001.batch", b"x")
        spool.remove("000000000001.batch")
        spool.close()
        assert folders(data)
        stuck.clear()
        spool.put("000000000002.batch", b"y")
        assert spool.read("000000000002.batch") == b"y"
        spool.remove("000000000002.batch")
        spool.close()
    assert not folders(data)


def test_a_file_of_the_spool_that_cannot_be_read_does_not_keep_the_others(tmp_path, monkeypatch):
    data, listener = tmp_path / "data", Listener()
    monkeypatch.setattr(bobbin, "DRAFT_BYTES", 3_000)
    monkeypatch.setattr(bobbin, "FAULTS", 2)
    read, broken = bobbin._Spool.read, []

    def failing(spool, name):
        if name in broken:
            raise OSError(errno.EIO, "input/output error")
        return read(spool, name)

    monkeypatch.setattr(bobbin._Spool, "read", failing)
    with Reporting(data, receiver="http://127.0.0.1:9", token="t") as here:
        until(lambda: len(spooled(data)) > 3)
        header, rows = spooled(data)[0]
        broken.append(bobbin.SPOOL_NAME % header["first_seq"])
        with listening(listener) as address:
            here.outbox.door.finder.settings.receiver = address
            until(lambda: listener.records("dropped"))
            here.close()
            assert here.outbox.done.wait(10)
    numbers = listener.numbers()
    assert sorted(set(range(1, numbers[-1] + 1)) - set(numbers)) == list(range(header["first_seq"], header["first_seq"] + len(rows)))
    assert {row["reason"] for row in listener.records("dropped")} == {"spool_lost"}
    assert sum(row["count"] for row in listener.records("dropped")) == len(rows)
