"""Every page of the manual is followed by its text alone, on a machine that has nothing of Bobbin's yet."""

import json
import subprocess
import time

import pytest
import yaml
from machine import BINARIES, PATIENCE, Machine
from pages import DOCS, blocks, manual

DONE = ("sh", "python")

# How many clusters have reported once the page was followed.
CLUSTERS = {"README": 1, "guarantees": 1, "reporting": 7}

# Pages in the order in which a reader may follow them, and those before which the reader quits what is open, as they say.
ORDER = ("README", "command-line", "formats", "privacy", "agents", "desktop", "hub", "destinations", "storage")
QUIT = ("desktop", "storage")

# Scripts that no later block runs, since they ask a bucket: test_queries.py does.
QUERIES = ("s3.py", "spark.py")


@pytest.mark.parametrize("page", [page for page in manual() if any(b.language in DONE for b in blocks(page))], ids=lambda page: page.stem)
def test_the_page_does_what_it_says(page, tmp_path):
    machine = Machine(tmp_path)
    try:
        for block in blocks(page):
            machine.do(block)
        end = time.monotonic() + PATIENCE
        while clusters(machine) < CLUSTERS.get(page.stem, 0):
            assert time.monotonic() < end, "%d clusters reported" % clusters(machine)
            time.sleep(0.2)
    finally:
        machine.end()


def test_a_page_does_what_it_says_after_the_pages_before_it(tmp_path):
    """In one home and one shell, with Bobbin left open: what a page leaves behind is in no other's way."""
    machine = Machine(tmp_path)
    try:
        for name in ORDER:
            if name in QUIT:
                machine.quit()
            for block in blocks(DOCS / (name + ".md")):
                machine.do(block)
    finally:
        machine.end()


@pytest.mark.parametrize("page", manual(), ids=lambda page: page.stem)
def test_each_script_of_the_page_is_run(page):
    found = blocks(page)
    for at, block in enumerate(found):
        if block.language == "python" and block.words and block.words[0] not in QUERIES:
            assert any(block.words[0] in later.text for later in found[at + 1 :]), block


def test_the_pods_of_the_manual_are_whole():
    """As the operator's definition wants them, and with a volume for each mount."""
    (block,) = [block for block in blocks(DOCS / "reporting.md") if block.words == ["dask-cluster.yaml"]]
    wanted = list(yaml.safe_load_all(block.text))
    cluster = wanted[-1]
    claims = [one["metadata"]["name"] for one in wanted if one["kind"] == "PersistentVolumeClaim"]
    assert cluster["kind"] == "DaskCluster" and cluster["spec"].keys() == {"scheduler", "worker"}
    scheduler, worker = cluster["spec"]["scheduler"], cluster["spec"]["worker"]
    for pod in (scheduler["spec"], worker["spec"]):
        mounts = {mount["name"] for container in pod["containers"] for mount in container.get("volumeMounts", [])}
        assert mounts == {volume["name"] for volume in pod.get("volumes", [])}
    assert [volume["persistentVolumeClaim"]["claimName"] for volume in scheduler["spec"]["volumes"] if "persistentVolumeClaim" in volume] == claims
    assert scheduler["service"]["selector"] == {"dask.org/cluster-name": cluster["metadata"]["name"], "dask.org/component": "scheduler"}
    named = {port["name"] for port in scheduler["spec"]["containers"][0]["ports"]}
    assert {port["targetPort"] for port in scheduler["service"]["ports"]} == named


def clusters(machine):
    """How many there are, as the shell says."""
    done = subprocess.run([str(BINARIES / "bobbin"), "clusters", "--json"], env=machine.environment, capture_output=True, text=True)
    return len(json.loads(done.stdout)["rows"]) if done.returncode == 0 else 0


def test_a_page_that_is_wrong_is_found(tmp_path):
    page = tmp_path / "wrong.md"
    page.write_text("```sh\ntrue\n```\n\n```sh\nbobbin clutsers\n```\n")
    machine = Machine(tmp_path)
    first, second = blocks(page)
    try:
        machine.do(first)
        with pytest.raises(AssertionError, match="clutsers"):
            machine.do(second)
    finally:
        machine.end()
