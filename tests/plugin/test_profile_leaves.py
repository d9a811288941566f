"""Dask's trees say how many samples went on below a frame; where they ended is repaired, and what is open stays open."""

import json
import sys
import threading
import time

import bobbin
import pytest
from distributed import profile
from profiles import check, paths


def node(count, **children):
    """A node of Dask's tree: `count` samples went on below it."""
    made = {"count": count, "children": {}}
    for name, child in children.items():
        made["children"]["%s;file.py;1" % name] = dict(
            child,
            identifier="%s;file.py;1" % name,
            description={"name": name, "filename": "file.py", "line_number": 3, "line": "a line of %s\n" % name},
        )
    return made


def read(tree, code=True):
    """(samples by stack, samples of which it is not known where they ended)"""
    frames, table = bobbin._ProfileFrames(code), bobbin._ProfileTable()
    for _ in table.add(tree, frames):
        pass
    stacks = []
    for parent, frame in zip(table.parents, table.frames):
        stacks.append((stacks[parent] if parent >= 0 else "") + frames.rows[frame][0])
    ended = {stacks[place]: count for place, count in enumerate(table.ended) if count}
    assert sum(ended.values()) + table.unattributed == tree["count"]
    return ended, table.unattributed


@pytest.mark.parametrize(
    ("tree", "ended", "unattributed"),
    [
        # An only child has all that ended below its caller, whether or not others went on through it.
        (node(9, f=node(9, g=node(0))), {"fg": 9}, 0),
        (node(9, f=node(4, g=node(0))), {"f": 5, "fg": 4}, 0),
        # Where all went on, nothing ended.
        (node(9, f=node(5, g=node(0)), h=node(4, g=node(0))), {"fg": 5, "hg": 4}, 0),
        # A frame that exists and from which nothing went on has one at least; who has the others cannot be told.
        (node(9, f=node(9, g=node(0), h=node(0))), {"fg": 1, "fh": 1}, 7),
        (node(2, f=node(2, g=node(0), h=node(0))), {"fg": 1, "fh": 1}, 0),
        (node(9, f=node(9, g=node(0), h=node(3, k=node(0)))), {"fg": 1, "fhk": 3}, 5),
        (node(9, f=node(9, g=node(3, k=node(0)), h=node(3, k=node(0)))), {"fgk": 3, "fhk": 3}, 3),
        (node(5, f=node(0), g=node(0)), {"f": 1, "g": 1}, 3),
        (node(0), {}, 0),
    ],
)
def test_what_ended_where(tree, ended, unattributed):
    assert read(tree) == (ended, unattributed)


def outer(stop, ready):
    ready.set()
    while not stop.is_set():
        one_of_two(stop)
        the_other(stop)


def one_of_two(stop):
    stop.wait(0.002)


def the_other(stop):
    stop.wait(0.001)


def test_leaves_that_were_counted_are_exact():
    """Dask's own sampler on a tree that counts, and beside it what each sample really was."""
    stop, ready = threading.Event(), threading.Event()
    thread = threading.Thread(target=outer, args=(stop, ready))
    thread.start()
    try:
        ready.wait()
        tree, expected = bobbin._counting_root(False), {}
        for _ in range(300):
            frame = sys._current_frames()[thread.ident]
            profile.process(frame, True, tree)
            # Asking a tree for its children, as Dask does when it merges, counts nothing.
            profile.merge(tree)
            names = []
            while frame is not None:
                names.append(frame.f_code.co_name)
                frame = frame.f_back
            expected["".join(reversed(names))] = expected.get("".join(reversed(names)), 0) + 1
            time.sleep(0.001)
    finally:
        stop.set()
        thread.join()
    ended, unattributed = read(tree)
    assert not unattributed and sum(ended.values()) == 300
    assert {"one_of_two", "the_other"} <= {name for path in ended for name in ("one_of_two", "the_other") if name in path}
    # The thread went on between the sample and the look beside it, now and then.
    assert sum(abs(ended.get(path, 0) - expected.get(path, 0)) for path in {*ended, *expected}) < 30


@pytest.mark.parametrize("code", [True, False])
def test_a_tree_that_counts_is_to_dask_as_any_other(code):
    counting, plain = bobbin._counting_root(code), profile.create()
    for _ in range(3):
        frame = sys._getframe()
        for tree in (counting, plain):
            profile.process(frame, True, tree)
    assert profile.merge(counting) == profile.merge(plain)


def lines(tree, code=True):
    """(samples that ended there, samples there or in what it called) by function and line, and texts by the same."""
    frames, table = bobbin._ProfileFrames(code), bobbin._ProfileTable()
    for _ in table.add(tree, frames):
        pass
    places = {number: (frames.rows[frame][0], line) for number, (frame, line, _) in enumerate(frames.lines)}
    counts = {places[number]: tuple(both) for number, both in table.lines.items()}
    return counts, {places[number]: text for number, (_, _, text) in enumerate(frames.lines)}


def calls_itself(depth, look):
    if depth:
        calls_itself(depth - 1, look)
    else:
        look(sys._getframe())


