"""Reads profile records, and checks what holds for each of them."""

from collections import Counter

from reports import records


def checked(folder):
    """All profiles of one instance, well-formed."""
    found = records(folder, "profile")
    for record in found:
        check(record)
    intervals = sorted({(record["from_micros"], record["to_micros"]) for record in found})
    for (_, stop), (start, _) in zip(intervals, intervals[1:]):
        assert stop <= start
    once = [(record["prefix"], record["from_micros"]) for record in found]
    assert len(once) == len(set(once))
    return found


def check(record):
    frames, stacks = record["frames"], record["stacks"]
    assert len({len(column) for column in frames.values()}) == 1
    assert len(stacks["parent"]) == len(stacks["frame"]) <= 20000
    texts = range(len(record["strings"]))
    assert all(text in texts for column in ("name", "file") for text in frames[column])
    assert all(text is None or text in texts for text in frames["text"])
    assert len(set(record["strings"])) == len(record["strings"])
    assert all(-1 <= parent < place for place, parent in enumerate(stacks["parent"]))
    assert all(0 <= frame < len(frames["name"]) for frame in stacks["frame"])
    pairs = list(zip(stacks["parent"], stacks["frame"]))
    assert len(set(pairs)) == len(pairs)
    places, counts = record["leaves"]["stack"], record["leaves"]["count"]
    assert len(places) == len(set(places)) == len(counts)
    assert all(place in range(len(pairs)) for place in places) and all(count > 0 for count in counts)
    assert sum(record["leaves"]["count"]) + record["unattributed"] == record["samples"] > 0
    assert_lines(record)
    assert record["from_micros"] <= record["to_micros"] and record["sample_micros"] == 10000


def assert_lines(record):
    """Each once, and all of a function no more than the function."""
    lines = record.get("lines", {"frame": [], "line": [], "text": [], "ended": [], "samples": []})
    assert len({len(column) for column in lines.values()}) == 1
    places = list(zip(lines["frame"], lines["line"]))
    assert len(set(places)) == len(places)
    assert all(frame in range(len(record["frames"]["name"])) and line != 0 for frame, line in places)
    assert all(text is None or text in range(len(record["strings"])) for text in lines["text"])
    summed = Counter()
    for (frame, _), ended, count in zip(places, lines["ended"], lines["samples"]):
        assert ended >= 0 and count >= 0
        summed[frame] += count
    assert all(count <= record["samples"] for count in summed.values())


def by_line(found):
    """[samples that ended there, samples there or in what it called] by function, line and text."""
    made = {}
    for record in found:
        strings, frames, lines = record["strings"], record["frames"], record.get("lines")
        for frame, line, text, ended, count in zip(*(lines or {}).values()):
            place = (strings[frames["name"][frame]], line, None if text is None else strings[text])
            both = made.setdefault(place, [0, 0])
            both[0] += ended
            both[1] += count
    return made


def samples(found):
    """Samples by prefix."""
    made = Counter()
    for record in found:
        made[record["prefix"]] += record["samples"]
    return dict(made)


def paths(found):
    """Samples by the names of their stack, outermost first."""
    made = Counter()
    for record in found:
        names = [record["strings"][name] for name in record["frames"]["name"]]
        stacks = []
        for parent, frame in zip(record["stacks"]["parent"], record["stacks"]["frame"]):
            stacks.append((stacks[parent] if parent >= 0 else ()) + (names[frame],))
        for place, count in zip(record["leaves"]["stack"], record["leaves"]["count"]):
            made[stacks[place]] += count
    return made


def innermost(found):
    made = Counter()
    for path, count in paths(found).items():
        made[path[-1]] += count
    return made


def totals(dask_worker):
    """What the worker itself has counted, by prefix; runs there."""
    made = {}
    for _, trees in [*dask_worker.profile_keys_history, (0, dask_worker.profile_keys)]:
        for prefix, tree in trees.items():
            made[prefix] = made.get(prefix, 0) + tree["count"]
    return made
