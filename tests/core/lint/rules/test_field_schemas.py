from ctxkit.core.lint.rules.field_schemas import CLAUDE_TOOLS, SCHEMAS


def test_each_row_names_its_page_and_known_fields() -> None:
    for schema in SCHEMAS:
        assert schema.source.url.startswith("https://")
        mentioned = {*dict(schema.required), *dict(schema.others).values()} | {*filter(None, (schema.globs, schema.tools))}
        assert mentioned <= {*schema.fields}


def test_a_field_of_another_kind_is_none_of_this_one() -> None:
    assert all(not {*dict(schema.others)} & {*schema.fields} for schema in SCHEMAS)


def test_only_files_that_are_named_for_it_are_of_a_kind_wherever_they_lie() -> None:
    assert [schema.kind for schema in SCHEMAS if not schema.is_whole] == [
        *("agent", "command", "rule", "rule", "steering file", "rule")
    ]


def test_tools_are_listed_once() -> None:
    assert len({*CLAUDE_TOOLS}) == len(CLAUDE_TOOLS)
