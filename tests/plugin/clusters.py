"""The cluster that most tests work on: in their own process, its workers as threads."""

import bobbin
import pytest
from distributed import Client, LocalCluster


def client_of(workers, threads, register=False):
    """The fixture `client` of a module."""

    @pytest.fixture
    def client():
        options = {"n_workers": workers, "threads_per_worker": threads, "processes": False, "dashboard_address": ":0"}
        with LocalCluster(**options) as cluster, Client(cluster) as client:
            if register:
                bobbin.register(client)
            yield client

    return client
