"""Whatever Dask and its users say, a record is one line of JSON that a strict reader takes."""

import datetime
import json
import pickle
import warnings

import bobbin
import pytest


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        2**70,
        -(2**70),
        10**5000,
        b"bytes",
        {1, 2},
        {None: 1, (1, 2): 2},
        object(),
        "lone \udcff surrogate",
        {"deep": [[[[[[[[[[[[[[[[[[[["too deep"]]]]]]]]]]]]]]]]]]]]},
        list(range(10000)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_any_value_becomes_strict_json(value):
    record = {"kind": "event", "payload": bobbin._plain(value, [5000])}
    line = bobbin._encode(record)

    def refuse(constant):
        raise ValueError(constant)

    read = json.loads(line.decode("utf-8"), parse_constant=refuse)
    assert b"\n" not in line

    def depth(part):
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else None
        return 0 if inner is None else 1 + max([depth(one) for one in inner], default=0)

    assert depth(read) <= 16


class Lazy:
    """As a library's, whose `repr` computes."""

    def __repr__(self):
        raise AssertionError("on the scheduler's event loop")


def test_of_an_object_only_its_type_is_told():
    numpy = pytest.importorskip("numpy")
    now = datetime.datetime(2026, 1, 2, 3, 4)
    value = {"lazy": Lazy(), "number": numpy.int64(3), "loss": numpy.float32(0.5), "at": now}
    assert bobbin._plain(value, [5000]) == {"lazy": "<Lazy>", "number": 3, "loss": 0.5, "at": "2026-01-02 03:04:00"}
    assert bobbin._plain({Lazy(): 1, ("x", Lazy()): 2, 3: 4}, [5000]) == {"<Lazy>": 1, "['x', '<Lazy>']": 2, "3": 4}


def test_a_value_that_holds_itself_ends():
    value = {}
    value["self"] = value
    assert len(bobbin._encode(bobbin._plain(value, [5000]))) < 1000


def test_a_record_that_json_refuses_is_made_plain_whole():
    line = bobbin._encode({"kind": "sample", "odd": float("inf"), "set": {1}})
    assert json.loads(line) == {"kind": "sample", "odd": None, "set": {"count": 1}}


def test_long_texts_are_cut_within_their_bytes_and_say_so():
    text = "é" * 1000
    cut = bobbin._cut(text, 512)
    assert len(cut.encode()) <= 512 and cut.endswith("bytes cut]")
    both = bobbin._cut("begin" + "x" * 10000 + "end", 1000, keep_end=True)
    assert both.startswith("begin") and both.endswith("end") and len(both) <= 1000


@pytest.mark.parametrize(
    "text, told",
    [
        ("ValueError('boom')", ("ValueError", "boom")),
        ("ValueError()", ("ValueError", "")),
        ("KeyError('a')", ("KeyError", "'a'")),
        ("OSError(2, 'No such file')", ("OSError", "2, 'No such file'")),
        ("my.module.Odd(<object at 0x7f>)", ("my.module.Odd", "<object at 0x7f>")),
        ("ValueError('cut in the mid", ("ValueError", "'cut in the mid")),
        ("ValueError('it\\'s \\x1b \\u20ac \\\\d')", ("ValueError", "it's \x1b € \\d")),
        ("SyntaxError('invalid syntax', ('secret.py', 3, 1, 'x = (', 3, 2))", ("SyntaxError", "invalid syntax")),
        # Written by somebody's own `__repr__`: the compiler would warn, or work hard.
        ("Odd('C:\\data')", ("Odd", "'C:\\data'")),
        ("Odd(1is 1)", ("Odd", "1is 1")),
        ("Odd(%s)" % ("-" * 19000), ("Odd", "-" * 19000)),
        ("<odd>", ("Exception", "<odd>")),
        ("", ("Exception", "")),
    ],
)
def test_type_and_message_are_read_from_a_repr(text, told):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bobbin._told(text) == told


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_the_type_of_a_pickled_failure_is_read_without_loading_it(protocol):
    from distributed.scheduler import KilledWorker

    assert bobbin._pickled_type(pickle.dumps(KilledWorker("t", None, 3), protocol)) == "KilledWorker"
    assert bobbin._pickled_type(b"not a pickle") == "Exception"


@pytest.mark.parametrize(
    "address",
    ["ftp://x", "http://example.org:1", "http://10.0.0.1:8788", "https://h:1", "https://h:1#sha256=12", "x", "http://"],
)
def test_an_address_that_is_not_safe_is_no_target(address):
    with pytest.raises(ValueError):
        bobbin._target_of(address, "t")


def test_addresses_are_read():
    assert bobbin._target_of("unix:///a/b.sock", "t").path == "/a/b.sock"
    plain = bobbin._target_of("http://localhost", "t")
    assert (plain.host, plain.port, plain.pin) == ("localhost", 8788, None)
    pinned = bobbin._target_of("https://h:1#sha256=" + "AB" * 32, "t")
    assert (pinned.host, pinned.port, pinned.pin) == ("h", 1, "ab" * 32)


@pytest.mark.parametrize(
    ("home", "text", "told"),
    [
        ("/home/ada", "/home/ada/etl/clean.py", "~/etl/clean.py"),
        ("/home/ada", "reads file:///home/ada/x.csv, and (/home/ada/y)", "reads file://~/x.csv, and (~/y)"),
        ("/app", "/usr/src/app/x.py", "/usr/src/app/x.py"),
        ("/app", "/app/x.py:/opt/app/y.py", "~/x.py:/opt/app/y.py"),
        ("/home/ada", "/home/adam/x.py", "/home/adam/x.py"),
    ],
)
def test_the_home_folder_is_told_where_a_path_begins_with_it(monkeypatch, home, text, told):
    monkeypatch.setenv("HOME", home)
    assert bobbin._tilde(text) == told
