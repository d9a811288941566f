"""Whatever a receiver does, or does not: the cluster starts, computes and closes as ever, and nothing is lost."""

import errno
import gzip
import json
import math
import os
import socket
import threading
import time
from contextlib import contextmanager

import bobbin
import dask
import pytest
from distributed import Client, LocalCluster
from listener import Listener, listening
from processes import PLUGIN
from reports import until
from serving import installed, serving
from spools import Reporting, folders, lag, work
from test_sending import certificate

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 200\r\n\r\n"


@contextmanager
def odd(behave):
    """A port behind which `behave` has each connection to itself; gives the address."""
    server = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def one(connection):
        with connection:
            try:
                behave(connection, ended)
            except OSError:
                pass

    def accept():
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=one, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield "http://127.0.0.1:%d" % server.getsockname()[1]
    finally:
        ended.set()
        server.close()


def silent(connection, ended):
    """Takes all and never says a word."""
    connection.settimeout(60)
    while connection.recv(65536):
        pass


def unread(connection, ended):
    """Does not even read."""
    ended.wait(60)


def garbage(connection, ended):
    connection.recv(65536)
    connection.sendall(b"\x00\xff SSH-2.0-somebody\r\n\r\n")


def dies(connection, ended):
    """Goes away in the middle of the request."""
    connection.recv(10)


def stops_in_its_answer(connection, ended):
    connection.recv(65536)
    connection.sendall(ANSWER + b'{"cluster_id"')
    ended.wait(60)


def drips(connection, ended):
    """An answer that would take an hour."""
    connection.recv(65536)
    for byte in ANSWER * 100:
        if ended.wait(0.3):
            return
        connection.sendall(bytes([byte]))


