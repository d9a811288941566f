"""The queries of destinations.md as they stand there, of the folder that the page's own commands fill in the place of its bucket."""

import re
import shutil
import subprocess
from itertools import takewhile

import pytest
from machine import PYTHON, Machine
from pages import DOCS, blocks

PAGE = blocks(DOCS / "destinations.md")
BUCKET = re.compile(r"s3a?://our-bucket/bobbin")
OBJECTS = PYTHON.parents[1] / "objects" / "bin" / "python"
# Spark starts a machine of Java's first.
PATIENCE = 300
# What the Spark of the environments runs on.
NEWEST_JAVA = 22

needs_objects = pytest.mark.skipif(not OBJECTS.exists(), reason="there is no environment objects (`cargo xtask setup` makes it)")


def java():
    """The first number of its version; none where there is none."""
    if shutil.which("java") is None:
        return 0
    printed = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
    found = re.search(r'"(\d+)', printed)
    return int(found[1]) if found else 0


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """One on which the page was followed up to where it takes the bundle back."""
    machine = Machine(tmp_path_factory.mktemp("queries"))
    try:
        for block in takewhile(lambda block: "destination recall" not in block.text, PAGE):
            machine.do(block)
        yield machine
    finally:
        machine.end()


def query(machine, language, *words):
    """The one block of that kind, of the folder."""
    (block,) = [block for block in PAGE if (block.language, block.words) == (language, list(words))]
    text, count = BUCKET.subn(str(machine.homes["here"].path / "team"), block.text)
    assert count == 1, block
    return text


def printed(machine, python, text, **more):
    home = machine.homes["here"]
    script = home.work / "query.py"
    script.write_text(text)
    done = subprocess.run([str(python), "-W", "ignore", str(script)], cwd=home.work, env={**machine.environment, **more},
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_dask(machine):
    *lines, last = query(machine, "python", "s3.py").splitlines()
    said = printed(machine, PYTHON / "python", "\n".join([*lines, "print(%s.to_dict())" % last]))
    assert "('data-platform', 'user-" in said, said


@needs_objects
def test_duckdb(machine):
    text = query(machine, "sql")
    said = printed(machine, OBJECTS, "import duckdb\nprint(duckdb.execute(%r).fetchall())\n" % text)
    assert re.fullmatch(r"\[\('user-[^']+', [0-9.e-]+\)\]\n", said), said


@needs_objects
@pytest.mark.skipif(not 0 < java() <= NEWEST_JAVA, reason="Spark runs on Java %d at most" % NEWEST_JAVA)
def test_spark(machine):
    text = query(machine, "python", "spark.py")
    said = printed(machine, OBJECTS, text, SPARK_LOCAL_IP="127.0.0.1", SPARK_LOCAL_DIRS=str(machine.homes["here"].work),
                   PYSPARK_SUBMIT_ARGS="--master local[1] --conf spark.ui.enabled=false pyspark-shell")
    assert "sum(compute_seconds)" in said and "data-platform" in said, said
