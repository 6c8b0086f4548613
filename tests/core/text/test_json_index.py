from ctxkit.core.text.json_index import MIN_ROWS, LargeValue, MemberStatistics


def test_a_run_has_its_members_and_its_end() -> None:
    value = LargeValue("[", None, 0, 0, stop=90)
    for count, offset in ((0, 1), (4, 30), (9, 60)):
        value.count = count
        value.add_run(offset)
    value.count = 12
    assert [value.find_run(number) for number in (0, 3, 4, 8, 9, 11)] == [0, 0, 1, 1, 2, 2]
    assert [(value.run_end(run), value.run_count(run)) for run in range(3)] == [(30, 4), (60, 5), (90, 3)]


def measure(values) -> MemberStatistics:
    members = MemberStatistics()
    members.add(values)
    return members


def test_rows_of_a_table_have_one_type_and_like_keys() -> None:
    assert measure({f"k{at}": {"a": 1} for at in range(MIN_ROWS)}).have_similar_rows(MIN_ROWS)
    assert not measure({f"k{at}": {"a": 1} for at in range(9)}).have_similar_rows(9)
    assert not measure({f"k{at}": {f"a{at}": 1} for at in range(MIN_ROWS)}).have_similar_rows(MIN_ROWS)
    assert not measure({f"k{at}": at or "" for at in range(MIN_ROWS)}).have_similar_rows(MIN_ROWS)


def test_a_key_that_occurs_twice_is_named() -> None:
    members = measure({"a": 1, "b": 2})
    members.add({"b": 3, "c": 4})
    assert list(members.duplicates) == ["b"]