def test_each_line_has_its_samples_and_one_that_calls_itself_has_them_once():
    tree, first = bobbin._counting_root(True), calls_itself.__code__.co_firstlineno

    def look(frame):
        # As a worker does of a thread that it looks at: the innermost frame is that of the function itself.
        profile.process(frame, True, tree)

    for depth in (0, 2, 2, 5):
        calls_itself(depth, look)
    counts, texts = lines(tree)
    inner, outer = ("calls_itself", first + 4), ("calls_itself", first + 2)
    # All four ended at the last line, and in three of them the outermost one was at the call.
    assert counts[inner] == (4, 1) and counts[outer] == (0, 3)
    assert texts[inner] == "look(sys._getframe())" and texts[outer] == "calls_itself(depth - 1, look)"
    here = [both for (name, _), both in counts.items() if name.startswith("test_each_line")]
    assert here == [(0, 4)]
    # Where code is off, none are counted, also of a tree that has them.
    assert lines(tree, code=False) == ({}, {})
    plain = bobbin._counting_root(False)
    profile.process(sys._getframe(), True, plain)
    assert lines(plain) == ({}, {})


def test_lines_beyond_the_bounds_are_their_functions_other_lines(monkeypatch):
    monkeypatch.setattr(bobbin, "NODE_LINES", 3)
    source = "def many(look):\n" + "".join("    look(sys._getframe())\n" for _ in range(9))
    names = {"sys": sys}
    exec(compile(source, "made_up.py", "exec"), names)
    tree = bobbin._counting_root(True)
    names["many"](lambda frame: profile.process(frame, True, tree))
    counts, texts = lines(tree)
    many = {line: both for (name, line), both in counts.items() if name == "many"}
    assert many == {2: (1, 1), 3: (1, 1), 4: (1, 1), 0: (6, 6)}
    # No such file is there.
    assert texts["many", 2] is None
    monkeypatch.setattr(bobbin, "LINES", 2)
    frames, table = bobbin._ProfileFrames(True), bobbin._ProfileTable()
    list(table.add(tree, frames))
    assert sum(both[1] for both in table.lines.values()) == sum(both[1] for both in counts.values())
    assert sum(1 for _, line, _ in frames.lines if line) == 2


def test_a_sampler_that_names_its_frames_otherwise_goes_on_without_lines():
    node = {}
    bobbin._LineChildren().__setitem__("f", node)
    assert node["seen"] == 1 and node["lines"] == ({}, {})


def test_without_code_no_line_is_read():
    tree = node(2, f=node(2, g=node(0)))
    for code, texts in ((True, ["a line of f", "a line of g"]), (False, [None, None])):
        frames = bobbin._ProfileFrames(code)
        list(bobbin._ProfileTable().add(tree, frames))
        assert [row[3] for row in frames.rows] == texts


def a_table(callers, inner, first=1000):
    """`callers` stacks of one frame that call each one of `inner` others; those of the n-th have n samples each."""
    table = bobbin._ProfileTable()
    for caller in range(callers):
        outer = table.place(-1, caller, 10**6)
        for called in range(inner):
            place = table.place(outer, first + called, 10**6)
            table.ended[place] = caller + 1
    return table


def merged(*tables):
    """Records of one interval in which each worker gave one table."""
    merge = bobbin._ProfileMerge(bobbin.Settings(), bobbin._Clock())
    for table in tables:
        pack = bobbin._ProfilePack(True)
        for number in range(max(table.frames) + 1):
            pack.frames.number(["f%d" % number, "/folder/file.py", number, None])
        pack.tables["p"] = table
        pack.start = pack.stop = time.time()
        *_, data = pack.bytes(10000)
        list(merge.take("pack", data))
    return [row for _, _, row in merge.take("end", None, merge.clock.now(), True)]


def test_workers_are_merged_by_prefix():
    (record,) = merged(a_table(3, 2), a_table(3, 2), a_table(2, 2))
    check(record)
    assert record["samples"] == 12 + 12 + 6 and len(record["stacks"]["parent"]) == 9
    assert record["unattributed"] == 0


def test_thin_stacks_are_left_out_and_their_samples_counted():
    (record,) = merged(a_table(200, 150))
    check(record)
    assert len(record["stacks"]["parent"]) == 20000
    there = paths([record])
    assert there["f199", "f1000"] == 200 and not there["f0", "f1000"]
    assert record["samples"] == 150 * 200 * 201 // 2
    assert 0 < record["unattributed"] < record["samples"] / 4


def test_however_much_comes_in_a_bounded_amount_is_kept():
    # Every worker has stacks that no other has.
    tables = [a_table(150, 130, 1000 * number) for number in range(1, 5)]
    (record,) = merged(*tables)
    check(record)
    assert record["samples"] == 4 * 130 * 150 * 151 // 2
    assert len(record["stacks"]["parent"]) <= 20000


def test_a_stack_of_a_thousand_frames_is_read():
    inner = node(0)
    for number in range(900):
        inner = node(5, **{"f%d" % number: inner})
    ended, unattributed = read(inner)
    assert list(ended.values()) == [5] and not unattributed


def test_a_long_record_is_written_as_a_short_one_is():
    record = {"kind": "profile", "a": list(range(5000)), "b": {"c": ["text"] * 2500, "d": None}, "e": []}
    assert json.loads(bobbin._encode_long(record)) == record
    assert bobbin._encode_long(record) == bobbin._encode(record)
