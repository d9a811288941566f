"""The workflow of ci.md, step by step, as a runner would type them: first with nothing to compare with, then again."""

import tarfile

import yaml
from machine import BINARIES, Machine
from pages import DOCS, Block, blocks

RUNS = ("the first run", "a later run")


def test_every_step_of_the_workflow_runs(tmp_path):
    page = DOCS / "ci.md"
    (script,) = [block for block in blocks(page) if block.words == ["performance.py"]]
    (workflow,) = [block for block in blocks(page) if block.language == "yaml"]
    job = yaml.safe_load(workflow.text)["jobs"]["check"]
    for number, run in enumerate(RUNS):
        machine = runner(tmp_path / str(number), job, script)
        home = machine.homes["here"]
        if number:
            # What the cache brings back.
            (tmp_path / "0" / "home" / "work" / "main").rename(home.work / "main")
        try:
            for step in job["steps"]:
                if "run" not in step or ("hashFiles" in step.get("if", "") and not number):
                    continue
                # The run is real, so a busy machine may make it slower than the limit allows.
                either = " || [ $? = 1 ]" if "bobbin check" in step["run"] else ""
                machine.do(Block(page, workflow.line, "sh", [], step["run"] + either))
                # What one step adds, the next ones have.
                home.type('export PATH="$(cat "$GITHUB_PATH" 2>/dev/null):$PATH"', workflow)
        finally:
            machine.end()
        summary = home.work / "summary"
        assert summary.exists() == bool(number), run
    assert {"✅", "❌"} & set(summary.read_text())


def runner(folder, job, script):
    """A machine as a job finds it: with the repository and Python, but without Bobbin."""
    folder.mkdir()
    machine = Machine(folder, has_bobbin=False)
    work = machine.homes["here"].work
    machine.do(script)
    (work / "ci").mkdir()
    with tarfile.open(work / "ci" / "bobbin-0.1.0-x86_64-linux.tar.gz", "w:gz") as archive:
        archive.add(BINARIES / "bobbin", "bobbin-0.1.0-x86_64-linux/bobbin")
    # Dask is there already.
    machine.stand_in(folder / "programs", "pip", '#!/bin/sh\n[ "$*" = "install distributed" ]\n')
    named = {"GITHUB_PATH": work / "path", "GITHUB_STEP_SUMMARY": work / "summary", **job["env"]}
    for name, value in named.items():
        machine.homes["here"].type("export %s='%s'" % (name, value), script)
    return machine
