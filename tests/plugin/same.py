"""What the plugin wrote against what `workload.py` heard from Dask's own scheduler. An assertion tells the first difference."""

import math
import re
from collections import Counter

from reports import latest, records

# By environment, what that release does not tell. Never a zero: the field is null, or the record is not there.
LACKING = {
    "oldest": {"queued", "spans", "metrics", "idle_since", "threads_history", "lost_workers", "memory_kills"},
    "2022": {"spans", "metrics", "idle_since", "threads_history", "lost_workers", "memory_kills"},
    "2023": {"spans", "threads_history", "lost_workers", "memory_kills"},
    "2024": {"lost_workers"},
    "2025": set(),
    "newest": set(),
    "newest-python": set(),
    "python-3.14": set(),
}
ACTIVITIES = {"compute": "compute", "transfer": "transfer", "disk-read": "disk_read", "disk-write": "disk_write"}
ACTIVITIES["deserialize"] = "deserialize"
DIGITS = re.compile(r"\d+")
FRAME = ("code", "filename", "line", "line_relative")


def micros(seconds):
    return round(seconds * 1e6) if seconds else None


def pairs(groups, rows):
    """Dask's groups with the plugin's rows: by name, and groups of one name in the order of their start."""

    def by_name(things, start):
        found = {}
        for thing in sorted(things, key=lambda thing: start(thing) or math.inf):
            found.setdefault(thing["name"], []).append(thing)
        return found

    ours = by_name(rows, lambda row: row["start_micros"])
    theirs = by_name(groups, lambda group: group["start"])
    assert {name: len(rows) for name, rows in ours.items()} == {name: len(groups) for name, groups in theirs.items()}
    return [(group, row) for name in theirs for group, row in zip(theirs[name], ours[name])]


def same_groups(said, folder, lacking):
    matched = pairs(said["groups"], latest(folder, "task_group", "group_id").values())
    ids = {said["groups"].index(group): row["group_id"] for group, row in matched}
    for group, row in matched:
        name = group["name"]
        assert row["prefix"] == group["prefix"], name
        assert {state: count for state, count in row["states"].items() if count} == group["states"], name
        assert ("queued" in row["states"]) == ("queued" not in lacking), name
        seconds = {ACTIVITIES[activity]: value for activity, value in group["seconds"].items()}
        for activity, value in row["seconds"].items():
            assert math.isclose(value, seconds.get(activity, 0.0), abs_tol=1e-6), (name, activity)
        assert set(seconds) <= set(row["seconds"]), name
        assert (row["result_bytes"], row["types"]) == (group["result_bytes"], group["types"]), name
        assert (row["start_micros"], row["stop_micros"]) == (micros(group["start"]), micros(group["stop"])), name
        assert sorted(row["dependencies"]) == sorted(ids[place] for place in group["dependencies"]), name
        assert row["span_id"] == (None if "spans" in lacking else group["span_id"]), name
        same_durations(group["compute_seconds"], row["durations"], name)
        assert row["retried"] == (1 if name == "second_time_lucky" else 0), name
    return ids


def same_durations(seconds, told, name):
    """The time of single tasks: exact but for the two quantiles, which come from a sketch of 2 %."""
    if not seconds:
        assert told is None, name
        return
    mean = sum(seconds) / len(seconds)
    assert told["count"] == len(seconds), name
    assert math.isclose(told["mean_seconds"], mean, rel_tol=1e-5, abs_tol=2e-6), name
    assert math.isclose(told["max_seconds"], max(seconds), abs_tol=2e-6), name
    spread = math.sqrt(sum((one - mean) ** 2 for one in seconds) / len(seconds))
    assert math.isclose(told["std_seconds"], spread, rel_tol=1e-3, abs_tol=5e-6), name
    ordered = sorted(seconds)
    for share, field in ((0.5, "p50_seconds"), (0.95, "p95_seconds")):
        place = share * (len(ordered) - 1)
        low, high = ordered[math.floor(place)], ordered[math.ceil(place)]
        assert low * 0.975 - 2e-6 <= told[field] <= high * 1.025 + 2e-6, (name, field)


def same_computations(said, folder, ids):
    told = latest(folder, "computation", "computation_id")
    assert set(told) == {one["id"] for one in said["computations"]}
    for one in said["computations"]:
        record = told[one["id"]]
        assert sorted(record["groups"]) == sorted(ids[place] for place in one["groups"])
        states = {}
        for place in one["groups"]:
            for state, count in said["groups"][place]["states"].items():
                states[state] = states.get(state, 0) + count
        assert {state: count for state, count in record["states"].items() if count} == states
        if one["groups"]:
            assert record["start_micros"] == micros(one["start"])
        if one["stop"] > 0:
            assert record["stop_micros"] == micros(one["stop"])


def same_code(said, folder):
    """Every frame of every computation, whole; each once."""
    told = {}
    for record in records(folder, "computation"):
        if "code" in record:
            told[record["computation_id"]] = [[frame[part] for part in FRAME] for frame in record["code"]]
    expected = {}
    for one in said["computations"]:
        frames = one["code"]
        expected[one["id"]] = [frame for place, frame in enumerate(frames) if frame not in frames[:place]]
    assert told == {name: frames for name, frames in expected.items() if frames}


