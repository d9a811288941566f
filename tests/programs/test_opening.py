"""The file as it is, opened by programs that know nothing of Bobbin: Datasette over its own door, and pandas."""

import json
import re
import sqlite3
import subprocess
import sys
import time
import urllib.parse
import urllib.request

import pandas
import pytest
from conftest import SECOND, Page, batch, event, failure, profile, records

CODE, MESSAGE, PAYLOAD = b"zqcanarycode", b"zqcanarymessage", b"zqcanarypayload"
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
# Some rows for each of the tables that people ask about most.
HOURS = """
select c.shown_name as name, sum(h.tasks_completed) as tasks, sum(h.compute_micros) / 1e6 as compute_seconds
from cluster_hour as h join cluster as c on c.id = h.cluster_id
group by c.id order by c.id
"""


@pytest.fixture
def store(bobbin):
    now = int(time.time() * 1e6)
    start, end, lines = records("<b>first</b>", start=now - 3600 * SECOND, more=[failure(now), event(now)])
    lines.insert(-1, profile(start, end))
    bobbin.told(("first", (start, end, lines)), ("old", records("old", start=now - 30 * 86400 * SECOND)))
    return bobbin


class Datasette:
    """The real program over one file, on a port that it chooses."""

    def __init__(self, file):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "datasette", "serve", str(file), "--host", "127.0.0.1", "--port", "0"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = []
        for line in self.process.stderr:
            said.append(line)
            if found := re.search(r"running on (http://[0-9.]+:\d+)", line):
                self.origin = found.group(1)
                return
        pytest.fail("Datasette did not start: " + "".join(said))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=60)
        self.process.stderr.close()

    def get(self, path, **asked):
        with OPENER.open(self.origin + path + "?" + urllib.parse.urlencode(asked), timeout=60) as answer:
            return answer.read()

    def rows(self, path, **asked):
        return json.loads(self.get(path, _shape="array", **asked))


def test_datasette_shows_each_table_and_answers_sql(store):
    told = store.ask("clusters")["rows"]
    with Datasette(store.folder / "bobbin.sqlite") as datasette:
        assert [(row["id"], row["shown_name"], row["user"]) for row in datasette.rows("/bobbin/cluster.json", _sort="id")] == [
            (row["id"], row["name"], row["user"]) for row in sorted(told, key=lambda row: row["id"])]
        hours = datasette.rows("/bobbin.json", sql=HOURS)
        assert [(row["name"], row["tasks"]) for row in hours] == [("<b>first</b>", 40), ("old", 40)]
        page = datasette.get("/bobbin/cluster").decode()
        assert "&lt;b&gt;first&lt;/b&gt;" in page and "<b>first</b>" not in page
        # Each table and view can be looked at, and none tells what is sealed.
        shown = json.loads(datasette.get("/bobbin.json"))
        names = [one["name"] for one in shown["tables"] + shown["views"]]
        assert {"cluster", "task_group", "exception", "profile", "gap"} <= set(names), names
        for name in names:
            path = "/bobbin/" + urllib.parse.quote(name)
            answers = datasette.get(path), datasette.get(path + ".json", _shape="array")
            for answer in answers:
                assert not any(canary in answer for canary in (CODE, MESSAGE, PAYLOAD)), name


def test_datasette_reads_beside_bobbin_and_leaves_the_file_as_it_is(store):
    file = store.folder / "bobbin.sqlite"
    before = file.read_bytes()
    with Datasette(file) as datasette:
        assert len(datasette.rows("/bobbin/cluster.json")) == 2
    assert file.read_bytes() == before
    process, listening = store.serve()
    try:
        with Datasette(file) as datasette:
            _, end, lines = records("later")
            store.post(listening, batch("later", lines, end))
            asked = {"sql": "select count(*) as n from cluster where shown_name = :name", "name": "later"}
            assert datasette.rows("/bobbin.json", **asked) == [{"n": 1}]
    finally:
        process.terminate()
        assert process.wait(timeout=120) == 0


def copied(page, command, /, **request):
    """What a panel asks, as *Copy as SQL* gives it, statement by statement: Datasette takes one at a time."""
    statements, text = [], ""
    for line in page.ask("copy_sql", command=command, request=json.dumps(request))["sql"].splitlines(keepends=True):
        text += line
        if sqlite3.complete_statement(text):
            statements.append(text)
            text = ""
    assert statements and not text, (command, text)
    return statements


def test_datasette_runs_what_panels_ask_and_finds_the_same_rows(store):
    process, listening = store.serve("--ui")
    try:
        page = Page(listening)
        with Datasette(store.folder / "bobbin.sqlite") as datasette:
            def ran(statement):
                return datasette.rows("/bobbin.json", sql=statement)

            # Two letters are found by the index of texts; one, and parts of names, by a function that Datasette does not have.
            for text, by, names in (
                ("ld", " match ", ["old"]), ("name:FIRST", "instr(", ["<b>first</b>"]), ("o -name:first", "instr(", ["old"]),
                ("name:%", "instr(", []),
            ):
                rows = page.ask("clusters", text=text)["rows"]
                assert [row["name"] for row in rows] == names, text
                statements = copied(page, "clusters", text=text)
                answers = [ran(one) for one in statements]
                ids = [row["id"] for row in rows]
                assert [row["id"] for row in answers[-1]] == ids, text
                finding = [answer for one, answer in zip(statements, answers) if by in one][-1]
                assert sorted(next(iter(row.values())) for row in finding) == sorted(ids), text
            for command, request in (
                ("overview", {}), ("verdicts", {"ids": [1, 2]}), ("search", {"text": "value"}), ("task_groups", {"id": 1}),
                ("exception_kinds", {}), ("cluster_cost", {"id": 1}), ("storage", {}),
                ("reception", {"since_micros": 0, "after_id": 0, "key_name": None}),
            ):
                for statement in copied(page, command, **request):
                    ran(statement)
    finally:
        process.terminate()
        assert process.wait(timeout=120) == 0


def test_pandas_reads_tables_and_sums(store):
    with sqlite3.connect("file:%s?mode=ro" % (store.folder / "bobbin.sqlite"), uri=True) as db:
        clusters = pandas.read_sql("select * from cluster order by id", db, index_col="id")
        assert list(clusters["shown_name"]) == ["<b>first</b>", "old"]
        started = pandas.to_datetime(clusters["started_micros"], unit="us", utc=True)
        told = {row["id"]: row["started_micros"] for row in store.ask("clusters")["rows"]}
        assert {at: round(one.timestamp() * 1e6) for at, one in started.items()} == told
        hours = pandas.read_sql(HOURS, db)
        assert list(hours["tasks"]) == [40, 40] and list(hours["compute_seconds"]) == [40.0, 40.0]
        found = pandas.read_sql("select text, count from exception join name on name.id = type_id where count > :least", db,
                                params={"least": 1})
        assert found.to_dict("records") == [{"text": "ValueError", "count": 2}]
    db.close()
