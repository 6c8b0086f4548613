from ctxkit.core.hosts.snippet import GENERIC_SNIPPET


def test_the_text_names_commands_of_ctxkit() -> None:
    assert "`ctxkit run -- COMMAND`" in GENERIC_SNIPPET
    assert "ctxkit cache get REF --lines A:B" in GENERIC_SNIPPET
