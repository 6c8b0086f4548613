from ctxkit.core.brief.grids.sql_dump import SqlDump, clean_name, read_column


def read(text):
    return SqlDump().read_rows(enumerate(text.split("\n"), 1))


def test_columns_are_those_of_the_table() -> None:
    dump = read('CREATE TABLE "a b"(id numeric(3,2), "x y" text, PRIMARY KEY(id));\nINSERT INTO "a b" VALUES(1,2);')
    assert dump.tables["a b"].columns == ["id", "x y"]
    assert dump.tables["a b"].rows == 1


def test_rows_of_two_tables_by_turns() -> None:
    dump = read("INSERT INTO a VALUES(1);\nINSERT INTO b VALUES(2);\nINSERT INTO a VALUES(3);")
    assert [(table.name, table.rows, table.grid.first, table.grid.last) for table in dump.tables.values()] == [("a", 2, 1, 3), ("b", 1, 2, 2)]


def test_names() -> None:
    assert clean_name("`a`.[b]") == "a.b"
    assert read_column("  `id` int") == "id"
    assert read_column("CONSTRAINT x UNIQUE (a)") == ""
