"""Events that are not sent are counted by the name of their topic."""

from collections import defaultdict, deque
from types import SimpleNamespace

import bobbin
import dask
import pytest
from clusters import client_of
from reports import records, until

client = client_of(1, 1)


def counts(folder):
    found = {}
    for row in records(folder, "event"):
        if row["count"] is not None:
            assert row["payload"] is None
            found[row["topic"]] = row["count"]
    return found


@pytest.mark.parametrize("allowed", [None, [], False])
def test_topics_that_are_not_allowed_are_counted(client, settings, allowed):
    with dask.config.set({"bobbin.events.allow": allowed}):
        bobbin.register(client)
    for number in range(7):
        client.log_event("mine", {"secret": number})
    client.run(lambda dask_worker: dask_worker.log_event("theirs", "x"))
    found = until(lambda: counts(settings / "out") if counts(settings / "out").get("theirs") else None)
    assert (found["mine"], found["theirs"]) == (7, 1)
    assert not [row for row in records(settings / "out", "event") if row["topic"] == "mine" and row["payload"]]
    if allowed is not None:
        assert {row["payload"] for row in records(settings / "out", "event")} == {None}
    client.log_event("mine", 8)
    until(lambda: counts(settings / "out")["mine"] == 8)


def test_the_topics_of_single_workers_and_clients_are_summed(client, settings):
    with dask.config.set({"bobbin.events.allow": "*"}):
        bobbin.register(client)
        client.cluster.scale(3)
        client.log_event("Client-of-mine", 1)
        found = until(lambda: counts(settings / "out") if len(counts(settings / "out")) >= 2 else None)
    assert found["(workers)"] >= 2 and found["(clients)"] >= 1
    assert not [topic for topic in found if "://" in topic or topic.startswith("Client-")]


NAMED = list(bobbin.DEFAULT_TOPICS)


@pytest.mark.parametrize(
    "allowed, routine",
    [(None, False), (NAMED, False), (NAMED[::-1], False), (",".join(NAMED), False), (NAMED + ["mine"], True), (["all"], True)],
    ids=["default", "named", "in another order", "as a text", "one more", "fewer"],
)
def test_the_default_topics_mean_the_same_where_they_are_named(client, settings, allowed, routine):
    with dask.config.set({"bobbin.events.allow": allowed}):
        bobbin.register(client)
    assert client.submit(abs, -1).result() == 1
    client.log_event("all", {"action": "last"})

    def told():
        actions = {row["payload"].get("action") for row in records(settings / "out", "event") if isinstance(row["payload"], dict)}
        return actions if "last" in actions else None

    assert bool(until(told) & set(bobbin.ROUTINE)) == routine
    assert ("all" in counts(settings / "out")) == (not routine)


def test_so_many_topics_are_counted_by_name_and_the_rest_together(client, settings, monkeypatch):
    monkeypatch.setattr(bobbin, "TOPICS", 10)
    bobbin.register(client)
    for number in range(40):
        client.log_event("topic %d" % number, 1)
    found = until(lambda: counts(settings / "out") if sum(counts(settings / "out").values()) >= 40 else None)
    assert len(found) <= 11 and found["(others)"] >= 30


@pytest.mark.parametrize(
    "message",
    [
        {"action": ["not", "a", "word"], "n": 1},
        {"action": {}, "n": 1},
        {"action": "restart-workers", "workers": 3, "n": 1},
        {"action": "remove-worker", "worker": {}, "n": 1},
    ],
)
def test_an_event_of_the_users_may_look_like_one_of_dasks(client, settings, message):
    with dask.config.set({"bobbin.events.allow": ["all"]}):
        bobbin.register(client)
    client.log_event("all", message)
    (found,) = until(lambda: [row for row in records(settings / "out", "event") if row["payload"] and "n" in row["payload"]])
    assert found["payload"]["n"] == 1


def test_an_event_is_read_up_to_a_bound():
    kept = bobbin._plain({"list": ["x" * 3 * 10**6] * 100, "head": 1}, [5000])
    assert sum(map(len, kept["list"])) < 2 * 10**6
    assert kept["list"][0].endswith("[%d characters cut]" % (3 * 10**6 - bobbin.LONG_TEXT))
    assert kept["list"][-1] == "[%d parts cut]" % (101 - len(kept["list"])) and kept["[cut]"] == 1
    assert bobbin._plain({str(number): number for number in range(6000)}, [5000])["[cut]"] == 6000 - 4999


def test_an_event_that_no_hook_told_is_found_once_even_if_its_message_is_as_another():
    scheduler = SimpleNamespace(event_counts=defaultdict(int), events=defaultdict(deque))
    topics = bobbin._ManyTopics(scheduler)
    for message, told in ((1, True), (1, False), ({"action": "mine"}, False), (1, True)):
        scheduler.events["a"].append((5.0, message))
        scheduler.event_counts["a"] += 1
        if told:
            topics.told("a", message)
    found = [message for _, _, message in topics.missed()]
    assert len(found) == 2 and 1 in found and {"action": "mine"} in found
    assert not list(topics.missed())


