"""Count the bytes of a request and of its answer, and note the status."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class HttpExchange:
    """A request and its answer in ASGI; ``status`` is 0 until the answer begins.

    The answer says that the connection closes if ``closes`` is true when it begins.
    """

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self.status = self.received = self.sent = 0
        self.closes = False

    async def receive(self) -> MutableMapping[str, Any]:
        """Return the next message of the client."""
        message = await self._receive()
        self.received += len(message.get("body", b""))
        return message

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Send a message of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self.closes:
                message["headers"].append((b"connection", b"close"))
        self.sent += len(message.get("body", b""))
        await self._send(message)
