"""A disk so small that it is soon full."""

import os
import shutil
import subprocess
from contextlib import contextmanager

import pytest
from processes import lacking


@contextmanager
def small_disk(folder, size):
    """`folder`, new, on a disk of its own of `size`, such as `256k`: mounted as root, or by `sudo` where that asks for nothing."""
    folder.mkdir(mode=0o700)
    owner = "size=%s,mode=700,uid=%d,gid=%d" % (size, os.geteuid(), os.getegid())
    as_root = ["sudo", "--non-interactive"] if os.geteuid() and shutil.which("sudo") else []
    mount = [*as_root, "mount", "-t", "tmpfs", "-o", owner, "bobbin-tests", str(folder)]
    mounted = subprocess.run(mount, capture_output=True, text=True)
    if mounted.returncode:
        lacking("no small disk can be mounted here: %s" % mounted.stderr.strip())
    try:
        yield folder
    finally:
        subprocess.run([*as_root, "umount", "--lazy", str(folder)], check=True)


def fill(folder):
    """Leaves no room there, until its `ballast` is taken away."""
    with open(folder / "ballast", "wb", buffering=0) as ballast, pytest.raises(OSError, match="No space"):
        while True:
            ballast.write(b"\0" * 4096)
