"""Something to drag: a small window at X Y whose files go to whoever it is dropped on. Says `ready`, and `dropped` at the end."""

import sys
from pathlib import Path

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

x, y, *files = sys.argv[1:]
window = Gtk.Window(type=Gtk.WindowType.POPUP)
window.set_default_size(40, 40)
handle = Gtk.EventBox()
window.add(handle)
handle.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
handle.drag_source_add_uri_targets()
handle.connect("drag-data-get", lambda _w, _c, data, *_: data.set_uris([Path(file).as_uri() for file in files]))
handle.connect("drag-end", lambda *_: print("dropped", flush=True))
window.connect("map-event", lambda *_: print("ready", flush=True))
window.show_all()
window.move(int(x), int(y))
Gtk.main()
