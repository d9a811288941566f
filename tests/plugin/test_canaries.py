"""Where anything of the user's may surface: what is written here is the whole list, and another place is a failure.

    WRITE_CANARIES=1 target/python/newest/bin/python -m pytest tests/plugin/test_canaries.py

writes the list anew, to be read before it is committed.
"""

import gzip
import json
import os
import re
import shutil
import tempfile
from pathlib import Path

import bobbin
import pytest
from processes import PLUGIN, cluster, run
from reports import raw, records
from same import LACKING
from spools import spooled

STORY = Path(__file__).parent / "canaries.py"
LIST = Path(__file__).parent / "canaries.json"

# Words that the script is given, as against those that stand in it.
GIVEN = """argument keywordname keywordvalue dictkey dictvalue stringkey tuplekey annotationkey annotationvalue column cell
scatterkey scattervalue dataset variablename variablevalue lock metadatakey metadatavalue messagevalue recordvalue folder innerfolder
file missingkey cause eventkey eventvalue eventfolder topic privatevalue killedkey failhard span innerspan activity stdout logged
workerevent printed warned invalidkey story metricname metricvalue clientname""".split()
IN_TEXT = """codecomment codeconstant errortype resulttype function parameter default docstring failing sourceline passwordinsource
sourcefolder sourcefile workertopic burn""".split()
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

EVERYTHING_ON = {"DASK_BOBBIN__EVENTS__ALLOW": "*", "DASK_BOBBIN__PROFILE__TRANSMIT": "true"}
EVERYTHING_OFF = {"DASK_BOBBIN__%s__TRANSMIT" % switch.upper(): "false" for switch in SWITCHES}
EVERYTHING_OFF["DASK_BOBBIN__EVENTS__ALLOW"] = "[]"
# Where nobody answers; what is not text lies in the spool as it is, and the rest sealed.
NOWHERE = "127.0.0.1:9"
NOBODY = {"DASK_BOBBIN__DESTINATION": "receiver", "DASK_BOBBIN__RECEIVER": "http://" + NOWHERE}
# What a switch keeps at home when all others are on: no word of the user's in these places.
SILENT = {
    "code": ("computation.code.code",),
    "profile": ("profile.prefix", "profile.strings"),
    "exceptions": ("exception.message", "exception.traceback", "exception.details"),
    "names": ("task_group.name", "task_group.prefix", "metric.prefix", "profile.prefix", "exception.group", "span.name", "span.tags"),
    "user": ("cluster.user",),
    "events": ("event.payload",),
    "host": ("cluster.dashboard_url", "cluster.scheduler_address", "worker.address", "worker.host", "worker.name"),
}
# By name, the release of Dask and what is set.
MODES = {
    "defaults": ("newest", {}),
    "everything on": ("newest", EVERYTHING_ON),
    "everything off": ("newest", EVERYTHING_OFF),
    "everything on, oldest": ("oldest", EVERYTHING_ON),
    "everything off, oldest": ("oldest", EVERYTHING_OFF),
    "everything on, in the spool": ("newest", dict(EVERYTHING_ON, **NOBODY)),
    "everything off, in the spool": ("newest", dict(EVERYTHING_OFF, **NOBODY)),
}
for name, off in EVERYTHING_OFF.items():
    switch = name.split("__")[1].lower()
    MODES["everything on but " + switch] = ("newest", dict(EVERYTHING_ON, **{name: off}))
    MODES["everything on but %s, oldest" % switch] = ("oldest", dict(EVERYTHING_ON, **{name: off}))
LOGGING = """
logging:
  version: 1
  disable_existing_loggers: false
  handlers: {bobbin: {class: logging.FileHandler, filename: %s, level: DEBUG}}
  loggers: {distributed.bobbin: {level: DEBUG, handlers: [bobbin]}}
"""


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


def in_the_file(mode, out):
    """The records that were written, and all their bytes."""
    version, chosen = MODES[mode]
    rows = records(out)
    # What is looked for is looked for in a report that is whole.
    failures = {row["exception_type"] for row in rows if row["kind"] == "exception"}
    assert failures >= {"KeyError", "KilledWorker", "worker-fail-hard"}
    kinds = {row["kind"] for row in rows}
    assert kinds >= {"worker", "event", "stop"}
    assert {"span", "metric"} & kinds == (set() if "spans" in LACKING[version] else {"span", "metric"})
    assert any("code" in row for row in rows) == (chosen.get("DASK_BOBBIN__CODE__TRANSMIT") != "false")
    assert ("profile" in kinds) == (chosen.get("DASK_BOBBIN__PROFILE__TRANSMIT") == "true")
    return rows, raw(out).decode().lower()


def in_the_spool(mode, data):
    """The plain records, and the bytes of every file and its name: what is sealed shows nothing."""
    files = [path for path in (data / "spool").rglob("*") if path.is_file()]
    locks = [path for path in files if path.name == "lock"]
    # It says for whom this is, and nothing else.
    assert [lock.read_text() for lock in locks] == [NOWHERE]
    sealed = [path for path in files if path.suffix == ".sealed"]
    # There is nothing to seal where no text is told.
    assert bool(sealed) == (MODES[mode][1].get("DASK_BOBBIN__EXCEPTIONS__TRANSMIT") != "false")
    assert all(path.read_bytes().startswith(bobbin.SEALED_FIRST_LINE) for path in sealed)
    text = b""
    for path in set(files) - set(locks):
        body = path.read_bytes()
        text += str(path.relative_to(data)).encode() + body + (gzip.decompress(body) if path.suffix == ".batch" else b"")
    rows = [row for _, rows in spooled(data) for row in rows]
    assert {row["kind"] for row in rows} >= {"worker", "sample", "task_group", "stop"}
    return rows, text.decode("utf-8", "replace").lower()


