"""Find keys and tokens by the rules of betterleaks, as a program: a line of JSON for each line of JSON on stdin.

The library is written in Go, whose threads do not survive a fork, so that it runs in a process of its own.
"""

import json
import re
import signal
import sys

_ALLOWANCE = re.compile(r"(?i)leaks:allow")
"""A comment that tells betterleaks to leave a line alone: the author of content must not decide that."""
MAX_PIECE = 1 << 16
"""Characters that are scanned at once: the time to place a finding grows with the text before it."""
OVERLAP = 1 << 12
"""Characters that two pieces share, so that a key on their border is found."""


def scan_text(text: str) -> list[tuple[str, str]]:
    """Return the rule and the value of each secret in a text."""
    from betterleaks import scan_string

    plain = _ALLOWANCE.sub("leaks-allow", text).replace("\0", " ")
    pieces = (plain[max(at - OVERLAP, 0) : at + MAX_PIECE] for at in range(0, max(len(plain), 1), MAX_PIECE))
    return [(finding.rule_id, finding.secret) for piece in pieces for finding in scan_string(piece)]


def main() -> None:
    """Answer each line of stdin until its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin:
        text = json.loads(line).encode("utf-8", "replace").decode()
        print(json.dumps(scan_text(text)), flush=True)


if __name__ == "__main__":
    main()
