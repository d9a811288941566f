"""What `pip install` makes of the repository: in a fresh environment that has Dask, as a user's has."""

import json
import os
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from conftest import PLUGIN, copied_plugin, python, records

SESSION = """
import json, pathlib, sys, time
import bobbin, bobbin_reader, distributed
if __name__ == "__main__":
    for module in (bobbin, bobbin_reader):
        assert pathlib.Path(module.__file__).is_relative_to(sys.prefix), module.__file__
    (before,) = bobbin.list_clusters(since=None)
    assert bobbin.last().cluster["id"] == before["id"]
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            bobbin.register(client)
            assert client.submit(sum, [1, 2]).result() == 3
            until = time.time() + 120
            while not [row for row in bobbin.list_clusters() if row["id"] != before["id"] and row["tasks_completed"]]:
                assert time.time() < until, bobbin.list_clusters()
                time.sleep(0.2)
    print(json.dumps([row["name"] for row in bobbin.list_clusters(since=None)] + [bobbin.last().cluster["tasks_completed"]]))
"""


def packages_of(interpreter):
    """Where an environment has its packages."""
    (site,) = interpreter.parents[1].glob("lib/python*/site-packages")
    return site


def wheel_of_setuptools(interpreter, folder):
    """What builds the package, out of an environment: pip makes a place of its own for it, and has no network here."""
    (installed,) = metadata.distributions(name="setuptools", path=[str(packages_of(interpreter))])
    wheel = folder / ("setuptools-%s-py3-none-any.whl" % installed.version)
    with zipfile.ZipFile(wheel, "w") as packed:
        for file in installed.files:
            # Scripts lie outside, and what Python compiled is made again.
            if ".." not in file.parts and "__pycache__" not in file.parts:
                packed.write(file.locate(), str(file))


# With Dask, and one that has a setuptools which that Python runs.
@pytest.fixture(scope="module", params=[("newest", "programs"), ("oldest", "2022")], ids=["newest", "oldest"])
def installed(request, tmp_path_factory):
    """The interpreter of a fresh environment into which a copy of the checkout was installed with pip."""
    folder = tmp_path_factory.mktemp("installed")
    with_dask, with_setuptools = map(python, request.param)
    fresh = folder / "fresh"
    subprocess.run([str(with_dask), "-m", "venv", str(fresh)], check=True)
    (packages_of(fresh / "bin" / "python") / "dask.pth").write_text("%s\n" % packages_of(with_dask))
    wheels = folder / "wheels"
    wheels.mkdir()
    wheel_of_setuptools(with_setuptools, wheels)
    done = subprocess.run(
        [str(fresh / "bin" / "pip"), "install", "./plugin"], cwd=copied_plugin(folder).parent, capture_output=True, text=True, check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels),
             "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_CONFIG_FILE": os.devnull})
    assert done.returncode == 0, done.stdout + done.stderr
    return fresh / "bin" / "python"


def test_it_is_whole_and_of_the_plugin_s_version(installed):
    done = subprocess.run(
        [str(installed), "-c", "import json; from importlib import metadata as m; d = m.distribution('bobbin-dask')\n"
         "import bobbin; print(json.dumps([d.version, bobbin.__version__, d.requires, [str(f) for f in d.files]]))"],
        cwd=installed.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    version, of_plugin, requires, files = json.loads(done.stdout)
    assert version == of_plugin and requires is None
    code = {name for name in files if name.endswith((".py", ".pyi", ".typed"))}
    reader = {str(path.relative_to(PLUGIN)) for path in (PLUGIN / "bobbin_reader").iterdir() if path.suffix in (".py", ".typed")}
    # Not what the receiver makes of it for others.
    assert code == reader | {"bobbin.py", "bobbin-stubs/__init__.pyi"}
    assert "bobbin_reader/py.typed" in code


def test_it_reads_a_store_and_a_real_cluster_reports_by_it(bobbin, installed, tmp_path):
    bobbin.told(("first", records("first")))
    process, _ = bobbin.serve()
    try:
        script = tmp_path / "session.py"
        script.write_text(SESSION)
        done = subprocess.run(
            [str(installed), "-W", "ignore", str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=400, check=False,
            env={**bobbin.environment, "DASK_BOBBIN__INTERVAL": "0.5s", "DASK_BOBBIN__NAME": "installed",
                 "DASK_CONFIG": str(tmp_path / "none"), "DASK_ROOT_CONFIG": str(tmp_path / "none")})
        assert done.returncode == 0, done.stderr
        *names, completed = json.loads(done.stdout.splitlines()[-1])
        assert names == ["installed", "first"] and completed >= 1
    finally:
        process.terminate()
        process.wait(timeout=120)


def test_its_types_are_read_where_it_is_installed(installed, tmp_path):
    use = tmp_path / "use.py"

    def looked_at(text):
        use.write_text(text)
        return subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(installed), "--cache-dir", str(tmp_path / "cache"), str(use)],
            cwd=tmp_path, capture_output=True, text=True, check=False)

    done = looked_at(
        "import datetime\nimport bobbin\n"
        "names: list[str] = [row['name'] for row in bobbin.list_clusters(since=None)]\n"
        "at: datetime.datetime = bobbin.list_events(1)[0]['at']\n"
        "card: bobbin.Card = bobbin.last()\nbobbin.register()\n")
    assert done.returncode == 0, done.stdout + done.stderr
    done = looked_at("import bobbin\nwrong: int = bobbin.list_clusters()[0]['name']\nbobbin.nonsense\n")
    assert done.stdout.count("error:") == 2, done.stdout


def test_the_reader_holds_to_its_types_itself(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "--python-version", "3.10",
         str(copied_plugin(tmp_path) / "bobbin_reader")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
