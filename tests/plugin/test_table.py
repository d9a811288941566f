"""Every setting is told in three places: the code, the head of the plugin's file, and the table of docs/configuration.md."""

import json
import re
import subprocess

import bobbin
import dask
import pytest
from processes import REPOSITORY, python

# All that the published client has under `coiled.analytics`, and what it means here; None is said to mean nothing.
COILED = {
    "disabled": "disabled",
    "computation.interval": "interval",
    "computation.code.transmit": "code.transmit",
    "profile.transmit": "profile.transmit",
    "profile.interval": "profile.interval",
    "events.allow": "events.allow",
    "events.interval": None,
    "idle.timeout": "idle.timeout",
    "client-spans.transmit": None,
}


def in_the_head():
    """Ours and the published client's names, from the two columns of the file's head."""
    found = {}
    table = bobbin.__doc__.partition("in the second column.\n\n")[2]
    for line in table.splitlines():
        match = re.match(r"    ([\w.-]+(?:, [\w.-]+)*) +(\S.*)", line)
        if match and not line.startswith("     "):
            words = match.group(2).split("  ")[0].strip()
            for name in match.group(1).split(", "):
                found[name] = words if re.fullmatch(r"[a-z.-]+", words) else None
    return found


def rows():
    """The rows of the table of docs/configuration.md: our names, the published client's, the default, and what they mean."""
    text = (REPOSITORY / "docs" / "configuration.md").read_text("utf-8")
    table = text.partition("| Dask configuration |")[2].partition("\n\n")[0]
    found = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    assert all(len(row) == 4 for row in found), found
    return [(re.findall(r"`bobbin\.([\w.-]+)`", row[0]), row[1].strip("`"), row[2], row[3]) for row in found]


def in_the_manual():
    return {name: row[1:] for row in rows() for name in row[0]}


def shipped(version):
    """What a release of the published client has under `coiled.analytics` as its defaults, and every name there that it asks for."""
    script = (
        "import coiled, json, pathlib, re, yaml; folder = pathlib.Path(coiled.__file__).parent; "
        "text = ''.join(path.read_text() for path in folder.rglob('*.py')); "
        "shipped = yaml.safe_load((folder / 'coiled.yaml').read_text())['coiled']['analytics']; "
        "print(json.dumps([shipped, re.findall(r'config.get\\(.coiled.analytics.([\\w.-]+)', text)]))"
    )
    done = subprocess.run([python(version), "-W", "ignore", "-c", script], capture_output=True, text=True, check=True, timeout=60)
    tree, asked = json.loads(done.stdout.splitlines()[-1])

    def defaults(part, before):
        for name, value in part.items():
            yield from defaults(value, before + name + ".") if isinstance(value, dict) else [(before + name, value)]

    return dict(defaults(tree, "")), asked


def test_every_setting_is_in_the_head_of_the_file_and_in_the_manual():
    assert len(set(bobbin.KEYS)) == len(bobbin.KEYS)
    assert set(in_the_head()) == set(bobbin.KEYS)
    assert set(in_the_manual()) == set(bobbin.KEYS)
    assert all(default and meaning for _, default, meaning in in_the_manual().values())


def test_the_names_of_the_published_client_are_honoured_or_said_to_mean_nothing():
    head, manual = in_the_head(), in_the_manual()
    for name, ours in COILED.items():
        if ours is not None:
            assert head[ours] == manual[ours][0] == name
        else:
            assert [meaning.split(":")[0] for own, theirs, _, meaning in rows() if theirs == name and not own] == ["nothing"], name
    assert {name for name in head.values() if name} == {name for name, ours in COILED.items() if ours}
    assert {theirs for _, theirs, _, _ in rows() if theirs} == set(COILED)


@pytest.mark.parametrize("version", ["newest", "2022"])
def test_no_name_that_the_published_client_knows_is_left_out(version):
    defaults, asked = shipped(version)
    assert {"events.allow", "idle.timeout"} <= {*defaults, *asked} <= set(COILED)
    # Where a process inherits these, nobody chose them.
    assert all(defaults[key] in known for key, known in bobbin.SHIPPED.items())


@pytest.mark.parametrize(
    "name, value, attribute, expected",
    [
        ("disabled", True, "disabled", True),
        ("computation.interval", "20s", "interval", 20),
        ("computation.code.transmit", False, "code", False),
        ("profile.transmit", True, "profile", True),
        ("profile.interval", "90s", "profile_interval", 90),
        ("events.allow", ["one"], "events", ("one",)),
        ("idle.timeout", "20 minutes", "idle_timeout", 1200),
    ],
)
def test_each_of_them_has_its_effect_and_gives_way_to_ours(name, value, attribute, expected):
    with dask.config.set({"bobbin.interval": None, "coiled.analytics." + name: value}):
        assert getattr(bobbin.Settings(), attribute) == expected
        own = {"disabled": False, "interval": "7s", "profile_interval": "7s", "events": "other", "idle_timeout": "7s"}
        if attribute in own:
            with dask.config.set({"bobbin." + COILED[name]: own[attribute]}):
                assert getattr(bobbin.Settings(), attribute) != expected


@pytest.mark.parametrize("key, attribute", [("interval", "interval"), ("profile.interval", "profile_interval")])
def test_a_time_between_two_reports_has_the_bounds_that_are_told(key, attribute):
    words, meaning = bobbin.__doc__.partition("\n    %s  " % key)[2].partition("\n")[0], in_the_manual()[key][2]
    assert words.endswith("; 0.2 s to a day") and "from 0.2 s to a day" in meaning
    chosen = {"0s": 0.2, "199ms": 0.2, "200ms": 0.2, "0.25": 0.25, "1 day": 86400, "2 days": 86400}
    for value, seconds in chosen.items():
        with dask.config.set({"bobbin." + key: value}):
            assert getattr(bobbin.Settings(), attribute) == seconds


@pytest.mark.parametrize("key", [key for key in bobbin.KEYS if key.endswith(".transmit")])
def test_the_default_of_a_switch_is_the_one_that_is_told(key):
    told = in_the_manual()[key][1].strip("`")
    assert getattr(bobbin.Settings(), key.split(".")[0]) == {"true": True, "false": False}[told]
