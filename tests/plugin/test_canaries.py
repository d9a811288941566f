"""Where anything of the user's may surface: what is written here is the whole list, and another place is a failure.

    WRITE_CANARIES=1 target/python/newest/bin/python -m pytest tests/plugin/test_canaries.py

writes the list anew, to be read before it is committed.
"""

import json
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from processes import PLUGIN, cluster, run
from reports import raw, records

STORY = Path(__file__).parent / "canaries.py"
LIST = Path(__file__).parent / "canaries.json"

# Words that the script is given, as against those that stand in it.
GIVEN = """argument keywordname keywordvalue dictkey dictvalue stringkey tuplekey annotationkey annotationvalue column cell
scatterkey scattervalue dataset variablename variablevalue lock metadatakey metadatavalue messagevalue recordvalue folder innerfolder
file missingkey cause eventkey eventvalue eventfolder topic privatevalue killedkey failhard span innerspan activity stdout logged
workerevent printed warned invalidkey story metricname metricvalue clientname""".split()
IN_TEXT = """codecomment codeconstant errortype resulttype function parameter default docstring failing sourceline passwordinsource
workertopic burn""".split()
ENVIRONMENT = {
    "LOGNAME": "zqusername",
    "ZQENVIRONMENTNAME": "zqenvironmentvalue",
    "DASK_ZQCONFIGNAME": "zqconfigvalue",
    "DASK_BOBBIN__TOKEN": "zqtoken",
    "DASK_BOBBIN__NAME": "zqclustername",
    "DASK_BOBBIN__PROJECT": "zqproject",
    "DASK_BOBBIN__TAGS": "{'zqtagname': 'zqtagvalue'}",
    "DASK_DISTRIBUTED__WORKER__RESOURCES__ZQRESOURCE": "1",
}
SURROUNDINGS = """username environmentname environmentvalue configname configvalue token clustername project tagname tagvalue resource
workername scriptfolder scriptfile""".split()
CANARIES = sorted("zq" + word for word in GIVEN + IN_TEXT + SURROUNDINGS) + ["127.0.0.1"]
SWITCHES = ("code", "profile", "exceptions", "names", "user", "host", "paths")

MODES = {
    "defaults": {},
    "everything on": {"DASK_BOBBIN__EVENTS__ALLOW": "*", "DASK_BOBBIN__PROFILE__TRANSMIT": "true"},
    "everything off": dict(
        {"DASK_BOBBIN__%s__TRANSMIT" % switch.upper(): "false" for switch in SWITCHES}, DASK_BOBBIN__EVENTS__ALLOW="[]"
    ),
}


def leaves(value, path):
    """Every text in a record with the place where it stands."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield path, str(name)
            yield from leaves(part, path)
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part, path)


def places(rows):
    found = {canary: set() for canary in CANARIES}
    for row in rows:
        for field, value in row.items():
            parts = [(field, value)]
            if field == "code":
                parts = [("code." + name, part) for frame in value for name, part in frame.items()]
            for name, part in parts:
                for place, text in leaves(part, "%s.%s" % (row["kind"], name)):
                    for canary in CANARIES:
                        if canary in text.lower():
                            found[canary].add(place)
    return {canary: sorted(where) for canary, where in found.items() if where}


@pytest.mark.parametrize("mode", MODES)
def test_nothing_surfaces_where_it_is_not_listed(mode):
    # Dask takes no code from files whose path has the name of a test runner in it.
    with tempfile.TemporaryDirectory(prefix="zqscriptfolder") as name:
        look(mode, Path(name))


def look(mode, folder):
    script, words = folder / "zqscriptfile.py", folder / "words.json"
    shutil.copy(STORY, script)
    words.write_text(json.dumps({word: "zq" + word for word in GIVEN}))
    environment = dict(ENVIRONMENT, DASK_BOBBIN__PROFILE__INTERVAL="1s", **MODES[mode])
    options = {"preload": PLUGIN, "environment": environment, "allowed_failures": 0}
    with cluster("newest", folder / "run", worker_options=["--name", "zqworkername"], **options) as started:
        run("newest", script, started.address, words, environment={"LOGNAME": "zqusername"})
    out = folder / "run" / "out"
    rows = records(out)
    # What is looked for is looked for in a report that is whole.
    assert {row["exception_type"] for row in rows if row["kind"] == "exception"} >= {"KeyError", "KilledWorker", "worker-fail-hard"}
    assert {row["kind"] for row in rows} >= {"worker", "span", "metric", "event", "stop"}
    assert any("code" in row for row in rows) == (mode != "everything off")
    assert ("profile" in {row["kind"] for row in rows}) == (mode == "everything on")
    found = places(rows)
    # No place is overlooked: each canary that is in the bytes at all is in a field.
    text = raw(out).decode().lower()
    assert {canary for canary in CANARIES if canary in text} == set(found)
    if os.environ.get("WRITE_CANARIES"):
        kept = json.loads(LIST.read_text()) if LIST.exists() else {}
        kept[mode] = found
        written = json.dumps({mode: kept[mode] for mode in MODES if mode in kept}, indent=1)
        LIST.write_text(re.sub(r"\[\s+([^\[\]]*?)\s+\]", lambda match: "[%s]" % " ".join(match.group(1).split()), written) + "\n")
        return
    expected = json.loads(LIST.read_text())[mode]
    new = {canary: sorted(set(where) - set(expected.get(canary, ()))) for canary, where in found.items()}
    assert not {canary: where for canary, where in new.items() if where}, "these are new"
    # A machine that is busy takes fewer samples.
    sure = {canary: {place for place in where if not place.startswith("profile.")} for canary, where in expected.items()}
    gone = {canary: sorted(where - set(found.get(canary, ()))) for canary, where in sure.items()}
    assert not {canary: where for canary, where in gone.items() if where}, "these are listed and no longer surface"


def test_the_list_has_enough_canaries_and_all_off_leaves_few():
    assert len(CANARIES) >= 40
    assert not [(one, other) for one in CANARIES for other in CANARIES if one != other and one in other]
    listed = json.loads(LIST.read_text())
    assert set(listed) == set(MODES)
    # What was chosen to call things by, names of types, resources and topics: no data, no code, no text.
    allowed = {"cluster.name", "cluster.project", "cluster.tags", "exception.exception_type", "task_group.types"}
    allowed |= {"worker.resources", "event.topic"}
    assert {place for where in listed["everything off"].values() for place in where} <= allowed
    secrets = ("zqenvironmentvalue", "zqconfigvalue", "zqtoken", "zqpasswordinsource", "zqargument", "zqkeywordvalue", "zqcell")
    assert not set(secrets) & set(listed["everything off"])
    for mode in MODES:
        assert not {"zqenvironmentvalue", "zqconfigvalue", "zqtoken", "zqkeywordvalue", "zqdictvalue"} & set(listed[mode])
