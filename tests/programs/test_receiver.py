"""The reading API through a receiver: the same rows as the file has, by each way there, and clear words where there is none."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from conftest import SECOND, event, failure, records

import bobbin_reader
from bobbin_reader import receiver as receiver_module

WRONG = bobbin_reader.BobbinError


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A Bobbin that runs, with two clusters."""
    from conftest import Bobbin

    bobbin = Bobbin(tmp_path_factory.mktemp("receiver") / "data")
    ago = int(time.time() * 1e6) - 3600 * SECOND
    start, end, lines = records("first", start=ago, more=[failure(ago), event(ago)])
    month = int(time.time() * 1e6) - 30 * 86400 * SECOND
    # One of its groups is in no other record.
    again = {"kind": "computation", "at_micros": month, "computation_id": "d", "start_micros": month, "stop_micros": month,
             "groups": ["g", "gone"]}
    old = records("old", start=month, more=[again])
    bobbin.told(("first", (start, end, lines)), ("old", old))
    process, listening = bobbin.serve()
    yield bobbin, listening
    process.terminate()
    assert process.wait(timeout=120) == 0


@pytest.fixture
def alone(running, monkeypatch, tmp_path):
    """Far from the file, and without the command."""
    monkeypatch.setenv("BOBBIN_DATA_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("BOBBIN_COMMAND", "no-such-command-here")
    return running


def address(bobbin):
    return json.loads((bobbin.folder / "receiver.json").read_text())


def token(listening):
    return Path(listening["token_file"]).read_text().strip()


def secured(bobbin, listening, pin=None):
    return "https://%s#sha256=%s" % (listening["tcp"], pin or address(bobbin)["certificate_sha256"])


def without(rows, *names):
    return [{key: value for key, value in row.items() if key not in names} for row in rows]


def test_each_way_there_tells_what_the_file_does(running):
    bobbin, listening = running
    folder = bobbin.folder
    ways = [
        {"receiver": True, "data_dir": folder},
        {"receiver": "unix://" + address(bobbin)["socket"], "data_dir": folder},
        {"receiver": "http://" + listening["tcp"], "token": token(listening)},
        {"receiver": secured(bobbin, listening), "token": token(listening)},
    ]
    of_file = {"data_dir": folder}
    for way in ways:
        assert bobbin_reader.list_clusters(since=None, **way) == bobbin_reader.list_clusters(since=None, **of_file)
        assert [row["name"] for row in bobbin_reader.list_clusters(**way)] == ["first"]
        assert bobbin_reader.list_clusters(since=None, user="nobody", **way) == []
        assert len(bobbin_reader.list_clusters(since=None, limit=1, **way)) == 1
        assert bobbin_reader.list_computations(1, **way) == bobbin_reader.list_computations(1, **of_file)
        computations = bobbin_reader.list_computations(2, **way)
        assert computations == bobbin_reader.list_computations(2, **of_file)
        assert [row["groups"] for row in computations] == [["inc-5f3a9c01"], ["inc-5f3a9c01", "gone"]]
        assert bobbin_reader.list_exceptions(**way) == bobbin_reader.list_exceptions(**of_file)
        # A receiver does not tell of which batch an event was.
        names = ("instance_id", "seq")
        told = bobbin_reader.list_events(scheduler_id="Scheduler-first", **way)
        assert without(told, *names) == without(bobbin_reader.list_events(1, **of_file), *names)
        assert (told[0]["instance_id"], told[0]["seq"], told[0]["locked"]) == (None, None, True)


def test_texts_filters_and_the_card_come_without_the_command(alone):
    bobbin, listening = alone
    way = {"receiver": secured(bobbin, listening), "token": token(listening)}
    (computation,) = bobbin_reader.list_computations(scheduler_id="Scheduler-first", text=True, **way)
    assert computation["code"][0]["code"] == "zqcanarycode()" and not computation["locked"]
    (failed,) = bobbin_reader.list_exceptions(cluster_id=1, text=True, **way)
    assert (failed["message"], failed["traceback"], failed["locked"]) == ("zqcanarymessage", "zqcanarytraceback", False)
    (happened,) = bobbin_reader.list_events(1, text=True, **way)
    assert (happened["payload"], happened["locked"]) == ({"text": "zqcanarypayload"}, False)
    # Whoever has that port would read it.
    plain = {"receiver": "http://" + listening["tcp"], "token": token(listening)}
    for asked in (bobbin_reader.list_computations, bobbin_reader.list_exceptions, bobbin_reader.list_events):
        assert asked(cluster_id=1, **plain)[0]["locked"]
        with pytest.raises(WRONG, match="over plain HTTP; use unix:"):
            asked(cluster_id=1, text=True, **plain)
    assert [row["name"] for row in bobbin_reader.list_clusters(since=None, filter="-has:exception", **way)] == ["old"]
    with pytest.raises(WRONG, match="statee"):
        bobbin_reader.list_clusters(filter="statee:lost", **way)
    card = bobbin_reader.last(**way)
    assert card.cluster["name"] == "first" and "finished" in repr(card)
    assert bobbin_reader.last(2, **way).cluster["name"] == "old"


def test_long_lists_are_asked_for_page_by_page(alone, monkeypatch):
    bobbin, listening = alone
    way = {"receiver": secured(bobbin, listening), "token": token(listening)}
    monkeypatch.setattr(receiver_module, "PAGE", 2)
    assert [row["name"] for row in bobbin_reader.list_clusters(since=None, **way)] == ["first", "old"]
    assert [row["name"] for row in bobbin_reader.list_clusters(since=None, limit=1, **way)] == ["first"]


def test_a_list_that_nobody_asked_to_cut_says_that_there_is_more(alone, monkeypatch):
    bobbin, listening = alone
    way = {"receiver": secured(bobbin, listening), "token": token(listening)}
    monkeypatch.setattr(bobbin_reader, "MOST", 1)
    with pytest.warns(UserWarning, match="limit="):
        assert [row["name"] for row in bobbin_reader.list_clusters(since=None, **way)] == ["first"]
    with pytest.warns(UserWarning, match="limit="):
        assert len(bobbin_reader.list_computations(2, **way)) == 1
    monkeypatch.setattr(bobbin_reader, "MOST", 0)
    for asked in (bobbin_reader.list_events, bobbin_reader.list_exceptions):
        with pytest.warns(UserWarning, match="limit="):
            assert asked(cluster_id=1, **way) == []


def test_a_list_that_grows_while_it_is_read_tells_no_row_twice(tmp_path, monkeypatch):
    from conftest import Bobbin, batch

    bobbin = Bobbin(tmp_path / "data")
    ago = int(time.time() * 1e6) - 3600 * SECOND
    begun = [records("c%d" % n, start=ago + n * SECOND, more=[event(ago + m) for m in range(5)]) for n in range(30)]
    bobbin.told(*[("c%d" % n, told) for n, told in enumerate(begun[:5])])
    process, listening = bobbin.serve()
    ask, later = receiver_module.Receiver.ask, iter(enumerate(begun[5:], 5))

    def ask_and_report(self, what, **question):
        answer = ask(self, what, **question)
        n, (_, end, lines) = next(later)
        bobbin.post(listening, batch("c%d" % n, lines, end))
        more = {"kind": "event", "at_micros": int(time.time() * 1e6), "topic": "late", "payload": n}
        bobbin.post(listening, batch("c0", [more], end).replace(b'"first_seq": 1', b'"first_seq": %d' % (100 + n)))
        return answer

    monkeypatch.setattr(receiver_module, "PAGE", 3)
    monkeypatch.setattr(receiver_module.Receiver, "ask", ask_and_report)
    way = {"receiver": True, "data_dir": bobbin.folder}
    try:
        assert [row["name"] for row in bobbin_reader.list_clusters(since=None, **way)] == ["c4", "c3", "c2", "c1", "c0"]
        topics = [row["topic"] for row in bobbin_reader.list_events(1, **way)]
    finally:
        process.terminate()
        assert process.wait(timeout=120) == 0
    assert topics == ["late"] * (len(topics) - 5) + ["all"] * 5


def test_a_list_that_shrinks_while_it_is_read_tells_what_is_left(monkeypatch):
    class Shrinking(receiver_module.Receiver):
        def __init__(self):
            self.rows = [{"id": n} for n in range(20)]

        def ask(self, what, *, limit, offset):
            page = self.rows[offset : offset + limit]
            # Two of those that were told already, and those only.
            del self.rows[:2]
            return {"rows": page}

    monkeypatch.setattr(receiver_module, "PAGE", 5)
    told = [row["id"] for row in Shrinking().pages("clusters", 100, lambda row: row["id"])]
    assert told == list(range(20))


def test_the_token_comes_from_where_the_plugin_has_it(alone, monkeypatch, tmp_path):
    bobbin, listening = alone
    way = {"receiver": secured(bobbin, listening)}
    with pytest.raises(WRONG, match="DASK_BOBBIN__TOKEN"):
        bobbin_reader.list_clusters(**way)
    file = tmp_path / "token"
    file.write_text(token(listening) + "\n")
    monkeypatch.setenv("DASK_BOBBIN__TOKEN_FILE", str(file))
    assert len(bobbin_reader.list_clusters(since=None, **way)) == 2
    monkeypatch.setenv("DASK_BOBBIN__TOKEN", "another")
    with pytest.raises(WRONG, match="a different token"):
        bobbin_reader.list_clusters(**way)


def test_nothing_is_sent_to_another_certificate_or_to_another_machine_in_the_clear(alone):
    bobbin, listening = alone
    key = token(listening)
    with pytest.raises(WRONG, match="does not match #sha256="):
        bobbin_reader.list_clusters(receiver=secured(bobbin, listening, "0" * 64), token=key)
    for address_of, told in [
        ("http://192.0.2.1:8788", "only for this machine"),
        ("https://" + listening["tcp"], "end in #sha256="),
        ("ftp://somewhere", "not an address"),
        ("https://somewhere:notaport", "not an address"),
        (False, "True for"),
    ]:
        with pytest.raises(WRONG, match=told):
            bobbin_reader.list_clusters(receiver=address_of, token=key)


def test_the_token_of_the_folder_goes_to_no_port_that_anybody_may_have(alone, monkeypatch):
    bobbin, listening = alone
    for name in ("DASK_BOBBIN__TOKEN", "DASK_BOBBIN__TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    for host in (listening["tcp"], "localhost:1", "[::1]:1"):
        with pytest.raises(WRONG, match="needs its token"):
            bobbin_reader.list_clusters(receiver="http://" + host, data_dir=bobbin.folder)


def test_what_goes_wrong_says_what_to_do(alone, tmp_path):
    bobbin, listening = alone
    with pytest.raises(WRONG, match="no Bobbin is running on"):
        bobbin_reader.list_clusters(receiver=True)
    with pytest.raises(WRONG, match="does not answer"):
        bobbin_reader.list_clusters(receiver="unix://%s/none" % tmp_path, token="t")
    # The error of a header that cannot be sent would quote it.
    with pytest.raises(WRONG) as caught:
        bobbin_reader.list_clusters(receiver="http://" + listening["tcp"], token="zqsecret\nzq")
    assert "zqsecret" not in str(caught.value)
    way = {"receiver": secured(bobbin, listening), "token": token(listening)}
    with pytest.raises(WRONG, match="99"):
        bobbin_reader.list_events(99, **way)
    with pytest.raises(WRONG, match="Scheduler-none"):
        bobbin_reader.list_events(scheduler_id="Scheduler-none", **way)
    with pytest.raises(WRONG, match="cluster_id or"):
        bobbin_reader.list_computations(**way)


@pytest.mark.parametrize(
    "status, body, told",
    [
        (404, b'{"code": "not_found", "message": "nothing has this address", "hint": null}', "older"),
        (200, b"<html>", "not Bobbin"),
        (503, b'{"code": "busy", "message": "too much to do", "hint": "later"}', "too much to do; later"),
    ],
)
def test_what_is_no_such_bobbin_is_named(alone, status, body, told):
    class Answers(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with pytest.raises(WRONG, match=told):
            bobbin_reader.list_clusters(receiver="http://127.0.0.1:%d" % server.server_port, token="t")
    finally:
        server.shutdown()
        server.server_close()
