from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.diffs import blame
from ctxkit.core.brief.kind_detection import rank_kinds
from ctxkit.core.text import lines
from tests.core.brief.kinds.test_table import document, mapped


def porcelain(names, *, each=False):
    """Return the output for lines from commits of these numbers; with ``each``, that of --line-porcelain."""
    told = set()
    for number, name in enumerate(names, 1):
        yield f"{name:040x} {number} {number} 1"
        if each or name not in told:
            yield f"author Ann {name}\nauthor-mail <a@b>\nauthor-time {1267579071 + name}\nauthor-tz -0800"
            yield f"summary change {name}\nfilename a.c"
        told.add(name)
        yield f"\tsummary of line {number}"


def test_commits_come_by_their_lines_with_author_and_summary() -> None:
    text = "\n".join(porcelain([7] * 30 + [8] * 50 + [7] * 5)) + "\n"
    assert rank_kinds(document(text))[0][0].NAME == "history"
    said = mapped(text).text
    assert "85 lines" in said
    first, second = [row for row in said.split("\n") if "2010-03-03 Ann" in row and ", " in row][:2]
    assert first == f"- Line 67: {f'{8:040x}'[:10]} 2010-03-03 Ann 8, 50 lines: change 8"
    assert second == f"- Line 1: {f'{7:040x}'[:10]} 2010-03-03 Ann 7, 35 lines: change 7"


@given(st.lists(st.integers(0, 5), min_size=1, max_size=50), st.booleans())
def test_every_line_is_counted_for_its_commit(names: list[int], each: bool) -> None:
    data = ("\n".join(porcelain(names, each=each)) + "\n").encode()
    history, origins = blame.read_blame(lines.lines_from_bytes(data))
    assert history.count == len(names)
    assert {int(origin.name, 16): origin.lines for origin in origins} == {n: names.count(n) for n in names}
    assert all(origin.summary == f"change {int(origin.name, 16)}" for origin in origins)


def test_other_text_is_none() -> None:
    assert not blame.is_porcelain("0a38cba1d9dcfbd713141095582597af700f22e9 subject\nauthor x\n")
    assert not blame.is_porcelain(f"{7:040x} 1 2\nno author\n")
