"""A desktop as far as a program sees it over the session bus: a tray with a host, and a service that shows notices.

Run under a bus of its own. Each line of its standard input is a command in JSON, each line of its output an answer or something
that happened. It is written with libdbus's Python binding alone, so that it knows nothing of how Bobbin speaks.
"""

import json
import sys

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

WATCHER = "org.kde.StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
MENU = "com.canonical.dbusmenu"
NOTICES = "org.freedesktop.Notifications"


def tell(**what):
    print(json.dumps(what), flush=True)


class Watcher(dbus.service.Object):
    """The tray: items register, and one host shows them."""

    def __init__(self, bus):
        self.name = dbus.service.BusName(WATCHER, bus)
        super().__init__(bus, "/StatusNotifierWatcher")
        self.items = []

    @dbus.service.method(WATCHER, in_signature="s", sender_keyword="sender")
    def RegisterStatusNotifierItem(self, service, sender=None):
        self.items.append(sender if service.startswith("/") else str(service))
        tell(event="item", service=str(service))

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v")
    def Get(self, _interface, name):
        return self.GetAll(None)[name]

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _interface):
        return {
            "IsStatusNotifierHostRegistered": dbus.Boolean(True),
            "ProtocolVersion": dbus.Int32(0),
            "RegisteredStatusNotifierItems": dbus.Array(self.items, signature="s"),
        }


class Notices(dbus.service.Object):
    """What shows notices, and is clicked."""

    def __init__(self, bus):
        self.name = dbus.service.BusName(NOTICES, bus)
        super().__init__(bus, "/org/freedesktop/Notifications")
        self.last = 0

    @dbus.service.method(NOTICES, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, app, _replaces, icon, summary, body, actions, hints, _timeout):
        self.last += 1
        tell(
            event="notice",
            number=self.last,
            app=str(app),
            icon=str(icon),
            summary=str(summary),
            body=str(body),
            actions=[str(action) for action in actions],
            entry=str(hints.get("desktop-entry", "")),
        )
        return dbus.UInt32(self.last)

    @dbus.service.signal(NOTICES, signature="us")
    def ActionInvoked(self, number, action):
        pass

    @dbus.service.method(NOTICES, out_signature="as")
    def GetCapabilities(self):
        return ["body", "actions"]


class Desktop:
    def __init__(self):
        self.bus = dbus.SessionBus()
        self.watcher = None
        self.notices = Notices(self.bus)

    def tray(self, **_):
        """Starts the tray, as a desktop does some time after its programs."""
        self.watcher = self.watcher or Watcher(self.bus)
        return True

    def items(self, **_):
        return [item for item in self.watcher.items if self.bus.name_has_owner(item)]

    def _item(self):
        return self.bus.get_object(self.items()[-1], "/StatusNotifierItem")

    def item(self, **_):
        """What the icon tells, and its menu."""
        read = lambda name: self._item().Get(ITEM, name, dbus_interface=dbus.PROPERTIES_IFACE)
        pixels = read("IconPixmap")
        return {
            "id": str(read("Id")),
            "title": str(read("Title")),
            "tip": [str(read("ToolTip")[2]), str(read("ToolTip")[3])],
            "icons": [[int(width), int(height), len(data)] for width, height, data in pixels],
            "menu": [label for _, label, _ in self._menu()],
            "disabled": [label for _, label, enabled in self._menu() if not enabled],
        }

    def _menu(self):
        service = self.items()[-1]
        path = self._item().Get(ITEM, "Menu", dbus_interface=dbus.PROPERTIES_IFACE)
        self.menu = dbus.Interface(self.bus.get_object(service, path), MENU)
        _revision, (_id, _properties, children) = self.menu.GetLayout(0, -1, [])
        return [
            (int(number), str(properties.get("label", "-")), bool(properties.get("enabled", True)))
            for number, properties, _ in children
        ]

    def click(self, label, **_):
        """Chooses an entry of the icon's menu."""
        [number] = [number for number, known, _ in self._menu() if known == label]
        # Who quits need not answer.
        self.menu.Event(number, "clicked", dbus.Int32(0), dbus.UInt32(0), ignore_reply=True)
        return True

    def follow(self, number, action="default", **_):
        """A click on a notice, or on one of its actions."""
        self.notices.ActionInvoked(dbus.UInt32(number), action)
        return True


def main():
    DBusGMainLoop(set_as_default=True)
    desktop = Desktop()
    loop = GLib.MainLoop()

    def read(channel, _condition):
        line = channel.readline()
        if line == "":
            loop.quit()
            return False
        asked = json.loads(line)
        try:
            tell(answer=getattr(desktop, asked.pop("do"))(**asked))
        except Exception as error:
            tell(error=f"{type(error).__name__}: {error}")
        return True

    GLib.io_add_watch(sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, read)
    tell(event="ready")
    loop.run()


main()
