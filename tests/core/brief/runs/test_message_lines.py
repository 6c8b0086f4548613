from ctxkit.core.brief.runs.message_lines import find_panic, take_until


def number(*texts):
    return list(enumerate(texts, 1))


def test_a_message_ends_above_the_pattern() -> None:
    take = take_until(" at ", "skip.*")
    assert take(number("a", "skip this", "b", " at x", "c")) == [(1, "a"), (3, "b")]
    assert take(number(" at x", "c")) == [(1, " at x")]
    assert take([]) == []


def test_a_panic_of_rust_is_followed_by_its_message() -> None:
    panic = "thread 'a::b' (7) panicked at src/lib.rs:1:2:"
    assert find_panic(number("x", panic, "no", "note: run")) == [(3, "no")]
    old = "thread 'a' panicked at 'no', src/lib.rs:1:2"
    assert find_panic(number(old, "note: run")) == [(1, old)]
    assert find_panic(number("x", "Error: bad", "y")) == [(2, "Error: bad")]
    assert find_panic(number("x", "y")) == [(2, "y")]
