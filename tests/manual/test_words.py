"""What README and manual name is there: verbs and flags of the program, commands of `cargo xtask`, and headings that links lead to."""

import re
import subprocess
from functools import lru_cache

import pytest
from machine import BINARIES
from pages import DOCS, REPOSITORY, anchors, inline, labels, manual

PAGES = [REPOSITORY / "README.md", *manual()]
# A command at the beginning of a line, or behind what may stand before one.
COMMAND = re.compile(r"(?:^|\$ |&& |\| |-- |/bin/)(bobbin [^`#]*)$")


@lru_cache(maxsize=None)
def help_of(verbs):
    """The help of a verb, and the verbs below it."""
    done = subprocess.run([str(BINARIES / "bobbin"), *verbs, "--help"], capture_output=True, text=True)
    assert done.returncode == 0, "bobbin %s: %s" % (" ".join(verbs), done.stderr)
    below = done.stdout.partition("Commands:\n")[2].partition("\n\n")[0]
    return done.stdout, re.findall(r"^  (\S+)", below, re.MULTILINE)


@lru_cache(maxsize=None)
def help_of_xtask():
    """Its help, and its commands."""
    done = subprocess.run([str(BINARIES / "xtask"), "help"], capture_output=True, text=True, check=True)
    return done.stdout, set(re.findall(r"^  ([a-z]+) ", done.stdout, re.MULTILINE))


def parse(code):
    """The verbs of a command line, its long flags, and the word in the place of a verb that is none."""
    verbs, flags, unknown = (), [], None
    # Two blanks part a command from what is said of it.
    for word in re.split(r"\s*[|;&]|  ", code)[0].split()[1:]:
        if word.startswith("--") and len(word) > 2:
            flags.append(re.match(r"--[a-z-]+", word)[0])
        elif word in help_of(verbs)[1]:
            verbs += (word,)
        elif not verbs and not flags and unknown is None:
            unknown = word
    return verbs, flags, unknown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_names_verbs_and_flags_that_are_there(page):
    wrong, seen = [], 0
    for number, code in inline(page):
        for command in COMMAND.findall(code):
            seen += 1
            verbs, flags, unknown = parse(command)
            if unknown:
                wrong.append("line %d: there is no verb %s" % (number, unknown))
            wrong += ["line %d: `bobbin %s` has no %s" % (number, " ".join(verbs), flag) for flag in flags if flag not in help_of(verbs)[0]]
    assert not wrong, "\n".join(wrong)
    if page.stem in ("README", "hub", "destinations"):
        assert seen > 2


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_names_commands_of_xtask_that_are_there(page):
    words, commands = help_of_xtask()
    for number, code in inline(page):
        for name, more in re.findall(r"cargo xtask ([a-z-]+)([^#|]*)", code):
            unknown = [flag for flag in re.findall(r"--[a-z-]+", more) if flag not in words]
            assert name in commands and not unknown, "line %d: %s" % (number, code)


@lru_cache(maxsize=None)
def sources():
    """Where all that people read is written."""
    folders = [REPOSITORY / name for name in ("ui/src", "crates", "src-tauri/src")]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".svelte", ".ts", ".rs") and ".test." not in path.name]
    return "\n".join(path.read_text() for path in files)


@pytest.mark.parametrize("page", [page for page in manual() if page.stem != "performance"], ids=lambda page: page.stem)
def test_the_page_names_labels_that_are_there(page):
    assert [label for label in labels(page) if label not in sources()] == []


def test_the_manual_has_every_verb():
    table = (DOCS / "command-line.md").read_text().partition("## Verbs\n")[2].partition("\nEvery verb")[0]
    assert sorted(re.findall(r"`([a-z]+)`", table)) == sorted(set(help_of(())[1]) - {"help"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_link_into_a_page_leads_to_a_heading_that_is_there(page):
    links = re.findall(r"\]\(([^)#:\s]*)#([^)\s]+)\)", page.read_text())
    wrong = [link for link in links if link[1] not in anchors(page.parent / link[0] if link[0] else page)]
    assert not wrong, wrong


def test_what_is_not_there_is_found(tmp_path):
    assert parse("bobbin hub --hub-dir x account add blue --quota 50GiB") == (("hub", "account", "add"), ["--hub-dir", "--quota"], None)
    assert parse("bobbin clutsers --since 7d")[2] == "clutsers"
    assert parse("bobbin report CLUSTER      one file that opens --offline") == (("report",), [], None)
    assert COMMAND.findall("wsl -d Debian -- bobbin serve --ui") == ["bobbin serve --ui"]
    assert COMMAND.findall("ExecStart=/usr/local/bin/bobbin hub serve") == ["bobbin hub serve"]
    assert "record" in help_of_xtask()[1] and "kill" not in help_of_xtask()[1]
    page = tmp_path / "page.md"
    page.write_text("# A, b: `c.d`\n```sh\n# no heading\nbobbin clutsers\n```\n**Bold**, *lower*, *Look\nthere, Here*\n")
    assert anchors(page) == {"a-b-cd"} and labels(page) == ["Look there", "Here"]
    assert (4, "bobbin clutsers") in list(inline(page))
