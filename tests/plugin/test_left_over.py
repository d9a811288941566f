"""What an earlier scheduler left in the spool, where the receiver is in trouble or refuses it."""

import time

import bobbin
import pytest
from outboxes import an_outbox


@pytest.mark.parametrize("verdict", ["kept", "split", "dropped"])
def test_what_an_earlier_scheduler_left_goes_only_where_it_was_kept(tmp_path, monkeypatch, verdict):
    class Left:
        def next(self):
            return bobbin._Batch("i", 1, [], False, b"plain")

        def done(self, remove):
            removed.append(remove)

    removed, outbox = [], an_outbox(tmp_path / "data")
    monkeypatch.setattr(outbox, "left_over", Left())
    monkeypatch.setattr(outbox, "_post", lambda *_: bobbin._Reply(verdict))
    outbox._adopt()
    assert removed == [verdict == "kept"]


@pytest.mark.parametrize("status, sealed, waits", [(500, False, False), (503, True, False), (503, False, True), (None, True, True)])
def test_what_an_earlier_scheduler_left_waits_for_its_own_trouble_alone(tmp_path, monkeypatch, status, sealed, waits):
    class Left:
        """Two batches: the first is in trouble."""

        def __init__(self):
            self.close()

        def next(self):
            return self.batches[0] if self.batches else None

        def done(self, remove):
            went.append((self.batches.pop(0).first_seq, remove))

        def close(self):
            self.batches = [bobbin._Batch("i", 1, [], sealed, b"one"), bobbin._Batch("i", 2, [], False, b"two")]

    def answer(batch, *_):
        return bobbin._Reply("again", status=status) if batch.first_seq == 1 else bobbin._Reply("kept")

    went, outbox = [], an_outbox(tmp_path / "data")
    monkeypatch.setattr(outbox, "left_over", Left())
    monkeypatch.setattr(outbox, "_post", answer)
    outbox._adopt()
    if waits:
        assert went == [] and outbox.adopt_at > time.monotonic() + 30
        return
    outbox._adopt()
    assert went == [(1, False), (2, True)]
    outbox._adopt()
    # And all over again in a while.
    assert time.monotonic() + 30 < outbox.adopt_at < time.monotonic() + 90
