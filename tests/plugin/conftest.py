"""Every test has a folder of its own, and none can reach a Bobbin that runs on this machine."""

import os
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "assets" / "plugin"))
for name in list(os.environ):
    # But for the one that says whether a test may be passed over.
    if name.startswith(("DASK_", "BOBBIN_")) and name != "BOBBIN_STORIES":
        del os.environ[name]
# gilknocker, with which Dask watches the interpreter's lock, aborts a process that ends while its thread asks for that lock:
# about one in two hundred on a busy machine, without the plugin as well.
os.environ["DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__GIL__ENABLED"] = "false"
# Nor does the configuration of whoever runs them count: `bobbin connect` may have written to it.
HOME = tempfile.TemporaryDirectory(prefix="bobbin-tests-")
os.environ["HOME"] = HOME.name
os.environ["DASK_ROOT_CONFIG"] = HOME.name
# Old releases leave their workers' folders wherever they were started.
os.environ["DASK_TEMPORARY_DIRECTORY"] = HOME.name

import dask  # noqa: E402
import pytest  # noqa: E402

pytest.register_assert_rewrite("same", "story")


def pytest_unconfigure():
    # A process of many that run the tests may end without a word.
    HOME.cleanup()


@pytest.fixture(autouse=True)
def settings(tmp_path, monkeypatch):
    """The settings of a test: reports go to files in `tmp_path/out`, often."""
    monkeypatch.setenv("BOBBIN_DATA_DIR", str(tmp_path / "data"))
    chosen = {
        "bobbin.destination": "file",
        "bobbin.folder": str(tmp_path / "out"),
        "bobbin.interval": "0.3s",
        "bobbin.project": "tests",
        "distributed.diagnostics.computations.nframes": 0,
    }
    with dask.config.set(chosen):
        yield tmp_path
