"""Sending: what a receiver may answer, and what the plugin then does."""

import datetime
import hashlib
import json
import time
from contextlib import ExitStack, contextmanager

import bobbin
import dask
import pytest
from distributed import Client, LocalCluster
from listener import Listener, held_port, listening
from processes import wanted
from reports import until


@contextmanager
def reporting(address, **chosen):
    """A cluster that reports to an address."""
    settings = {"bobbin.destination": "receiver", "bobbin.receiver": address, "bobbin.token": "bobbin2345"}
    settings.update({"bobbin." + name.replace("__", ".").replace("_", "-"): value for name, value in chosen.items()})
    with dask.config.set(settings):
        with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
            with Client(cluster) as client:
                bobbin.register(client)
                yield client


def outbox(client):
    return client.cluster.scheduler.plugins["bobbin"]._run.outbox


def complete(listener):
    """Every number arrived once, from the first to the goodbye."""
    return listener.numbers() == list(range(1, len(listener.numbers()) + 1)) and bool(listener.records("stop"))


def test_batches_arrive_in_order_over_tcp(settings):
    listener = Listener()
    with listening(listener) as address:
        with reporting(address) as client:
            assert client.submit(abs, -1).result() == 1
        assert complete(listener)
    assert set(listener.tokens) == {"Bearer bobbin2345"}
    assert set(listener.hosts) == {address[len("http://") :]}
    header = listener.kept[0][0]
    assert header["protocol"] == 1
    assert abs(header["sent_at_micros"] - time.time() * 1e6) < 60e6


def test_over_a_unix_socket_the_host_is_bobbin(settings):
    listener = Listener()
    with listening(listener, path=settings / "s") as address:
        with reporting(address):
            pass
        assert complete(listener)
    assert set(listener.hosts) == {"bobbin"}


@pytest.mark.parametrize("trouble", [503, 429, 500, 400, 404, 405, 401, 403, "hang up", "not bobbin"])
def test_a_batch_that_was_not_kept_is_sent_again_byte_for_byte(settings, trouble):
    listener = Listener([trouble, trouble])
    with listening(listener) as address:
        with reporting(address) as client:
            client.submit(abs, -1).result()
            until(lambda: listener.kept)
        assert complete(listener)
    tries = [body for body in listener.bodies if body == listener.bodies[0]]
    assert len(tries) >= 3
    assert not listener.records("dropped")


@pytest.mark.parametrize("text", [b"[]", b"[" * 60_000, b"5", b'{"a":"%s"}' % (b"x" * 70_000)], ids=["list", "deep", "number", "long"])
def test_whatever_answers_the_sender_lives_on(settings, text):
    listener = Listener([text, text])
    with listening(listener) as address:
        with reporting(address) as client:
            client.submit(abs, -1).result()
            until(lambda: listener.kept)
        assert complete(listener)


def test_an_error_in_the_sender_is_counted_and_it_goes_on(settings, monkeypatch):
    listener = Listener()
    with listening(listener) as address:
        with reporting(address) as client:
            until(lambda: listener.kept)
            whole, errors = outbox(client)._next_batch, []

            def broken():
                errors.append(1)
                if len(errors) < 3:
                    raise RuntimeError("in the sender")
                return whole()

            monkeypatch.setattr(outbox(client), "_next_batch", broken)
            until(lambda: listener.records("sample")[-1]["cost"]["hook_errors"] == 2)
        assert complete(listener)


@pytest.mark.parametrize("answer", [413, 408], ids=["too large", "too slow"])
def test_a_batch_that_is_too_large_is_halved_until_it_fits(settings, answer):
    listener = Listener([200, answer, answer])
    with listening(listener) as address:
        with reporting(address, interval="30s") as client:
            client.gather(client.map(abs, range(-9, 0)))
        assert complete(listener)
    assert not listener.records("dropped")


def at_once(monkeypatch):
    """Tries again without waiting."""
    back_off = bobbin._Outbox._back_off

    def hurried(outbox, reply):
        back_off(outbox, reply)
        outbox.delay, outbox.next_try = 0.01, 0.0

    monkeypatch.setattr(bobbin._Outbox, "_back_off", hurried)


def test_an_internal_error_that_lasts_loses_nothing(settings, monkeypatch):
    """As where the receiver's disk is damaged: one batch after the other is put aside, and all arrive in the end."""
    at_once(monkeypatch)
    monkeypatch.setattr(bobbin, "FAULTS", 3)
    listener = Listener([500] * 12)
    with listening(listener) as address:
        with reporting(address, spool__limit=0) as client:
            client.submit(divmod, 1, 0).exception()
            until(lambda: listener.records("exception"))
    assert sorted(listener.numbers()) == list(range(1, len(listener.numbers()) + 1))
    assert listener.records("cluster") and listener.records("stop") and not listener.records("dropped")


def test_what_something_before_the_receiver_finds_too_large_is_kept(settings, monkeypatch):
    """No receiver of Bobbin's says so of a single record."""
    at_once(monkeypatch)
    listener = Listener([200] + [413] * 12)
    with listening(listener) as address:
        with reporting(address, interval="30s") as client:
            client.submit(divmod, 1, 0).exception()
            until(lambda: listener.records("exception"), 60)
    assert not listener.records("dropped")


