"""The program that scans text by the rules of betterleaks."""

import json
import subprocess
import sys

import pytest

from ctxkit.engines import key_scanner

KEY = "lin_api_L5lRbIeoWdHmf5ee6Pm0aIEJsAGjFiLytOG0ZkSb"
pytest.importorskip("betterleaks")


def test_each_line_of_json_has_an_answer() -> None:
    lines = [f"{KEY} # gitleaks:allow", "plain", "x " * key_scanner.MAX_PIECE + KEY]
    data = "".join(f"{json.dumps(line)}\n" for line in lines)
    done = subprocess.run([sys.executable, "-m", key_scanner.__name__], input=data, capture_output=True, text=True, timeout=60)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, "")
    assert [[value for _, value in answer] for answer in answers] == [[KEY], [], [KEY]]
