"""Record a request that was answered, for the metrics and for the log of the server."""

from typing import NamedTuple


class RequestRecord(NamedTuple):
    """A request without its content: its endpoint, the status of HTTP, its duration, and the bytes of both bodies.

    ``status`` is 0 if the client left before the answer began.
    """

    endpoint: str
    status: int
    seconds: float
    received: int
    sent: int


def format_record(record: RequestRecord, time: str) -> str:
    """Return the line of the log for a request that was answered at a time."""
    milliseconds = f"{record.seconds * 1e3:.1f} ms"
    sizes = f"{record.received} bytes in, {record.sent} bytes out"
    return f"{time} {record.endpoint} {record.status} {milliseconds}, {sizes}"