@pytest.mark.parametrize("answer", [409, 422])
def test_a_batch_that_is_refused_is_dropped_and_told(settings, caplog, answer):
    listener = Listener([answer])
    with caplog.at_level("INFO", "distributed.bobbin"), listening(listener) as address:
        with reporting(address) as client:
            until(lambda: listener.kept)
            client.submit(abs, -1).result()
    dropped = {row["what"]: row for row in listener.records("dropped")}
    assert dropped["cluster"]["count"] == 1
    assert {row["reason"] for row in dropped.values()} == {"refused"}
    (line,) = [record.getMessage() for record in caplog.records if "answers %d" % answer in record.getMessage()]
    assert "lost and counted" in line and "sends them later" not in line


def test_an_outage_loses_nothing_and_ends_soon(settings):
    listener = Listener()
    with held_port() as port, ExitStack() as again:
        with reporting("http://127.0.0.1:%d" % port, interval="0.2s") as client:
            with listening(listener, port=port):
                until(lambda: len(listener.kept) > 1)
            # Nobody listens now.
            for number in range(10):
                client.submit(abs, -number, pure=False).result()
            time.sleep(1.5)
            until(lambda: outbox(client).waiting() > 5)
            again.enter_context(listening(listener, port=port))
            start = time.monotonic()
            until(lambda: outbox(client).waiting() < 4)
            assert time.monotonic() - start < 5
        assert complete(listener)
    assert listener.records("sample")[-1]["totals"]["tasks_completed"] == 10


def test_a_receiver_that_starts_later_is_found_at_once(settings):
    data = settings / "data"
    data.mkdir()
    with reporting(None, token=None) as client:
        client.submit(abs, -1).result()
        time.sleep(3.5)
        listener = Listener()
        with listening(listener, path=data / "receiver.sock"):
            (data / "token").write_text("bobbinabc\n")
            found = {"pid": 1, "tcp": "127.0.0.1:1", "socket": str(data / "receiver.sock"), "token_file": str(data / "token")}
            (data / "receiver.json").write_text(json.dumps(found))
            start = time.monotonic()
            until(lambda: listener.kept)
            assert time.monotonic() - start < 2
    assert listener.tokens[0] == "Bearer bobbinabc"


def certificate(folder):
    """A self-signed certificate; its file and its SHA-256."""
    x509 = wanted("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "somebody")])
    day = datetime.timedelta(days=1)
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now - day).not_valid_after(now + day)
    made = builder.sign(key, hashes.SHA256())
    pem = made.public_bytes(serialization.Encoding.PEM)
    pem += key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "certificate.pem"
    path.write_bytes(pem)
    return path, hashlib.sha256(made.public_bytes(serialization.Encoding.DER)).hexdigest()


def announced(settings, tcp, pin):
    """What a receiver leaves in its folder; nobody serves the socket."""
    data = settings / "data"
    data.mkdir()
    (data / "receiver.sock").write_text("")
    (data / "token").write_text("bobbinabc")
    found = {"pid": 1, "tcp": tcp, "socket": str(data / "receiver.sock"), "token_file": None, "certificate_sha256": pin}
    (data / "receiver.json").write_text(json.dumps(found))


def test_a_socket_that_nobody_serves_gives_way_to_the_port(settings):
    path, pin = certificate(settings)
    listener = Listener()
    with listening(listener, certificate=path) as address:
        announced(settings, address[len("https://") :], pin)
        with reporting(None, token=None):
            until(lambda: listener.kept)
    assert listener.tokens[0] == "Bearer bobbinabc"


@pytest.mark.parametrize("how", ["plain", "another certificate", "no certificate named"])
def test_whoever_takes_the_port_of_a_receiver_that_is_gone_gets_nothing(settings, how):
    path, pin = certificate(settings)
    listener = Listener()
    with listening(listener, certificate=path if how == "another certificate" else None) as address:
        announced(settings, address.split("//")[1], None if how == "no certificate named" else "0" * 64)
        with reporting(None, token=None) as client:
            assert client.submit(abs, -1).result() == 1
            until(lambda: outbox(client).failing_since)
            time.sleep(1)
    assert not listener.bodies and not listener.tokens


def test_over_tls_only_the_pinned_certificate_gets_a_byte(settings):
    path, pin = certificate(settings)
    listener = Listener()
    with listening(listener, certificate=path) as address:
        with reporting(address + "#sha256=" + pin):
            until(lambda: listener.kept)
        assert complete(listener)
        came = len(listener.bodies)
        with reporting(address + "#sha256=" + "0" * 64):
            time.sleep(1)
        assert len(listener.bodies) == came


def order(header, **changes):
    found = {"instance_id": header["instance_id"], "nonce": "n1", "left_micros": 60_000_000}
    return dict(found, **changes)


