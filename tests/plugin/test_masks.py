"""What each switch takes out of a record, wherever in it that stands."""

import getpass
import json
import re
import socket
import time

import bobbin
import dask
import pytest
from distributed import Client, LocalCluster, span, wait
from reports import latest, raw, records, until

OFF = {"exceptions", "names", "user", "host", "paths"}


def mask(*off):
    with dask.config.set({"bobbin.%s.transmit" % switch: False for switch in off}):
        return bobbin._Mask(bobbin.Settings(), b"salt")


@pytest.mark.parametrize(
    "off, text, left",
    [
        ("paths", "open('/data/my project/customers.csv') failed", "open('customers.csv') failed"),
        ("paths", '  File "/home/ada/jobs/etl.py", line 3, in load', '  File "etl.py", line 3, in load'),
        ("paths", "~/jobs/etl.py and C:\\Users\\ada\\etl.py", "etl.py and etl.py"),
        ("paths", "1/2 of a/b and 3 / 4", "1/2 of a/b and 3 / 4"),
        ("paths", r"'/'.join(a) + '\n' + b['\t'] + '\\' + '\n\n'", r"'/'.join(a) + '\n' + b['\t'] + '\\' + '\n\n'"),
        ("paths", r"'\n/data/my project/a.csv' or 'at:\t/data/b.csv'", r"'\na.csv' or 'at:\tb.csv'"),
        ("paths", r"'\\server\share\a.csv', '\Users\ada\b.csv' and '/data/'", "'a.csv', 'b.csv' and ''"),
        ("user", "/home/ada/work", "/home/<user>/work"),
        ("user", getpass.getuser() + "'s table", "<user>'s table"),
        ("host", "cannot reach tcp://10.1.2.3:8786, nor 10.1.2.3:80", "cannot reach <address>, nor <host>"),
        ("user", r"'\n%s in\t/home/ada'" % getpass.getuser(), r"'\n<user> in\t/home/<user>'"),
        ("host", "%s is down" % socket.gethostname(), "<host> is down"),
        ("host", "tls://[2001:db8::7%eth0]:8786 and fe80::1c2:3, ::ffff:1", "<address> and <host>, <host>"),
        ("host", r"\n10.1.2.3:80\r%s\nfe80::1c2:3\ttls://10.1.2.3:1" % socket.gethostname(), r"\n<host>\r<host>\n<host>\t<address>"),
        ("host", "12:34:56, std::list, x[1::2], a::b", "12:34:56, std::list, x[1::2], a::b"),
    ],
)
def test_a_text_loses_what_is_off_and_no_more(off, text, left):
    assert mask(off)._text(text) == left
    assert mask()._text(text) == text


@pytest.mark.parametrize(
    "off, code, left",
    [
        ("paths", "table = open('/data/private/rows.csv')\nhalf = len(table) / 2", "table = open('rows.csv')\nhalf = len(table) / 2"),
        ("host", "client = Client('tcp://10.1.2.3:8786')", "client = Client('<address>')"),
        ("user", "folder = '/home/ada/work'", "folder = '/home/<user>/work'"),
        # It names functions, whatever becomes of the names of tasks.
        ("names", "customer(rows)", "customer(rows)"),
    ],
)
def test_source_code_loses_users_hosts_and_folders(off, code, left):
    hide = mask(off)
    hide._task("customer")
    frame = {"code": code, "filename": "etl.py", "line": 1}
    (told,) = hide._computation({"kind": "computation", "code": [frame]})["code"]
    assert told["code"] == left and told["line"] == 1
    profile = {
        "prefix": None,
        "strings": ["load", "etl.py", code, "half"],
        "frames": {"name": [0], "file": [1], "line": [1], "text": [None]},
        "lines": {"frame": [0], "line": [1], "text": [2], "ended": [1], "samples": [1]},
    }
    assert hide._profile(profile)["strings"] == ["load", "etl.py", left, "half"]
    without_lines = {name: part for name, part in profile.items() if name != "lines"}
    without_lines["frames"] = dict(profile["frames"], text=[2])
    assert hide._profile(without_lines)["strings"][2] == left


def test_names_are_found_in_texts_with_what_follows_them_in_a_key():
    hide = mask("names")
    name = hide._task("customer")
    assert re.fullmatch("task-[0-9a-f]{8}", name) and name == hide._task("customer")
    assert name != bobbin._Mask(hide.settings, b"other")._task("customer")
    assert hide._text("Dask gave up task customer-17ab: customers wait") == "Dask gave up task %s: customers wait" % name
    assert hide._text(r"'\ncustomer-17ab\ncustomers'") == r"'\n%s\ncustomers'" % name


def test_what_stands_for_a_group_begins_with_what_stands_for_its_prefix_wherever_either_is_told():
    told = {"group": None, "message": None, "traceback": None, "worker": None, "details": None}

    def group(name, prefix):
        made = mask("names")._task_group({"name": name, "prefix": prefix})
        assert mask("names")._exception(dict(told, group=name))["group"] == made["name"]
        assert mask("names")._metric({"prefix": prefix, "activity": "executor"})["prefix"] == made["prefix"]
        return made["name"], made["prefix"]

    # What Dask calls a group is its prefix, a dash and a token, or its prefix alone.
    one, prefix = group("read-orders-17ab", "read-orders")
    other, same = group("read-orders-%032x" % 5, "read-orders")
    assert re.fullmatch("task-[0-9a-f]{8}", prefix) and prefix == same and one != other
    assert all(re.fullmatch(prefix + "-[0-9a-f]{8}", name) for name in (one, other))
    assert group("read-orders", "read-orders") == (prefix, prefix)
    assert not group("order-17ab", "order")[0].startswith(prefix)
    # No name stays none, and names that are on stay what they are.
    assert mask("names")._exception(told)["group"] is None
    assert mask("names")._metric({"prefix": None, "activity": "executor"})["prefix"] is None
    assert mask("paths")._exception(dict(told, group="order-17ab"))["group"] == "order-17ab"


