"""Names of this machine that no other machine can have."""

from __future__ import annotations

import ipaddress
import re

_HOST = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([^:]*))(?::[0-9]*)?")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, by a name or an address that others cannot be reached by."""
    if host.lower().removesuffix(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(header: bytes) -> str:
    """The host in a Host header, without its port; all of the header if it is not a host."""
    text = header.decode("latin-1")
    match = _HOST.fullmatch(text)
    return text if match is None else match[1] or match[2] or ""
