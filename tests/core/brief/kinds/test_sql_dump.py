import pytest

from ctxkit.core.brief.kinds import sql_dump as kind
from tests.core.brief.kinds.test_table import document, mapped

MYSQL = """-- MySQL dump 10.13
DROP TABLE IF EXISTS `users`;
CREATE TABLE `users` (
  `id` int NOT NULL,
  `bio` text,
  PRIMARY KEY (`id`)
);
INSERT INTO `users` VALUES (1,'it\\'s, (ok)'),(2,NULL),(3,'x');
INSERT INTO `users` VALUES (4,'two
lines'),
(5,'y');
UNLOCK TABLES;
"""
POSTGRES = "--\n-- PostgreSQL database dump\n--\nCOPY public.orders (id, state) FROM stdin;\n1\tpaid\n2\t\\N\n3\tlost\n\\.\n"
SQLITE = "CREATE TABLE t(a, b text);\n" + "".join(f"INSERT INTO t VALUES({n},'{'odd' if n == 33 else 'even'}');\n" for n in range(60))


def test_rows_have_the_lines_of_the_rows() -> None:
    text = mapped(SQLITE, 700).text
    assert "- Lines 2-61: table t: 60 rows (a, b)\n  - 1: CREATE TABLE t(a, b text);\n" in text
    assert '- Line 35: b is "odd" in 1 of 60\n' in text


def test_many_tables_are_counted_once_and_their_quoted_lines_are_no_tables() -> None:
    dump = "".join(f"CREATE TABLE t{at}(a, b text);\n" + f"INSERT INTO t{at} VALUES(1,'x');\n" * 20 for at in range(12))
    text = mapped(dump, 450).text
    assert "12 tables, 240 rows\n" in text
    assert "in all" not in text
    assert "more table inside" not in text


def test_several_rows_on_a_line_and_rows_on_several_lines() -> None:
    text = mapped(MYSQL, 900).text
    assert "- Lines 8-11: table users: 5 rows (id, bio)\n" in text
    assert "- 2: DROP TABLE IF EXISTS `users`;\n" in text


def test_copied_rows() -> None:
    assert "- Lines 5-7: table public.orders: 3 rows (id, state)\n" in mapped(POSTGRES, 700).text


@pytest.mark.parametrize("text", [MYSQL, POSTGRES, SQLITE])
def test_dumps_are_detected(text: str) -> None:
    assert kind.sniff(document(text)) >= 0.9


@pytest.mark.parametrize("text", ["SELECT 1;\n" * 9, "", "CREATE TABLE t (\n  a int\n);\nINSERT INTO t VALUES (1);\n" + "ALTER TABLE t ADD b int;\n" * 20, "INSERT INTO t VALUES (" + "(" * 9_000])
def test_other_sql_is_no_dump(text: str) -> None:
    assert kind.sniff(document(text)) == 0.0
