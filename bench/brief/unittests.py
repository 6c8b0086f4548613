"""Run unittest as ``python -m unittest`` does, and record what fails: unittests.py OUT [ARG...]."""

import json
import sys
import unittest
from traceback import format_exception_only
from typing import Any


class Recording(unittest.TextTestResult):
    """Write every failure to a file besides."""

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802 - the name is unittest's
        """Report a failure as unittest does, and record it."""
        super().addFailure(test, err)
        record(test, err)

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        """Report a failure as unittest does, and record it."""
        super().addError(test, err)
        record(test, err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        """Report a failure as unittest does, and record it."""
        super().addSubTest(test, subtest, err)
        if err is not None:
            record(subtest, err)


def record(test: Any, err: Any) -> None:
    """Append name and message to the report."""
    text = "".join(format_exception_only(*err[:2]))
    with open(OUT, "a", encoding="utf-8") as file:
        file.write(json.dumps([str(test).partition("\n")[0], text], ensure_ascii=False) + "\n")


if __name__ == "__main__":
    OUT = sys.argv.pop(1)
    recording: Any = Recording
    runner = unittest.TextTestRunner(resultclass=recording, verbosity=2 if "-v" in sys.argv else 1)
    unittest.main(module=None, testRunner=runner)