@pytest.mark.parametrize("mode", MODES)
def test_nothing_surfaces_where_it_is_not_listed(mode):
    # Dask takes no code from files whose path has the name of a test runner in it.
    with tempfile.TemporaryDirectory(prefix="zqscriptfolder") as name:
        look(mode, Path(name))


def look(mode, folder):
    version, chosen = MODES[mode]
    script, words = folder / "zqscriptfile.py", folder / "words.json"
    data, log = folder / "data", folder / "log" / "bobbin.log"
    shutil.copy(STORY, script)
    words.write_text(json.dumps({word: "zq" + word for word in GIVEN}))
    for made in (data, log.parent, folder / "config"):
        made.mkdir(mode=0o700)
    (folder / "config" / "logging.yaml").write_text(LOGGING % log)
    # As of an install: whose half this is, is nobody's business here.
    (data / "public_key").write_text(bobbin._x25519(os.urandom(32), (9).to_bytes(32, "little")).hex())
    environment = dict(ENVIRONMENT, DASK_BOBBIN__PROFILE__INTERVAL="1s", DASK_CONFIG=str(folder / "config"), **chosen)
    environment["BOBBIN_DATA_DIR"] = str(data)
    options = {"preload": PLUGIN, "environment": environment, "allowed_failures": 0}
    with cluster(version, folder / "run", worker_options=["--name", "zqworkername"], **options) as started:
        run(version, script, started.address, words, environment={"LOGNAME": "zqusername"}, seconds=300)
    if NOBODY.items() <= chosen.items():
        rows, text = in_the_spool(mode, data)
    else:
        rows, text = in_the_file(mode, folder / "run" / "out")
    found = places(rows)
    # No place is overlooked: each canary that is in the bytes at all is in a field.
    assert {canary for canary in CANARIES if canary in text} == set(found)
    # What the plugin says itself, of all that it can say.
    said = log.read_text().lower()
    assert "bobbin" in said
    for canary in CANARIES:
        if canary in said:
            found[canary] = sorted({*found.get(canary, ()), "the scheduler's log"})
    if os.environ.get("WRITE_CANARIES"):
        kept = json.loads(LIST.read_text()) if LIST.exists() else {}
        kept[mode] = found
        written = json.dumps({mode: kept[mode] for mode in MODES if mode in kept}, indent=1)
        LIST.write_text(re.sub(r"\[\s+([^\[\]]*?)\s+\]", lambda match: "[%s]" % " ".join(match.group(1).split()), written) + "\n")
        return
    expected = json.loads(LIST.read_text())[mode]
    new = {canary: sorted(set(where) - set(expected.get(canary, ()))) for canary, where in found.items()}
    assert not {canary: where for canary, where in new.items() if where}, "these are new"
    # A machine that is busy takes fewer samples, and only of a worker that does not answer the log says that.
    rare = ("profile.", "the scheduler's log")
    sure = {canary: {place for place in where if not place.startswith(rare)} for canary, where in expected.items()}
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
    # Its log names the file that it writes.
    allowed.add("the scheduler's log")
    for mode, (_, chosen) in MODES.items():
        if EVERYTHING_OFF.items() <= chosen.items():
            assert {place for where in listed[mode].values() for place in where} <= allowed
    # Of a path, the name of the file stays. The plugin's own log names the file that it writes.
    assert listed["everything on but paths"]["zqscriptfolder"] == ["the scheduler's log"]
    # The key of a task is a name, also where only a failure of Dask's own tells it.
    assert "zqinvalidkey" in listed["everything on"]
    assert not any("zqinvalidkey" in listed["everything on but names" + of] for of in ("", ", oldest"))
    for switch in SILENT:
        here = {place for where in listed["everything on but " + switch].values() for place in where}
        there = {place for where in listed["everything on but %s, oldest" % switch].values() for place in where}
        assert (here | there).isdisjoint(SILENT[switch])
        # There is something to be silent about.
        assert {place for where in listed["everything on"].values() for place in where}.issuperset(SILENT[switch])
    secrets = ("zqenvironmentvalue", "zqconfigvalue", "zqtoken", "zqpasswordinsource", "zqargument", "zqkeywordvalue", "zqcell")
    texts = ("message", "traceback", "details", "payload", "code.code")
    for mode, (_, chosen) in MODES.items():
        if EVERYTHING_OFF.items() <= chosen.items():
            assert not set(secrets) & set(listed[mode])
        if NOBODY.items() <= chosen.items():
            # Neither code nor anything that the user wrote lies there to be read.
            assert not [where for where in listed[mode].values() for place in where if place.partition(".")[2] in texts]
            assert not {"zqpasswordinsource", "zqmessagevalue", "zqcodecomment", "zqsourceline"} & set(listed[mode])
        assert not {"zqenvironmentvalue", "zqconfigvalue", "zqtoken", "zqkeywordvalue", "zqdictvalue"} & set(listed[mode])