def test_each_sample_tells_what_was_sent_since_the_one_before(settings):
    listener = Listener()
    with listening(listener, path=settings / "s") as address:
        with reporting(address) as client:
            for number in range(5):
                client.submit(abs, number).result()
                seen = len(listener.records("sample"))
                until(lambda: len(listener.records("sample")) > seen + 1)
    told = sum(sample["cost"]["sent_bytes"] for sample in listener.records("sample"))
    sizes = [len(body) for body in listener.bodies]
    # All but what went with the last samples themselves.
    assert sum(sizes[:-3]) <= told <= sum(sizes)


@pytest.mark.parametrize(
    "allowed, changes, ignored",
    [
        (True, {}, None),
        (False, {}, "not_allowed"),
        (True, {"instance_id": "another"}, "other_instance"),
        (True, {"left_micros": 1}, "expired"),
        (True, {"nonce": None}, "no_order"),
        (True, {"nonce": []}, "no_order"),
        (True, {"left_micros": "for ever"}, "no_order"),
    ],
)
def test_a_cluster_is_closed_only_where_that_is_allowed(settings, allowed, changes, ignored):
    listener = Listener(stop=lambda header: order(header, **changes))
    with listening(listener, path=settings / "s") as address:
        with reporting(address, **{"remote-close": allowed}) as client:
            cluster = client.cluster
            if ignored is None:
                until(lambda: cluster.scheduler.status.name == "closed")
            else:
                until(lambda: {row["reason"] for row in listener.records("dropped")} == {ignored})
                assert cluster.scheduler.status.name == "running"
            start = time.monotonic()
        assert time.monotonic() - start < 10
    assert listener.records("stop")[0]["reason"] == ("remote_close" if ignored is None else "closed")
    assert {row["what"] for row in listener.records("dropped")} == ({"stop_order"} if ignored else set())


def test_an_order_that_took_longer_to_come_than_it_holds_is_not_obeyed(settings):
    """Whatever any clock says."""

    def late(header):
        time.sleep(0.6)
        return order(header, left_micros=500_000)

    listener = Listener(stop=late)
    with listening(listener, path=settings / "s") as address, reporting(address, **{"remote-close": True}) as client:
        until(lambda: listener.records("dropped"))
        assert {row["reason"] for row in listener.records("dropped")} == {"expired"}
        assert client.cluster.scheduler.status.name == "running"


def test_no_order_over_an_open_port_is_obeyed_whatever_the_settings_say(settings, monkeypatch):
    monkeypatch.setattr(bobbin.Settings, "obeys", True)
    listener = Listener(stop=order)
    with listening(listener) as address, reporting(address) as client:
        until(lambda: listener.records("dropped"))
        assert {row["reason"] for row in listener.records("dropped")} == {"not_pinned"}
        assert client.cluster.scheduler.status.name == "running"


def test_an_order_that_anybody_may_have_given_is_not_obeyed(settings):
    listener = Listener(stop=order)
    with listening(listener) as address, reporting(address, **{"remote-close": True}) as client:
        until(lambda: listener.records("dropped"))
        assert {row["reason"] for row in listener.records("dropped")} == {"not_allowed"}
        assert client.cluster.scheduler.status.name == "running"
    # Nor does the cluster say that it would.
    assert listener.records("cluster")[0]["switches"]["remote_close"] is False


def test_an_order_that_was_obeyed_once_does_not_close_the_next_cluster(settings):
    """The first scheduler's order is replayed to every other: to one that started since, and to another attachment."""
    first = []

    def replay(header):
        first.append(order(header))
        return first[0]

    listener = Listener(stop=replay)
    with listening(listener, path=settings / "s") as address:
        with reporting(address, **{"remote-close": True}) as client:
            until(lambda: client.cluster.scheduler.status.name == "closed")
        with reporting(address, **{"remote-close": True}) as client:
            until(lambda: listener.records("dropped"))
            assert client.cluster.scheduler.status.name == "running"
    assert [row["reason"] for row in listener.records("stop")] == ["remote_close", "closed"]


def test_what_waits_is_bounded_and_samples_go_first(settings, monkeypatch):
    monkeypatch.setattr(bobbin, "QUEUE_BYTES", 10_000)
    listener = Listener()
    with reporting("http://127.0.0.1:9", interval="0.2s", spool__limit=0) as client:
        failed = client.submit(divmod, 1, 0)
        failed.exception()
        until(lambda: outbox(client).shed_records > 5, 60)
        assert outbox(client).plain.bytes <= 10_000 and outbox(client).text.bytes <= 20_000
        run = client.cluster.scheduler.plugins["bobbin"]._run
        with listening(listener) as address:
            outbox(client).door.finder.settings.receiver = address
            until(lambda: listener.records("dropped") and listener.records("exception"), 20)

            def equal():
                shed = sum(row["count"] for row in listener.records("dropped"))
                return listener.records("sample")[-1]["cost"]["shed_records"] == shed

            # A sample tells what was shed before it; one that is made now sheds no other.
            until(equal)
    assert run.finished
    dropped = listener.records("dropped")
    assert {row["what"] for row in dropped} == {"sample"}
    assert sum(row["count"] for row in dropped) > 5
    assert listener.records("exception") and listener.records("cluster") and listener.records("computation")
