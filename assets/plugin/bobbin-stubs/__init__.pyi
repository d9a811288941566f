# What users of the plugin call; the rest is its own.

from typing import Any, Optional

from bobbin_reader import BobbinError as BobbinError
from bobbin_reader import Card as Card
from bobbin_reader import last as last
from bobbin_reader import list_clusters as list_clusters
from bobbin_reader import list_computations as list_computations
from bobbin_reader import list_events as list_events
from bobbin_reader import list_exceptions as list_exceptions

__version__: str

def register(client: Optional[Any] = ...) -> Any: ...
