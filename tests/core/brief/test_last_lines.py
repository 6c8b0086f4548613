from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.last_lines import FRAME_TOKENS, read_last_lines
from ctxkit.core.text import lines


@given(st.lists(st.text("ab ", max_size=9), max_size=60), st.integers(0, 400))
def test_the_end_is_the_longest_that_fits_the_target_less_what_stands_around_it(rows: list[str], target: int) -> None:
    data = "".join(f"{row}\n" for row in rows).encode()
    held = InputDocument(lines.lines_from_bytes(data), lambda offset, length: data[offset : offset + length], len, target)
    room = max(target - FRAME_TOKENS, 0)
    fitting = next(at for at in range(len(rows) + 1) if not rows[at:] or len("\n".join(rows[at:])) <= room)
    found = read_last_lines(held)
    assert [text for _, text in found] == rows[len(rows) - len(found) :]
    assert len("\n".join(text for _, text in found)) <= room
    assert len(found) == min(len(rows) - fitting, room)
