import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.outline import Entry
from ctxkit.core.brief.texts.markup import extract_opening, extract_text, nest_entries, parse_elements

PAGE = """<!DOCTYPE html><html lang="en"><head><title>A &amp; B</title>
<script>var x = "<h1>not one</h1>";</script></head><body>
<!-- <h1>nor this</h1> -->
<h1 id="top">Big <code>Vec&lt;T&gt;</code> <a href="#top">§</a></h1>
<p>First words.</p>
<form action="/login" method=post><input name=user><input type="password" name='word'><input type=hidden name=t></form>
<table><caption>Sizes</caption><tr><th>Name<th>Size</tr><tr><td>a<td>1</tr></table>
<main><section id="deep"><h2>Inner</section></main>
"""


def named(name):
    return [element for element in parse_elements(PAGE) if element.name == name]


def test_a_heading_has_its_text_without_tags_and_the_sign_that_links_to_it() -> None:
    (heading,) = named("h1")
    assert (heading.text, heading.attributes["id"]) == ("Big Vec<T>", "top")
    assert PAGE[heading.start : heading.end].startswith("<h1 id=")
    assert PAGE[heading.start : heading.end].endswith("</h1>")


def test_what_is_in_scripts_and_comments_is_no_element() -> None:
    assert [element.name for element in parse_elements(PAGE)] == ["title", "script", "h1", "form", "table", "main", "section", "h2"]


def test_a_form_names_its_fields_but_the_hidden_ones() -> None:
    (form,) = named("form")
    assert (form.parts, form.attributes["method"]) == (["user", "word", ""], "post")


def test_a_table_counts_its_rows_and_names_its_columns() -> None:
    (table,) = named("table")
    assert table.rows == 2
    assert table.parts == ["Sizes", "Name", "Size"]


def test_elements_that_hold_others_end_where_they_are_closed() -> None:
    (main,), (section,) = named("main"), named("section")
    assert PAGE[main.start : main.end].endswith("</section></main>")
    assert PAGE[section.start : section.end].endswith("</section>")


def test_words_are_text_without_tags() -> None:
    assert extract_text("<p>a<b>b</b>\n c&nbsp;<br>d<script>x</script></p>") == "ab c d"
    assert extract_opening(PAGE, PAGE.index("<p>"), PAGE.index("<form")) == "First words."


@given(st.text(alphabet=st.sampled_from("<>/h1formtable script!-=\"' a"), max_size=200))
def test_no_text_is_too_broken(text: str) -> None:
    for element in parse_elements(text):
        assert 0 <= element.start < element.end <= len(text)


@pytest.mark.slow
def test_a_page_of_nothing_but_open_tags_is_read_in_no_time() -> None:
    assert len(parse_elements("<div><section><h2" * 20_000)) <= 20_000
    assert len(parse_elements("<h2>" * 5_000)) == 5_000
    assert len(parse_elements("<svg>" * 100_000)) == 100_000
    assert parse_elements('<h2 "' * 50_000) == []


def shape(entries):
    return [(entry.label, shape(entry.children)) for entry in entries]


def test_an_entry_is_below_the_last_one_of_a_higher_level() -> None:
    rows = [(1, "a"), (2, "b"), (4, "c"), (3, "d"), (1, "e"), (0, "f")]
    made = nest_entries((level, Entry(label)) for level, label in rows)
    assert shape(made) == [("a", [("b", [("c", []), ("d", [])])]), ("e", []), ("f", [])]


def test_what_an_entry_has_below_it_comes_first() -> None:
    made = nest_entries([(1, Entry("a", children=(Entry("own"),))), (2, Entry("b"))])
    assert shape(made) == [("a", [("own", []), ("b", [])])]


@given(st.lists(st.integers(0, 5), max_size=30))
def test_all_entries_stay_in_order(levels: list[int]) -> None:
    def walk(entries):
        for entry in entries:
            yield entry.label
            yield from walk(entry.children)

    made = nest_entries((level, Entry(str(place))) for place, level in enumerate(levels))
    assert list(walk(made)) == [str(place) for place in range(len(levels))]
