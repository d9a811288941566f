"""The card in a notebook: a real kernel runs the cell, and what it shows is looked at."""

import os
from html.parser import HTMLParser

import pytest
from conftest import PLUGIN, records

HOSTILE = '<img src=x onerror=alert(1)></style><script>alert(2)</script>"\u202e'

#: What the card is made of; anything else came from a cluster.
TAGS = {"style", "section", "b", "bdi", "dl", "div", "dt", "dd", "p", "a"}


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_data(self, data):
        self.text.append(data)


def run(folder, *cells):
    """The outputs of the last cell, as a notebook keeps them."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    # The kernel of this environment itself, whatever others are installed for this user.
    client = NotebookClient(notebook, timeout=300, startup_timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    client.execute()
    nbformat.validate(notebook)
    return notebook.cells[-1].outputs


@pytest.fixture
def kernel(bobbin, tmp_path, monkeypatch):
    monkeypatch.setenv("BOBBIN_DATA_DIR", str(bobbin.folder))
    monkeypatch.setenv("PYTHONPATH", str(PLUGIN))
    # Of nobody's own settings and histories.
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    assert "BOBBIN_COMMAND" in os.environ
    return tmp_path


def test_a_real_kernel_shows_the_card_and_a_hostile_name_stays_text(bobbin, kernel):
    bobbin.told((HOSTILE, records(HOSTILE)))
    (output,) = run(kernel, "import bobbin_reader as bobbin", "bobbin.last()")
    assert output.output_type == "execute_result"
    shown, plain = output.data["text/html"], output.data["text/plain"]
    parsed = Tags()
    parsed.feed(shown)
    assert set(parsed.tags) == TAGS and parsed.tags.count("style") == 1
    assert not [name for name, _ in parsed.attributes if name.startswith("on") or name in ("src", "srcset", "style")]
    text = "".join(parsed.text)
    assert "<script>alert(2)</script>" in text and "finished" in text and "40" in text
    for told in (shown, plain):
        assert "\u202e" not in told and "‹U+202E›" in told
    assert ("href", "bobbin://cluster/1") in parsed.attributes


def test_frames_and_errors_read_well_in_a_notebook(bobbin, kernel):
    bobbin.told(("first", records("first")))
    (output,) = run(
        kernel, "import bobbin_reader as bobbin, pandas", "pandas.DataFrame(bobbin.list_clusters())[['name', 'state']]"
    )
    assert "first" in output.data["text/html"] and "finished" in output.data["text/html"]
    (output,) = run(
        kernel, "import bobbin_reader as bobbin", "try:\n    bobbin.last(9)\nexcept bobbin.BobbinError as error:\n    print(error)"
    )
    assert "there is no cluster 9" in output.text
