"""Verbs and flags that README and manual name are those that the program has."""

import re
import subprocess
from functools import lru_cache

import pytest
from machine import BINARIES
from pages import REPOSITORY, inline, manual


@lru_cache(maxsize=None)
def help_of(verbs):
    """The help of a verb, and the verbs below it."""
    done = subprocess.run([str(BINARIES / "bobbin"), *verbs, "--help"], capture_output=True, text=True)
    assert done.returncode == 0, "bobbin %s: %s" % (" ".join(verbs), done.stderr)
    below = done.stdout.partition("Commands:\n")[2].partition("\n\n")[0]
    return done.stdout, re.findall(r"^  (\S+)", below, re.MULTILINE)


def parse(code):
    """The verbs of a command line, its long flags, and the word in the place of a verb that is none."""
    verbs, flags, unknown = (), [], None
    for word in re.split(r"\s*[|;&]", code)[0].split()[1:]:
        if word.startswith("--") and len(word) > 2:
            flags.append(re.match(r"--[a-z-]+", word)[0])
        elif word in help_of(verbs)[1]:
            verbs += (word,)
        elif not verbs and not flags and unknown is None:
            unknown = word
    return verbs, flags, unknown


@pytest.mark.parametrize("page", [REPOSITORY / "README.md", *manual()], ids=lambda page: page.stem)
def test_the_page_names_verbs_and_flags_that_are_there(page):
    wrong, seen = [], 0
    for number, code in inline(page):
        for command in re.findall(r"(?:^|\$ |&& |\| )(bobbin [^`#]*)$", code):
            seen += 1
            verbs, flags, unknown = parse(command)
            if unknown:
                wrong.append("line %d: there is no verb %s" % (number, unknown))
            wrong += ["line %d: `bobbin %s` has no %s" % (number, " ".join(verbs), flag) for flag in flags if flag not in help_of(verbs)[0]]
    assert not wrong, "\n".join(wrong)
    if page.stem in ("README", "hub", "destinations"):
        assert seen > 2


def test_a_verb_and_a_flag_that_are_not_there_are_found():
    assert parse("bobbin hub --hub-dir x account add blue --quota 50GiB") == (("hub", "account", "add"), ["--hub-dir", "--quota"], None)
    assert parse("bobbin clutsers --since 7d")[2] == "clutsers"