def fails(connection, ended):
    connection.settimeout(60)
    while connection.recv(1024 * 1024):
        connection.sendall(b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n")


def redirects(connection, ended):
    connection.recv(1024 * 1024)
    connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")


@contextmanager
def refuses():
    yield "http://127.0.0.1:9"


@contextmanager
def another_certificate(folder):
    path, _ = certificate(folder)
    with listening(Listener(), certificate=path) as address:
        yield address + "#sha256=" + "0" * 64


@contextmanager
def no_tls():
    with odd(silent) as address:
        yield address.replace("http:", "https:") + "#sha256=" + "0" * 64


TROUBLES = [silent, unread, garbage, dies, stops_in_its_answer, drips, fails, redirects, refuses, another_certificate, no_tls]


def troubled(trouble, folder):
    if trouble in (refuses, no_tls):
        return trouble()
    return trouble(folder) if trouble is another_certificate else odd(trouble)


def usual_seconds():
    """How long such a cluster takes to start without a plugin."""
    start = time.monotonic()
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster, Client(cluster):
        return time.monotonic() - start


def usual_lag():
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
        return lag(client)


@pytest.mark.parametrize(
    "trouble, how",
    [(trouble, how) for how in ("register", "preload") for trouble in TROUBLES],
    ids=lambda part: getattr(part, "__name__", part),
)
def test_the_cluster_is_as_ever_and_all_is_home_with_the_next_start_of_bobbin(tmp_path, trouble, how):
    data = installed(tmp_path / "data")
    usual = usual_seconds()
    preload = {"distributed.scheduler.preload": [str(PLUGIN)] if how == "preload" else []}
    with troubled(trouble, tmp_path) as address, dask.config.set(preload):
        with Reporting(data, receiver=address, token="t", register=how == "register") as here:
            # On a busy machine, one start says little of what is usual.
            assert here.started_seconds < usual + 1 or here.started_seconds < max(usual_seconds() for _ in range(4)) + 1
            work(here.client)
            # Several reports are tried meanwhile. A machine that is busy otherwise is late without any plugin.
            held = lag(here.client)
            assert held < 0.1 or held < 2 * max(usual_lag() for _ in range(3))
            here.close()
            # Five seconds are the plugin's; Dask's own part takes a moment, too.
            assert here.closed_seconds < 5.5
            assert here.outbox.settled.is_set() or here.outbox.done.is_set()
            assert here.outbox.errors == 0
    with serving(data) as served:
        until(lambda: not folders(data), 60)
        assert served.rows("select stop_reason, conflicts from instance") == [("closed", 0)]
        assert served.missing() == 0 and served.dropped() == {}
        assert served.rows("select min(first_seq), sum(records) from batch") == [(1, here.outbox.next_seq - 1)]
        assert served.rows("select max(tasks_completed), max(tasks_erred) from sample") == [(9, 1)]
        assert served.rows("select count from exception where message_sealed is not null") == [(1,)]


def test_a_receiver_that_is_slow_but_answers_gets_it_all(settings):
    class Slow(Listener):
        def answer(self, request):
            time.sleep(0.7)
            super().answer(request)

    listener = Slow()
    with listening(listener) as address:
        with Reporting(settings / "data", receiver=address, token="t") as here:
            work(here.client)
            here.close()
            assert here.closed_seconds < 5.5
            assert here.outbox.done.wait(20)
    # One whose answer came too late for a scheduler that ends is sent again.
    numbers = sorted(set(listener.numbers()))
    assert numbers == list(range(1, len(numbers) + 1)) and listener.records("stop") and not listener.records("dropped")
    assert not folders(settings / "data")


def test_an_answer_that_takes_for_ever_is_given_up(settings, monkeypatch):
    monkeypatch.setattr(bobbin, "REQUEST_SECONDS", 1.0)
    listener = Listener()
    with odd(drips) as address:
        with Reporting(settings / "data", receiver=address, token="t") as here:
            until(lambda: here.outbox.failing_since)
            with listening(listener) as other:
                here.outbox.door.finder.settings.receiver = other
                until(lambda: listener.kept)


def test_one_batch_that_the_receiver_cannot_take_does_not_hold_up_the_others(settings, monkeypatch):
    monkeypatch.setattr(bobbin, "FAULTS", 3)

    listener = Listener([500, 500, 500, 200] + [500] * 3)
    with listening(listener) as address:
        with Reporting(settings / "data", receiver=address, token="t"):
            until(lambda: 1 in listener.numbers(), 60)
    first = listener.bodies[0]
    # The next one is kept in between, and then the first is tried again, the same as it was.
    assert listener.bodies[:3] == [first] * 3 and listener.bodies[3] != first and first in listener.bodies[4:]
    assert listener.numbers()[0] > 1 and not listener.records("dropped")


def test_retry_after_is_heeded(settings):
    class Busy(Listener):
        times = []

        def answer(self, request):
            self.times.append(time.monotonic())
            if len(self.times) > 1:
                return super().answer(request)
            request.rfile.read(int(request.headers["Content-Length"]))
            request.send_response(503)
            request.send_header("Retry-After", "2")
            request.send_header("Content-Length", "0")
            request.end_headers()

    listener = Busy()
    with listening(listener) as address:
        with Reporting(settings / "data", receiver=address, token="t"):
            until(lambda: listener.kept)
    assert listener.times[1] - listener.times[0] >= 2


def adopted(data, key):
    """A folder that has nothing of an install's but the key to seal to."""
    data.mkdir(mode=0o700)
    (data / "public_key").write_text(key)
    return data


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def left_behind(data, port, **chosen):
    """What a cluster that found no receiver at this port left."""
    with Reporting(data, receiver="http://127.0.0.1:%d" % port, token="t", **chosen) as here:
        work(here.client)
        until(lambda: here.run.failures.erred)
    assert folders(data) and list((data / "spool").glob("*/*.sealed"))
    return here.run.clock.instance_id


def test_a_plugin_delivers_what_those_before_it_left_where_no_bobbin_is(tmp_path):
    home, port = installed(tmp_path / "home"), free_port()
    away = adopted(tmp_path / "away", (home / "public_key").read_text())
    instances = {left_behind(away, port), left_behind(away, port)}
    with serving(home, port) as served:
        with Reporting(away, receiver="http://127.0.0.1:9", token="t") as alive:
            until(lambda: len(folders(away)) == 3)
            with Reporting(away, receiver=served.address, token=served.token) as here:
                until(lambda: len(folders(away)) == 1)
                assert [folder.name for folder in folders(away)] == [alive.outbox.spool.stem]
                instances.add(here.run.clock.instance_id)
        until(lambda: served.count("instance") == 3)
        assert {row[0] for row in served.rows("select instance_id from instance")} == instances
        assert served.missing() == 0
        assert served.rows("select count from exception where message_sealed is not null") == [(1,), (1,)]
        assert served.rows("select count(*) from instance where stop_reason is null") == [(0,)]


def test_what_was_meant_for_another_receiver_is_not_told_to_this_one(tmp_path):
    home = installed(tmp_path / "home")
    away = adopted(tmp_path / "away", (home / "public_key").read_text())
    left_behind(away, 9)
    with Reporting(away) as here:
        work(here.client)
        until(lambda: len(folders(away)) == 2)
    before = {path: path.read_bytes() for path in (away / "spool").glob("*/*")}
    with serving(home) as served:
        with Reporting(away, receiver=served.address, token=served.token) as here:
            until(lambda: here.outbox.adopt_at == math.inf and here.outbox.announced)
        until(lambda: served.rows("select stop_reason from instance") == [("closed",)])
    assert {path: path.read_bytes() for path in (away / "spool").glob("*/*")} == before


def test_what_is_sealed_to_another_install_stays_for_that(tmp_path):
    home, other, port = installed(tmp_path / "home"), installed(tmp_path / "other"), free_port()
    away = adopted(tmp_path / "away", (other / "public_key").read_text())
    instance = left_behind(away, port)
    with serving(home, port) as served:
        with Reporting(away, receiver=served.address, token=served.token):
            until(lambda: not list((away / "spool").glob("*/*.batch")))
            until(lambda: served.rows("select stop_reason from instance where instance_id = ?", instance) == [("closed",)])
            assert list((away / "spool").glob("*/*.sealed"))


def test_a_file_that_was_taken_away_is_begun_anew(tmp_path):
    def first(path):
        lines = gzip.decompress(path.read_bytes()).splitlines()
        return json.loads(lines[0])["first_seq"]

    with Reporting(tmp_path / "data", destination="file", folder="") as here:
        inbox = tmp_path / "data" / "inbox"
        until(lambda: list(inbox.glob("*.bobbin")) and here.outbox.sent_bytes)
        (path,) = inbox.glob("*.bobbin")
        path.unlink()
        until(lambda: path.exists() and path.stat().st_size)
        assert first(path) > 1
        work(here.client)
    assert b'"kind":"stop"' in gzip.decompress(path.read_bytes())


def test_a_file_leaves_the_rest_of_a_disk_to_the_cluster(tmp_path, monkeypatch, caplog):
    data = installed(tmp_path / "data")
    looked, ask = [], bobbin.os.fstatvfs

    def nearly_full(file):
        """A disk of 100 GiB with a gibibyte and a byte that is free."""
        looked.append(file)
        words = list(ask(file))
        words[1], words[2], words[4] = 1, 100 << 30, (1 << 30) + 1
        return os.statvfs_result(words)

    with Reporting(data, destination="file", folder="") as here:
        until(lambda: list((data / "inbox").glob("*.bobbin")) and here.outbox.sent_bytes)
        (path,) = (data / "inbox").iterdir()
        with monkeypatch.context() as patch:
            patch.setattr(bobbin.os, "fstatvfs", nearly_full)
            until(lambda: looked)
            size = path.stat().st_size
            work(here.client)
            until(lambda: len(looked) > 2)
            assert path.stat().st_size == size
    assert "is left to the cluster" in caplog.text
    with serving(data) as served:
        until(lambda: not path.exists())
        assert served.rows("select stop_reason, conflicts from instance") == [("closed", 0)]
        assert served.missing() == 0


def test_half_a_batch_that_could_not_be_taken_back_is_taken_back_later(tmp_path, monkeypatch):
    data = installed(tmp_path / "data")
    write, truncate, torn = bobbin.os.write, bobbin.os.ftruncate, []

    def tearing(file, rest):
        if len(rest) > 100 and len(torn) < 3:
            torn.append(write(file, rest[:100]))
            raise OSError(errno.EIO, "input/output error")
        return write(file, rest)

    def failing(file, length):
        if len(torn) < 3:
            raise OSError(errno.EIO, "input/output error")
        truncate(file, length)

    with Reporting(data, destination="file", folder="") as here:
        until(lambda: list((data / "inbox").glob("*.bobbin")))
        with monkeypatch.context() as patch:
            patch.setattr(bobbin.os, "ftruncate", failing)
            patch.setattr(bobbin.os, "write", tearing)
            until(lambda: torn)
            torn.extend(torn * 2)
        work(here.client)
    with serving(data) as served:
        until(lambda: not list((data / "inbox").iterdir()))
        assert served.rows("select stop_reason, conflicts from instance") == [("closed", 0)]
        assert served.missing() == 0


def test_files_go_to_the_inbox_of_bobbin_and_half_a_batch_is_taken_back(tmp_path, monkeypatch):
    data = installed(tmp_path / "data")
    write, torn = bobbin.os.write, []

    def tearing(file, rest):
        if len(rest) > 100 and len(torn) < 3:
            torn.append(write(file, rest[:100]))
            raise OSError(28, "no space left on device")
        return write(file, rest)

    with Reporting(data, destination="file", folder="") as here:
        until(lambda: list((data / "inbox").glob("*.bobbin")))
        with monkeypatch.context() as patch:
            patch.setattr(bobbin.os, "write", tearing)
            until(lambda: len(torn) == 3)
        work(here.client)
    (path,) = (data / "inbox").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    headers = [line for line in gzip.decompress(path.read_bytes()).splitlines() if b'"kind":"header"' in line]
    assert json.loads(headers[0])["first_seq"] == 1
    with serving(data) as served:
        until(lambda: not path.exists())
        assert served.rows("select stop_reason, conflicts from instance") == [("closed", 0)]
        assert served.missing() == 0
        assert served.rows("select min(first_seq), sum(records) from batch") == [(1, here.outbox.next_seq - 1)]
