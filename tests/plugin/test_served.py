"""What the receiver serves to the published client: loading it changes nothing that stays."""

import inspect
import sys

import pytest
from distributed import Client, LocalCluster
from processes import PLUGIN

# As the published client does it: load the text, then register what it defines.
CALLER = """
def register(text, client, fails):
    module = {"__name__": "loaded"}
    exec(compile(text, "served", "exec"), module)
    if fails:
        raise RuntimeError("before the call")
    return client.register_plugin(module["CoiledTelemetry"](), idempotent=True)
"""


class Calls:
    """A client that notes what its method is called with."""

    def __init__(self):
        self.made = []


@pytest.fixture
def register(monkeypatch):
    if "idempotent" in inspect.signature(Client.register_plugin).parameters:
        pytest.skip("this Dask takes the keyword itself")

    def original(self, plugin, name=None, **keywords):
        self.made.append((plugin, keywords))

    monkeypatch.setattr(Client, "register_plugin", original)
    # Gone again afterwards: the module that loading makes.
    monkeypatch.setitem(sys.modules, "bobbin_telemetry", None)
    text = (PLUGIN.parent / "served.py").read_text()
    for name, value in (("SOURCE", PLUGIN.read_text()), ("RECEIVER", "http://127.0.0.1:1"), ("KEY", "k")):
        text = text.replace("__BOBBIN_%s__" % name, repr(value))
    caller = {"__name__": "coiled.analytics"}
    exec(CALLER, caller)

    class Double(Calls):
        # Looked up with each call, as on the class itself.
        def register_plugin(self, *arguments, **keywords):
            return Client.register_plugin(self, *arguments, **keywords)

    def call(client, fails=False):
        caller["register"](text, client, fails)

    return call, Double, original


def test_one_call_of_register_works_and_then_the_method_is_as_it_was(register):
    call, Double, original = register
    client = Double()
    call(client)
    ((plugin, keywords),) = client.made
    assert type(plugin).__name__ == "CoiledTelemetry" and keywords == {}
    assert Client.register_plugin is original


def test_who_made_the_cluster_goes_along(monkeypatch):
    # As above: the module that loading makes is gone afterwards.
    monkeypatch.setitem(sys.modules, "bobbin_telemetry", None)
    text = (PLUGIN.parent / "served.py").read_text()
    for name, value in (("SOURCE", PLUGIN.read_text()), ("RECEIVER", "http://127.0.0.1:1"), ("KEY", "k")):
        text = text.replace("__BOBBIN_%s__" % name, repr(value))
    with LocalCluster(n_workers=0, processes=False, dashboard_address=":0", name="ours") as cluster, Client(cluster):
        module = {"__name__": "loaded"}
        exec(compile(text, "served", "exec"), module)
        maker = module["CoiledTelemetry"]()._given["maker"]
    assert (maker["class"], maker["name"]) == ("LocalCluster", "ours")


def test_a_register_that_fails_before_its_call_leaves_others_calls_alone(register):
    call, Double, original = register
    with pytest.raises(RuntimeError):
        call(Double(), fails=True)
    client = Double()
    Client.register_plugin(client, "another plugin", idempotent=True)
    assert client.made == [("another plugin", {"idempotent": True})]
    assert Client.register_plugin is original