def test_what_is_logged_while_many_topics_are_gone_through_is_left_to_the_next_look(monkeypatch):
    monkeypatch.setattr(bobbin, "SLICE_TOPICS", 10)
    scheduler = SimpleNamespace(event_counts=defaultdict(int), events=defaultdict(deque))
    topics = bobbin._ManyTopics(scheduler)

    def log(topic, message, told=False):
        scheduler.events[topic].append((5.0, message))
        scheduler.event_counts[topic] += 1
        if told:
            topics.told(topic, message)

    for number in range(45):
        log("topic %d" % number, {"first": number})
    found, pauses = [], 0
    for event in topics.missed():
        if event is None:
            pauses += 1
            for number in (0, 44):
                log("topic %d" % number, {"told": pauses}, told=True)
                log("topic %d" % number, {"later": pauses})
        else:
            found.append(event[2])
    assert pauses == 4 and found == [{"first": number} for number in range(45)]
    later = [event[2] for event in topics.missed() if event is not None]
    assert sorted(one["later"] for one in later) == [1, 1, 2, 2, 3, 3, 4, 4]


def test_what_dask_held_no_more_when_it_was_looked_for_is_counted():
    scheduler = SimpleNamespace(event_counts=defaultdict(int), events=defaultdict(lambda: deque(maxlen=10)))
    topics = bobbin._ManyTopics(scheduler)
    messages = [{"number": number} for number in range(25)]
    for number, message in enumerate(messages):
        scheduler.events["a"].append((5.0, message))
        scheduler.event_counts["a"] += 1
        if number % 5 == 0:
            topics.told("a", message)
    assert [message["number"] for _, _, message in topics.missed()] == [16, 17, 18, 19, 21, 22, 23, 24]
    # Of 25 five were told and eight are found.
    assert topics.gone == {"a": 12}


@pytest.mark.parametrize("allowed", [True, False], ids=["allowed", "counted"])
def test_events_that_nobody_holds_any_more_are_told_as_dropped_or_with_their_topic(client, settings, allowed):
    bobbin.register(client)
    run = client.cluster.scheduler.plugins["bobbin"]._run
    topic = "all" if allowed else "quiet"
    run.many_topics.gone[topic] += 7

    def lost():
        out = settings / "out"
        if allowed:
            return sum(row["count"] for row in records(out, "dropped") if row["what"] == "event")
        return max([row["count"] for row in records(out, "event") if row["topic"] == topic and row["payload"] is None], default=0)

    until(lambda: lost() == 7)


def test_of_a_scheduler_that_keeps_no_events_nothing_is_looked_for():
    topics = bobbin._ManyTopics(SimpleNamespace())
    topics.told("a", 1)
    assert not list(topics.missed())


def test_a_look_at_many_topics_that_is_left_tells_nothing_twice(monkeypatch):
    monkeypatch.setattr(bobbin, "SLICE_TOPICS", 10)
    scheduler = SimpleNamespace(event_counts=defaultdict(int), events=defaultdict(deque))
    topics = bobbin._ManyTopics(scheduler)
    for number in range(45):
        scheduler.events["t%d" % number].append((5.0, number))
        scheduler.event_counts["t%d" % number] += 1
        if number != 40:
            topics.told("t%d" % number, number)
    look = topics.missed()
    assert next(look) is None
    look.close()
    assert [message for message in topics.missed() if message] == [(5.0, "t40", 40)]
    assert not topics.known


@pytest.mark.parametrize(
    ("topic", "whose"),
    [
        ("tcp://10.0.0.7:40123", "(workers)"),
        ("inproc://10.0.0.7/1/2", "(workers)"),
        ("Client-1f2e", "(clients)"),
        ("s3://bucket/done", None),
        ("see tcp://10.0.0.7:1", None),
    ],
)
def test_a_topic_is_a_workers_by_its_address_alone(topic, whose):
    assert bobbin._of_topic(topic) == whose


def test_why_workers_go_is_told_by_dask_alone(client, monkeypatch):
    bobbin.register(client)
    scheduler, causes = client.cluster.scheduler, []
    workers = scheduler.plugins["bobbin"]._run.workers
    monkeypatch.setattr(workers, "why", lambda address, cause, expected=None: causes.append(cause))
    for topic in ("mine", "scheduler"):
        for action in ("restart-workers", "retire-workers"):
            scheduler.log_event(topic, {"action": action, "workers": ["tcp://10.0.0.7:1"]})
    assert causes == []
    scheduler.log_event("all", {"action": "restart-workers", "workers": ["tcp://10.0.0.7:1"]})
    assert causes == ["restart by request"]
