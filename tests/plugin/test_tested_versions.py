"""The releases that the README says are tested are those that the tests run on."""

import json
import re
import subprocess

import pytest
from processes import REPOSITORY, python
from same import LACKING

LISTS = REPOSITORY / "tests" / "envs"
# On another Python, the list of another environment.
BORROWED = {"python-3.14": ("newest-python", "3.14")}
VERSION = r"\d{4}\.\d+\.\d+"


def locked(name, package):
    """The version of a package that a list installs; null where it has none."""
    found = re.search(r"^%s==(\S+)" % package, (LISTS / (name + ".txt")).read_text("utf-8"), re.MULTILINE)
    return found and found.group(1)


def compiled_for(name):
    return re.search(r"--python-version (\S+)", (LISTS / (name + ".in")).read_text("utf-8")).group(1)


def installed():
    """By environment of the matrix: its Dask and its Python."""
    found = {}
    for name in LACKING:
        list_, version = BORROWED.get(name, (name, None))
        found[name] = locked(list_, "distributed"), version or compiled_for(list_)
    return found


def sentence():
    (found,) = re.findall(r"^Tested with `distributed` .*?in every run of the tests\.", readme(), re.MULTILINE | re.DOTALL)
    return " ".join(found.split())


def readme():
    return (REPOSITORY / "README.md").read_text("utf-8")


def told():
    """Every release of Dask with the Python that it is tested on."""
    dasks = sentence().partition(", in schedulers of")[0]
    found = set()
    for releases, pythons in re.findall(r"([^()]*)\(([^()]*)\)", dasks):
        for version in re.findall(r"3\.\d+", pythons):
            found.update((release, version) for release in re.findall(VERSION, releases))
    return found


def test_the_readme_tells_every_release_that_is_tested_and_no_other():
    of = installed()
    borrowed = {of.pop(name) for name in BORROWED}
    assert told() == set(of.values())
    # Those that only some machines have.
    also = re.findall(r"also run (\S+) on Python (\S+) where", " ".join(readme().split()))
    assert set(also) == borrowed


def test_every_list_with_dask_is_in_the_matrix_or_of_a_release_that_is():
    lists = {path.stem for path in LISTS.glob("*.txt") if locked(path.stem, "distributed")}
    assert {locked(name, "distributed") for name in lists} == {dask for dask, _ in installed().values()}


def test_the_published_clients_that_it_tells_are_those_that_are_installed():
    clients = re.search(r"the published client ([\d.]+) and ([\d.]+),", sentence()).groups()
    assert clients == (locked("newest", "coiled"), locked("2022", "coiled"))


@pytest.mark.parametrize("name", LACKING)
def test_an_environment_has_what_its_list_says(name):
    script = "import json, sys; from importlib import metadata; "
    script += "print(json.dumps([metadata.version('distributed'), '%d.%d' % sys.version_info[:2]]))"
    done = subprocess.run([python(name), "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert tuple(json.loads(done.stdout)) == installed()[name]
