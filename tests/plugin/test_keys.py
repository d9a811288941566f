"""The table of settings is complete and true: each key that the plugin asks for, and each default."""

import ast
import re

import bobbin
import dask
import pytest
from processes import PLUGIN, REPOSITORY
from test_table import COILED, in_the_manual, rows

# By key, the field of `Settings`; where the two words are not the same.
FIELDS = {"events.allow": "events", "spool.limit": "spool_limit"}
FIELDS.update({"idle.timeout": "idle_timeout", "profile.interval": "profile_interval"})
# What no text or number is.
NONSENSE = {key: ["no", "such"] for key in bobbin.KEYS}
NONSENSE.update({key: "perhaps" for key in bobbin.KEYS if key.endswith(".transmit")}, disabled="perhaps", tags=5)
NONSENSE.update({"remote-close": "perhaps", "events.allow": 5, "idle.timeout": "soon", "spool.limit": "much"})
NONSENSE.update({"interval": "soon", "profile.interval": "nan"})


def field(key):
    return FIELDS.get(key, key.partition(".transmit")[0].replace("-", "_"))


@pytest.fixture
def nothing_said(settings, monkeypatch):
    """As where nobody configured anything."""
    monkeypatch.delenv("BOBBIN_DATA_DIR")
    with dask.config.set({"bobbin." + key: None for key in bobbin.KEYS}):
        yield


def meant(key, told):
    """What a cell of the table says of a default."""
    if told in ("found by itself", "none", "`null`"):
        return {} if key == "tags" else None
    words = tuple(re.findall(r"`([^`]+)`", told))
    if key == "events.allow":
        return words
    (word,) = words
    if word in ("true", "false"):
        return word == "true"
    if key == "folder":
        # Beside `destination`, whose default it is: with that, there is no folder.
        return None
    if key == "spool.limit":
        return dask.utils.parse_bytes(word)
    return dask.utils.parse_timedelta(word) if re.match(r"\d", word) else word


def asked(monkeypatch):
    """Every name of the configuration that a plugin asks for which is set up, carried to a scheduler, and reports."""
    names = set()
    get = dask.config.get

    def noted(key, *arguments, **named):
        names.add(key)
        return get(key, *arguments, **named)

    monkeypatch.setattr(dask.config, "get", noted)
    bobbin.capture_code(bobbin.Settings(bobbin._explicit()))
    return names


def test_the_keys_that_are_asked_for_are_those_of_the_table(nothing_said, monkeypatch):
    names = asked(monkeypatch)
    assert {name.partition(".")[2] for name in names if name.startswith("bobbin.")} == set(in_the_manual()) == set(bobbin.KEYS)
    theirs = {name[len("coiled.analytics.") :] for name in names if name.startswith("coiled.")}
    assert theirs == {name for name, ours in COILED.items() if ours}
    others = {name for name in names if not name.startswith(("bobbin.", "coiled."))}
    assert others == {"distributed.diagnostics.computations.nframes"}


def test_no_other_key_stands_anywhere_in_the_file():
    """What only some way through the code would ask for: every name that is written as a text."""
    nodes = list(ast.walk(ast.parse(PLUGIN.read_text("utf-8"))))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    calls = [call for call in calls if getattr(call.func, "id", None) in ("read", "_config")]
    read = {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)}
    assert read == set(bobbin.KEYS)
    texts = "\n".join(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    written = set(re.findall(r"(?<![\w./])bobbin\.([a-z][a-z-]*(?:\.[a-z]+)?)", texts))
    # How it is called.
    assert written - set(bobbin.KEYS) == {"register"}
    assert in_environment(texts) <= set(bobbin.KEYS)


def in_environment(text):
    return {name.lower().replace("__", ".").replace("_", "-") for name in re.findall(r"DASK_BOBBIN__(\w+)", text)}


def test_names_of_the_environment_that_the_manual_names_are_those_of_keys():
    told = in_environment((REPOSITORY / "docs" / "configuration.md").read_text("utf-8"))
    assert told and told <= set(bobbin.KEYS)


@pytest.mark.parametrize("key", bobbin.KEYS)
def test_each_default_is_the_one_in_the_table(key, nothing_said):
    real = getattr(bobbin.Settings(), field(key))
    assert real == meant(key, in_the_manual()[key][1])
    with dask.config.set({"bobbin." + key: NONSENSE[key]}):
        # What makes no sense falls back to the same, but for a path: anything is one.
        again = getattr(bobbin.Settings(quiet=True), field(key))
        assert again == (str(NONSENSE[key]) if key == "data-dir" else real)


def test_each_default_is_told_in_the_head_of_the_file(nothing_said):
    head = {}
    for line in bobbin.__doc__.partition("honoured too.\n\n")[2].splitlines():
        match = re.match(r" {4}(\w[\w.-]*)(?:, [\w.-]+)* {2,}(.*)", line)
        key, words = match.groups() if match else (key, line)
        head[key] = head.get(key, "") + " " + words.strip()
    settings = bobbin.Settings()
    for key in bobbin.KEYS:
        value = getattr(settings, field(key))
        if isinstance(value, bool) and key != "disabled":
            assert re.search(r", %s\b" % str(value).lower(), head[key]), key
        elif isinstance(value, float):
            assert ", %g s" % value in head[key], key
    assert "%d MiB" % (settings.spool_limit >> 20) in head["spool.limit"]
    assert settings.idle_timeout is None and head["idle.timeout"].endswith("; never")


def test_each_row_of_the_table_is_of_keys_of_one_default():
    for names, _, default, _ in rows():
        if len(names) > 1 and names != ["destination", "folder"]:
            assert default in ("none", "found by itself"), names
