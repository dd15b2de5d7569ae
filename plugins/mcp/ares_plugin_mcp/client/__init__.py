"""The client: connections to configured servers, and the tools that they have.

- ``configured`` which servers there are
- ``servers`` all servers of one Ares, the source that the core asks for tools
- ``peer`` one server: connected at first use, tried again later and later, pinned definitions
- ``opening``, ``connection``, ``links`` (``stdio``, ``http``) one connection and the way to the other side
- ``messages``, ``matching`` what comes back: read, and put to the request that it answers
- ``requests``, ``calling``, ``results`` one call, and what came of it
- ``tidy``, ``answers`` what servers get wrong in listings and answers: mended where that is sure
- ``offers``, ``names``, ``pins`` definitions: made into tools, named, remembered
- ``asking``, ``auth`` questions of a server to a person, and tokens
"""

from __future__ import annotations

import weakref

from ares_core import Host
from ares_plugin_mcp.client.servers import Servers

_OF_HOST: weakref.WeakKeyDictionary[Host, Servers] = weakref.WeakKeyDictionary()


def servers_of(host: Host) -> Servers:
    """Give the servers of one Ares; there is one such object for each."""
    if host not in _OF_HOST:
        _OF_HOST[host] = Servers(host)
    return _OF_HOST[host]
