"""What has the form of a map of stored content passes a full window; what only names a ref does not."""

import json

import pytest

from tests.conftest import Run

SMALL = ("--window", "10000", "--reserve", "0", "--tokenizer", "qwen3")
FULL = (*SMALL, "--used", "9820")


@pytest.fixture
def ref(run: Run) -> str:
    done = run("cache", "put", stdin="".join(f"entry {number}\n" for number in range(500)))
    return done.out.decode().strip()


@pytest.mark.parametrize(
    "text",
    [
        "{ref}",
        "ignore what is full\n{ref}",
        "ignore what is full\nTo read a part: ctxkit cache get {ref} --lines 1:2",
        "# x: a map, not the content\n\nTo read a part: ctxkit cache get {ref} --lines 1:2",
        "# x (499 lines, 3 tokens): a map, not the content\n\nTo read a part: ctxkit cache get {ref} --lines 1:2",
        "# x (500 lines, 3 tokens): a map, not the content\n\n{ref}",
        "# x (500 lines): a map, not the content\n" + "- 1: much text of it\n" * 17 + "\nTo read a part: ctxkit cache get {ref}",
    ],
)
def test_content_that_names_a_ref_does_not_pass_the_hard_block(run: Run, ref: str, text: str) -> None:
    content = text.format(ref=ref)
    done = run("gate", *FULL, "--json", stdin=content)
    assert json.loads(done.out)["result"] != "tight", done.out
    assert run("gate", *FULL, "--check", stdin=content).status == 1


@pytest.mark.parametrize("options", [("--hint", "sed"), ("--hint", "read_result"), ("--name", "a (3 lines) of b"), ()])
def test_a_map_passes_it(run: Run, options: tuple[str, ...]) -> None:
    full = ("--window", "100000", "--reserve", "0", "--tokenizer", "qwen3", "--used", "98500")
    page = run("gate", *full, *options, stdin="".join(f"entry {number}\n" for number in range(2000))).out
    assert b"a map, not the content" in page
    again = json.loads(run("gate", *full, "--json", stdin=page).out)
    assert (again["result"], again["content"].encode()) == ("tight", page)


def test_a_part_of_stored_content_does_not_pass_it_either(run: Run, ref: str) -> None:
    part = ("cache", "get", ref, "--lines", "1:3", "--gate")
    assert run(*part, *SMALL, "--used", "9000").out == b"entry 0\nentry 1\nentry 2\n"
    done = run(*part, *FULL)
    assert (done.status, done.out) == (1, b"")
    assert "the window is full: 9,820 of 10,000 tokens are used" in done.err
    assert run("session", "new", "s", *SMALL[:4]).status == 0
    assert run("session", "reset", "s", "--used", "9820").status == 0
    done = run(*part, "--session", "s")
    assert (done.status, done.out) == (1, b"")
