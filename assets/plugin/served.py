"""Bobbin's plugin as the receiver hands it to the published client, and to `dask scheduler --preload http://…`.

Both run this text in a module that nobody can import again. So Bobbin's own source, given below as text, is loaded under
a name of its own, and what is pickled to a scheduler is that text again, never a class.
"""

import hashlib
import inspect
import sys
import types

from distributed import Client

# Filled in by the receiver with string literals.
SOURCE = __BOBBIN_SOURCE__
RECEIVER = __BOBBIN_RECEIVER__
KEY = __BOBBIN_KEY__


def _load():
    """The module of SOURCE: the one that is loaded already, or a new one. Compiled without the flags of whoever runs us."""
    module = sys.modules.get("bobbin_telemetry")
    digest = hashlib.sha256(SOURCE.encode("utf-8")).hexdigest()
    if module is None or getattr(module, "source_digest", str)() != digest:
        module = types.ModuleType("bobbin_telemetry")
        module.__dict__["_SOURCE"] = SOURCE
        exec(compile(SOURCE, "bobbin_telemetry.py", "exec", 0, True), module.__dict__)
        sys.modules["bobbin_telemetry"] = module
    return module


bobbin = _load()


class CoiledTelemetry(bobbin.BobbinPlugin):
    """The name under which the published client looks for the plugin."""

    def __init__(self):
        # What this client's configuration says goes along, as with `bobbin.register()`.
        super().__init__({**bobbin._explicit(), **bobbin.current_maker(), "receiver": RECEIVER, "token": KEY})
        bobbin.capture_code(bobbin.Settings(self._given))


def dask_setup(scheduler):
    bobbin.preload(scheduler, {"receiver": RECEIVER, "token": KEY})


def _repair_one_call():
    """Lets the published client's `register()` work with distributed 2026.6 and later.

    It passes `idempotent` to `Client.register_plugin`, which no longer takes that: plugins say it themselves, and ours does.
    The next call of the method, if that `register` makes it, has the keyword taken out; a call of anybody else has not, as when
    `register` failed before it came so far. Either way the method is then as it was.
    """
    original = Client.register_plugin
    if "idempotent" in inspect.signature(original).parameters:
        return

    def register_plugin(self, plugin, name=None, **keywords):
        if Client.register_plugin is register_plugin:
            Client.register_plugin = original
        if _called_by_register():
            keywords.pop("idempotent", None)
        return original(self, plugin, name, **keywords)

    Client.register_plugin = register_plugin


def _called_by_register():
    frame = sys._getframe()
    while frame is not None:
        package = frame.f_globals.get("__name__") or ""
        if package.split(".")[0] == "coiled" and "register" in frame.f_code.co_name:
            return True
        frame = frame.f_back
    return False


if hasattr(Client, "register_plugin") and _called_by_register():
    _repair_one_call()
