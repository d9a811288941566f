"""Every test has a folder of its own, and none can reach a Bobbin that runs on this machine."""

import os
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "assets" / "plugin"))
for name in list(os.environ):
    if name.startswith(("DASK_", "BOBBIN_")):
        del os.environ[name]
# Nor does the configuration of whoever runs them count: `bobbin connect` may have written to it.
HOME = tempfile.TemporaryDirectory(prefix="bobbin-tests-")
os.environ["HOME"] = HOME.name
os.environ["DASK_ROOT_CONFIG"] = HOME.name

import dask  # noqa: E402
import pytest  # noqa: E402


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
