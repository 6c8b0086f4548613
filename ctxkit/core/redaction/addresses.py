"""Show addresses of servers without what may be a key."""

from urllib.parse import urlsplit

from ctxkit.core.redaction.masking import MASK, mask_secrets


def hide_keys(address: str) -> str:
    """Return an address without user, password, query and fragment, and with keys in its path masked.

    Text that is no address stays as it is.
    """
    scheme, separator, _ = address.partition("://")
    if not separator:
        return address
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return f"{scheme}://{MASK}"
    host = f"[{host}]" if ":" in host else host
    return mask_secrets(f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{parts.path}")
