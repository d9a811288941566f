"""More kinds of failures than are told one by one: what is over is counted."""

import string
from itertools import islice, product

import bobbin
from clusters import client_of
from distributed import wait
from reports import latest, records, until

client = client_of(1, 4, register=True)
OVER = 7


def refuse(word):
    raise type(word, (ValueError,), {})("no")


def words(count):
    """Of letters only: numbers do not make another kind."""
    return ["".join(letters) for letters in islice(product(string.ascii_lowercase, repeat=3), count)]


def test_the_kinds_after_the_thousandth_are_counted_as_lost_and_the_others_go_on(client, settings):
    def told():
        return latest(settings / "out", "exception", "exception_id").values()

    def lost():
        rows = [row for row in records(settings / "out", "dropped") if row["what"] == "exception"]
        assert {row["reason"] for row in rows} <= {"too_many"}
        return sum(row["count"] for row in rows)

    def erred():
        return records(settings / "out", "sample")[-1]["totals"]["tasks_erred"]

    failed = client.map(refuse, words(bobbin.FAILURES + OVER), key=[("refuse", place) for place in range(bobbin.FAILURES + OVER)])
    wait(failed)
    until(lambda: (len(told()), lost(), erred()) == (bobbin.FAILURES, OVER, bobbin.FAILURES + OVER), 60)
    types = {row["exception_type"] for row in told()}
    assert types < set(words(bobbin.FAILURES + OVER))
    known = min(types)
    (unknown, *_) = set(words(bobbin.FAILURES + OVER)) - types
    # One more of each: a kind that is known counts on, the other is one more that is lost.
    again = [client.submit(refuse, word, key=("refuse", word)) for word in (known, unknown)]
    wait(again)
    until(lambda: (erred(), lost()) == (bobbin.FAILURES + OVER + 2, OVER + 1), 30)
    until(lambda: sum(row["count"] for row in told()) == bobbin.FAILURES + 1, 30)
    assert [row["count"] for row in told() if row["exception_type"] == known] == [2]
    # Nothing is counted twice, and nothing is forgotten.
    assert sum(row["count"] for row in told()) + lost() == erred()


def refuse_to(x):
    raise ValueError("no")


def refuse_else(x):
    raise RuntimeError("no")


def test_a_function_that_fails_time_and_again_leaves_room_for_others(client, settings, monkeypatch):
    monkeypatch.setattr(bobbin, "FAILURES", 20)

    def told():
        return latest(settings / "out", "exception", "exception_id").values()

    # As collections name their tasks: each call is a group of its own.
    for number in range(40):
        wait(client.submit(refuse_to, number, key=("refuse_to-%032x" % number, 0)))
    wait(client.submit(refuse_else, 1))
    until(lambda: sum(row["count"] for row in told()) == 41, 30)
    assert [row["count"] for row in told() if row["exception_type"] == "RuntimeError"] == [1]
    counts = sorted(row["count"] for row in told() if row["exception_type"] == "ValueError")
    # The first ones each for itself, then those of other groups with the latest of them.
    assert counts == [1] * 9 + [31]
    assert not records(settings / "out", "dropped")


def refuse_this(word):
    raise KeyError(word)


def test_a_function_that_never_fails_with_the_same_words_leaves_room_for_others(client, settings, monkeypatch):
    monkeypatch.setattr(bobbin, "FAILURES", 20)

    def told():
        return latest(settings / "out", "exception", "exception_id").values()

    for word in words(40):
        wait(client.submit(refuse_this, word))
    wait(client.submit(refuse_else, 1))
    until(lambda: sum(row["count"] for row in told()) == 41, 30)
    assert [row["count"] for row in told() if row["exception_type"] == "RuntimeError"] == [1]
    counts = sorted(row["count"] for row in told() if row["exception_type"] == "KeyError")
    # The first ones each for itself, then those of other words with the latest of them.
    assert counts == [1] * 14 + [26]
    assert not records(settings / "out", "dropped")
