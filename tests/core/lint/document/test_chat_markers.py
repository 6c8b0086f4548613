from time import perf_counter

import pytest

from ctxkit.core.lint.document.chat_markers import ROLE_LABEL


@pytest.mark.parametrize("sign", ["-", ">", "#", "- ", "> ", "* ", "\t"])
def test_a_rule_of_many_signs_costs_no_time(sign: str) -> None:
    start = perf_counter()
    assert ROLE_LABEL.match(sign * 20_000) is None
    assert perf_counter() - start < 1


@pytest.mark.parametrize("line", ["> user: hello", "- **Assistant:** yes", "## User: x", "> - * Human: y", "--- bot: z"])
def test_marks_before_a_role_are_read(line: str) -> None:
    assert ROLE_LABEL.match(line)
