"""How much of the disk reports may take that nobody came for: by default 64 MiB, and eight times that for schedulers that are gone."""

import os
import shutil

import bobbin
import pytest
from processes import lacking
from reports import until
from spools import Reporting, folders, work

LIMIT = 64 * 1024 * 1024


def on_disk(folder):
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def here(tmp_path):
    """A cluster with the default limit, and nobody to report to; before it, ten schedulers left 60 MiB each."""
    data = tmp_path / "data"
    (data / "spool").mkdir(parents=True, mode=0o700)
    data.chmod(0o700)
    for number in range(10):
        folder = data / "spool" / ("Scheduler-%d-i" % number)
        folder.mkdir(mode=0o700)
        (folder / "lock").touch()
        with open(folder / "000000000001.batch", "wb") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, 60 * 1024 * 1024)
            except OSError as error:
                lacking("no room for 600 MiB: %s" % error)
        os.utime(folder, (1e9 + number, 1e9 + number))
    with Reporting(data) as reporting:
        yield reporting
    # Folders of tests are kept for a while.
    shutil.rmtree(data / "spool", ignore_errors=True)


def test_the_default_is_64_mib_for_one_and_eight_times_that_for_those_that_are_gone(here, tmp_path):
    assert here.outbox.spool.limit == LIMIT
    work(here.client)
    until(lambda: here.outbox.spool.sizes, 30)
    left = {folder.name for folder in folders(tmp_path / "data")} - {here.outbox.spool.stem}
    # The newest that fit into 512 MiB.
    assert left == {"Scheduler-%d-i" % number for number in range(2, 10)}
    assert on_disk(tmp_path / "data" / "spool") <= bobbin.SPOOLS * LIMIT == 512 * 1024 * 1024