@pytest.mark.parametrize("key", ["customer-17ab", "('customer-17ab', 3)", ["customer-17ab", 3], "customer"])
def test_the_key_of_a_task_that_is_gone_is_a_name(key):
    packet = {"key": key, "start": "memory", "story": [["order-0c1d2e3f4a", "ready", "customer-17ab failed"], "odd"]}
    hide = mask("names")
    event = hide._event({"topic": "invalid-worker-transition", "payload": packet})
    failure = {"group": None, "message": "customer-17ab memory", "traceback": None, "worker": None, "details": json.dumps(packet)}
    for told in (event, mask("names")._exception(failure)):
        assert "memory" in str(told) and not {"customer", "order"} & set(re.findall("[a-z]+", str(told))), told
    # What was cut is no JSON, and what is no packet has no keys.
    assert hide._exception(dict(failure, details=json.dumps(packet)[:-5]))["message"].startswith("task-")
    assert hide._event({"topic": "invalid-worker-transition", "payload": ["odd"]})["payload"] == ["odd"]


def test_a_failure_that_names_a_group_of_the_same_report_is_told_without_that_name(settings):
    with dask.config.set({"bobbin.names.transmit": False, "bobbin.code.transmit": False, "bobbin.interval": "60s"}):
        with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
            bobbin.register(client)
            until(lambda: cluster.scheduler.plugins["bobbin"]._run.steps is None)
            kept = client.submit(abs, 1, key="customer-17ab")
            wait([kept, client.submit(refer, 1)])
    (failure,) = records(settings / "out", "exception")
    assert failure["message"].endswith(" has no rows") and b"customer" not in raw(settings / "out")


def test_a_thousand_workers_and_any_number_of_names_are_found_in_a_text_that_is_read_once(monkeypatch):
    monkeypatch.setattr(bobbin, "WORDS", 2000)
    hide = mask("names", "host")
    for number in range(3000):
        name, address = "job-17-%d" % number, "tcp://10.0.0.1:%d" % number
        hide._worker({"address": address, "name": name, "host": "node-%d.cluster" % number})
        hide._hash("task", "sum-%032x" % number)
    began = time.process_time()
    for _ in range(100):
        left = hide._text("job-17-2999 on node-2998.cluster: sum-%032x-17 is lost" % 2997)
    assert left == "worker-3000 on <host>: %s is lost" % hide._hash("task", "sum-%032x" % 2997)
    assert hide._text("sum-1 " * 10000) == "sum-1 " * 10000
    # Milliseconds; a pattern of all of them took seconds.
    assert time.process_time() - began < 1.0
    assert hide._text("job-17-29990, my_job-17-2999, job-17-2999") == "job-17-29990, my_job-17-2999, worker-3000"
    assert len(hide.names.instead) <= 2000 and len(hide.machines.instead) <= 2000 and len(hide.workers) <= 2000


def refer(x):
    raise ValueError("customer-17ab has no rows")


def refuse(x):
    raise ValueError("row of /data/private/rows.csv at tcp://10.9.8.7:1 is wrong")


def test_everything_off_leaves_the_numbers(settings, caplog):
    caplog.set_level("INFO", "distributed.bobbin")
    out = settings / "out"
    chosen = {"bobbin.%s.transmit" % switch: False for switch in OFF | {"code"}}
    chosen.update({"bobbin.events.allow": "*", "distributed.diagnostics.computations.nframes": 2})
    with dask.config.set(chosen):
        with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
            with Client(cluster) as client:
                bobbin.register(client)
                with span("private-span"):
                    kept = client.map(abs, range(3), key=["customer-%032x" % number for number in range(3)])
                    failed = client.submit(refuse, 1)
                    wait([*kept, failed])
                client.log_event("all", {"text": "customer-1 on tcp://10.9.8.7:1", "path": "/data/private/x.csv"})
                until(lambda: [row for row in records(out, "event") if row["payload"] and "text" in row["payload"]])
                address = cluster.scheduler.address
    rows = latest(out, "task_group", "group_id").values()
    assert sorted(row["states"].get("forgotten", 0) for row in rows) == [1, 3]
    # Of keys that are no tuples, Dask calls group and prefix the same.
    assert all(re.fullmatch("task-[0-9a-f]{8}", row["name"]) and row["prefix"] == row["name"] for row in rows)
    names = {row["prefix"] for row in rows}
    assert {row["prefix"] for row in records(out, "metric") if row["prefix"]} <= names
    (failure,) = latest(out, "exception", "exception_id").values()
    assert (failure["exception_type"], failure["count"], failure["worker"]) == ("ValueError", 1, "worker-1")
    assert (failure["message"], failure["traceback"]) == (None, None)
    assert failure["group"] in {row["name"] for row in rows}
    assert {(row["address"], row["name"], row["host"]) for row in records(out, "worker")} == {("worker-1", "worker-1", None)}
    (cluster,) = latest(out, "cluster", "kind").values()
    for field in ("user", "host", "scheduler_address", "dashboard_url", "python_path"):
        assert cluster[field] is None
    assert not any(cluster["switches"][switch] for switch in OFF)
    (told,) = [line.getMessage() for line in caplog.records if "reports every" in line.getMessage()]
    assert ": metrics; events of *." in told
    left = raw(out).decode()
    for word in ("customer", "private", "10.9.8.7", address, "inproc://", "refuse"):
        assert word not in left, word
