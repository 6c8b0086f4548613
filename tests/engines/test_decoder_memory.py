import pytest

from ctxkit.engines.decoder import parse


def test_short_messages_that_would_exhaust_the_memory_of_the_parser_are_not_read() -> None:
    pair = b'{"role":"user","content":"word "},{"role":"assistant","content":"reply "},'
    text = b'{"messages":[' + pair * ((16 << 20) // len(pair)) + pair[:-1] + b"]}"
    with pytest.raises(ValueError, match="more values than fit"):
        parse(text)
