"""Pages of the manual, as a list of their blocks of code.

The first word behind the fence is the language, the others say what is to be done with the block:

    sh                        typed into the page's shell, one block after the other; a command that fails ends the page
    sh terminal until="TEXT"  typed into a terminal of its own, which stays open until the page ends; the next block waits for TEXT
    sh elsewhere why="WORDS"  not typed, since a test does not have what it needs: only its grammar is looked at
    python                    run by Python
    python NAME, yaml NAME …  written into that file, which a later block uses
    text, and any other       nothing

`home=there` does any of it on the other machine: a home of its own, on the same network, to which `scp` copies.
"""

import re
import shlex
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
FENCE = re.compile(r"^```(\S*)[ ]*(.*)$")


class Block:
    def __init__(self, page, line, language, words, text):
        self.page, self.line, self.language, self.text = page, line, language, text
        self.options = dict(word.split("=", 1) for word in words if "=" in word)
        self.words = [word for word in words if "=" not in word]

    def __str__(self):
        return "%s, line %d:\n%s" % (self.page.name, self.line, self.text)


def blocks(page):
    found, opened, lines = [], None, []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if opened is None and fence:
            opened, lines = (number, fence[1], shlex.split(fence[2])), []
        elif opened and line == "```":
            found.append(Block(page, *opened, "\n".join(lines) + "\n"))
            opened = None
        elif opened:
            lines.append(line)
    assert opened is None, "%s: the block of line %d does not end" % (page, opened[0])
    return found


def manual():
    return sorted(DOCS.glob("*.md"))


def inline(page):
    """Code within sentences, and in blocks that are not typed, line by line, with the number of its line or of the line behind its paragraph."""
    fence, paragraph = None, []
    for number, line in enumerate([*page.read_text().splitlines(), ""], 1):
        found = FENCE.match(line)
        if fence is None and line and not found:
            paragraph.append(line.removeprefix(">").strip())
            continue
        # It may go on in the next line.
        for code in re.findall(r"`([^`]+)`", " ".join(paragraph)):
            yield number, code
        paragraph = []
        if found:
            fence = found if fence is None else None
        elif fence is not None:
            # Of the pages elsewhere, such as the first README, nothing is typed.
            is_typed = page.parent == DOCS and fence[1] in ("sh", "python") and "elsewhere" not in fence[2].split()
            if not is_typed:
                yield number, line.strip()


def labels(page):
    """Words of the window that the page names: in stars, several parted by commas."""
    prose = re.sub(r"^```.*?^```$|`[^`]*`", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    found = re.findall(r"(?<!\*)\*([A-Z][^*]*)\*(?!\*)", re.sub(r"\n(> ?)?", " ", prose))
    return [label for labels in found for label in labels.split(", ")]


def anchors(page):
    """What a link to a place in the page may end in: its headings, as those who show Markdown name them."""
    found, is_code = set(), False
    for line in page.read_text().splitlines():
        if FENCE.match(line):
            is_code = not is_code
        elif line.startswith("#") and not is_code:
            found.add(re.sub(r"[^\w -]", "", line.lstrip("#").strip().lower()).replace(" ", "-"))
    return found
