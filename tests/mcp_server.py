"""A server of the Model Context Protocol over stdio, for tests: ``python -m tests.mcp_server [TOOLS]``.

Its tool ``dump`` returns ``rows`` lines, or the ``blocks`` of a result; ``log`` notes each line of the client in a file.
"""

import json
import sys

SCHEMA = {"type": "object", "properties": {"rows": {"type": "integer", "description": "How many rows. " * 30}}}


def make_text(rows: int) -> str:
    """Return the text of so many rows."""
    return "".join(f"row {number} of a long table\n" for number in range(rows))


def answer(method: str, params: dict, tools: int) -> dict:
    """Return a result."""
    if method == "initialize":
        server = {"name": "tables", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        start = int(params.get("cursor", 0))
        page = [{"name": "dump", "description": "Return rows.", "inputSchema": SCHEMA}] if not start else []
        page += [{"name": f"tool_{n}", "description": "Send a letter by pigeon." if n == 77 else f"Paint picture {n}.", "inputSchema": SCHEMA} for n in range(start, min(start + 50, tools))]
        return {"tools": page, **({"nextCursor": str(start + 50)} if start + 50 < tools else {})}
    if method == "tools/call":
        arguments = params.get("arguments") or {}
        if "rows" in arguments:
            return {"content": [{"type": "text", "text": make_text(arguments["rows"])}]}
        return {"content": [{"type": "text", "text": params["name"]}], **arguments}
    return {}


def main() -> None:
    """Answer the messages of stdin."""
    tools, log = int(sys.argv[1]) if sys.argv[1:] else 0, sys.argv[2] if sys.argv[2:] else ""
    for line in sys.stdin:
        if log:
            with open(log, "a", encoding="utf-8") as file:
                file.write(line)
        value = json.loads(line)
        messages = value if isinstance(value, list) else [value]
        if messages[0].get("method") == "exit":
            sys.exit(messages[0]["params"]["status"])
        replies = [
            {"jsonrpc": "2.0", "id": message["id"], "result": answer(message["method"], message.get("params", {}), tools)}
            for message in messages
            if "id" in message and "method" in message
        ]
        if replies:
            print(json.dumps(replies if isinstance(value, list) else replies[0]), flush=True)


if __name__ == "__main__":
    main()
