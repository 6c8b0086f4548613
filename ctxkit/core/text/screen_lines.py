"""Read content whose lines were drawn over on a terminal: each line of it, or blank."""

from ctxkit.core.text.lines import IndexedLines, Read, lines_from_bytes
from ctxkit.core.text.redraws import MAX_SIZE, has_redraws

LONGEST = 4_096
"""Characters of a line above which parts are named by their bytes, which drawing would move."""


def read_drawn_lines(read: Read, lines: IndexedLines) -> IndexedLines:
    """Return lines with the same numbers, in which what a terminal shows no more is blank.

    Return ``lines`` if nothing is drawn over, or if a line is so long that only its bytes can be named.
    """
    if lines.size > MAX_SIZE:
        return lines
    data = read(0, lines.size)
    if not has_redraws(data):
        return lines
    from ctxkit.core.text.screen import ScreenTooLargeError, draw_screen

    try:
        texts = draw_screen(data).lines()
    except ScreenTooLargeError:
        return lines
    if max(map(len, texts)) > LONGEST:
        return lines
    return lines_from_bytes("\n".join(texts).encode("utf-8", "surrogateescape"))
