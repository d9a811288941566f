"""A real receiver whose disk is full, on the disk where the plugin has its spool, too: the cluster works on, and all arrives later."""

import os

import pytest
from reports import until
from serving import serving
from small_disk import fill, small_disk
from spools import Reporting, folders, work

@pytest.fixture
def disk(tmp_path):
    with small_disk(tmp_path / "disk", "48m") as folder:
        yield folder


def test_nothing_is_noticed_and_nothing_is_lost(disk):
    data = disk / "data"
    with serving(data) as served:
        with Reporting(data) as here:
            work(here.client)
            until(lambda: served.count("exception"), 30)
            fill(disk)
            until(lambda: here.outbox.failing_since, 60)
            for _ in range(5):
                # While it lasts.
                work(here.client)
            assert here.outbox.waiting() and here.outbox.failing_since
            assert [why for why in here.outbox.told if why.endswith("answers 503")]
            told = served.count("sample")
            (disk / "ballast").unlink()
            # The receiver said when to come again, but for one that changed.
            os.utime(data / "token")
            until(lambda: here.outbox.failing_since is None and not here.outbox.batches, 60)
            until(lambda: served.count("sample") > told, 30)
            expected = here.run.well, here.run.failures.erred
        until(lambda: served.rows("select 1 from instance where stop_reason is not null"), 30)
        assert expected == (6 * 8, 6)
        assert served.rows("select tasks_completed, tasks_erred from sample order by seq desc limit 1") == [(sum(expected), expected[1])]
        assert served.missing() == 0 and served.dropped() == {}
        assert not folders(data)
