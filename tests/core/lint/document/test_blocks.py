from time import perf_counter

import pytest

from ctxkit.core.lint.document.blocks import find_blocks


@pytest.mark.parametrize("lines", [["> ```sh", "> ls", "> ```"], ["- ~~~", "x", "~~~"], [" > > 1. ```", "", "```"]])
def test_a_fence_may_stand_in_a_quotation_or_a_list(lines) -> None:
    assert [(block.kind, block.line, block.end_line) for block in find_blocks(lines)] == [("fence", 1, 3)]


@pytest.mark.parametrize("lead", ["> ", ">", " ", "\t", "> \t"])
def test_a_deep_quotation_costs_no_time(lead: str) -> None:
    start = perf_counter()
    assert find_blocks([lead * 20_000 + "`x` and more"]) == ()
    assert perf_counter() - start < 1