def same_spans(said, folder, ids):
    told = latest(folder, "span", "span_id")
    if said["spans"] is None:
        assert told == {}
        return
    assert set(told) == {one["id"] for one in said["spans"]}
    for one in said["spans"]:
        record = told[one["id"]]
        assert (record["parent_id"], record["tags"], record["name"]) == (one["parent_id"], one["tags"], one["tags"][-1])
        assert sorted(record["groups"]) == sorted(ids[place] for place in one["groups"])
        times = [record[name] for name in ("start_micros", "stop_micros", "enqueued_micros")]
        assert times == [micros(one[name]) for name in ("start", "stop", "enqueued")]


def same_metrics(said, folder):
    """Execution by prefix, activity and unit: those of all spans together are the scheduler's."""
    rows = records(folder, "metric")
    if said["metrics"] is None:
        assert rows == []
        return
    newest = {}
    for row in rows:
        newest[tuple(row[part] for part in ("span_id", "context", "prefix", "activity", "unit"))] = row["value"]
    told = {}
    for (_, context, prefix, activity, unit), value in newest.items():
        if context == "execute":
            key = context, prefix, activity, unit
            told[key] = told.get(key, 0) + value
    expected = {tuple(key): value for key, value in said["metrics"] if key[0] == "execute"}
    assert set(told) == set(expected)
    for key, value in expected.items():
        assert math.isclose(told[key], value, rel_tol=1e-4, abs_tol=2e-6), key


def same(said, folder, lacking=frozenset()):
    """All of it."""
    ids = same_groups(said, folder, lacking)
    same_computations(said, folder, ids)
    same_code(said, folder)
    same_spans(said, folder, ids)
    same_metrics(said, folder)
    same_exceptions(said, folder, ids)
    same_cluster(said, folder, lacking)


def same_exceptions(said, folder, ids):
    """Failures that are alike are one: texts that differ by their numbers alone, in one group."""
    names = {ids[place]: group["name"] for place, group in enumerate(said["groups"]) if place in ids}
    told = {}
    for row in latest(folder, "exception", "exception_id").values():
        assert row["origin"] == "user" and row["worker"] and row["group"] == names[row["group_id"]]
        assert row["first_seen_micros"] <= row["last_seen_micros"]
        told[row["group"], DIGITS.sub("#", "%s(%r)" % (row["exception_type"], row["message"]))] = row
    expected = {}
    for one in said["exceptions"]:
        expected.setdefault((one["group"], DIGITS.sub("#", one["text"])), []).append(one)
    assert set(told) == set(expected)
    for key, alike in expected.items():
        row = told[key]
        assert (row["count"], row["dependents"]) == (len(alike), sum(one["dependents"] for one in alike)), key
        assert DIGITS.sub("#", row["traceback"]) == DIGITS.sub("#", alike[0]["traceback"]), key
        assert row["worker"] in {address for one in alike for address in one["workers"]}, key


def same_cluster(said, folder, lacking):
    for what, there in (("spans", said["spans"]), ("metrics", said["metrics"]), ("queued", said["has_queue"] or None)):
        assert (there is None) == (what in lacking)
    about, sample = records(folder, "cluster")[-1], records(folder, "sample")[-1]
    assert set(about["unavailable"]) & set().union(*LACKING.values()) == lacking
    for ours, theirs in (("host_versions", "host"), ("versions", "packages")):
        expected = {name: value if value is None else str(value) for name, value in dict(said["versions"][theirs]).items()}
        # One more than some releases look for.
        assert about[ours] == dict(about[ours], **expected) and set(about[ours]) - set(expected) <= {"pyarrow"}, theirs
    assert abs(about["started_micros"] / 1e6 - said["started"]) < 1e-5
    assert about["scheduler_address"] == said["address"]
    if "cluster_class" in said:
        assert (about["cluster_class"], about["name"]) == (said["cluster_class"], said["name"])
    assert sample["workers"] == said["workers"] and sample["threads"] == said["threads"]
    assert sample["memory_limit_bytes"] == said["memory_limit"]
    assert sample["totals"]["tasks_retried"] == 1
    assert sample["totals"]["tasks_erred"] == 3


def same_events(said, folder):
    """Of a plugin that was there from the start and may send every topic: each event of Dask's. Those of single workers and clients
    are told as numbers."""
    ours, counts, alone = {}, {}, Counter()
    for row in records(folder, "event"):
        if row["count"] is None:
            action = row["payload"].get("action") if isinstance(row["payload"], dict) else None
            ours.setdefault(row["topic"], []).append(action)
        else:
            counts[row["topic"]] = row["count"]
    for topic, actions in said["events"].items():
        if "://" in topic or topic.startswith("Client-"):
            alone["(workers)" if "://" in topic else "(clients)"] += len(actions)
        else:
            # What came since is told as well.
            assert not Counter(actions) - Counter(ours.get(topic, ())), topic
    assert alone["(workers)"] and all(counts[topic] >= count for topic, count in alone.items())
