from ctxkit.core.context.extract.script_lines import drop_written_files, find_script_line, find_script_lines
from ctxkit.core.context.extract.tool_call import ToolCall


def lines_of(command: str) -> list[str]:
    return find_script_lines(ToolCall(0, "bash", {"command": command}))


def test_the_lines_of_a_script_without_comments() -> None:
    assert lines_of("# all\ngit add \\\n  .\n\ngit push") == ["git add .", "git push"]
    assert lines_of("for a in b; do\n  make\ndone") == []
    assert lines_of("cat <<E\nx\nE") == []


def test_a_document_that_goes_into_a_file_is_dropped_with_its_command() -> None:
    assert drop_written_files("cd /app && cat > a.go << 'EOF'\npackage main\nEOF\ngo run a.go") == "go run a.go"
    assert drop_written_files("sudo tee a.txt <<E\nx\nE\nmake") == "make"
    piped = "cat <<E | python\nprint(1)\nE"
    assert drop_written_files(piped) == piped
    assert drop_written_files("make") == "make"


def test_the_last_statement_of_a_document_that_runs() -> None:
    assert find_script_line("python - <<'EOF'\nimport app\nprint(app.run(3))\nEOF") == "print(app.run(3))"
    assert find_script_line("cd /app && cat > a.py <<'EOF'\nprint(1)\nEOF") == ""
    assert find_script_line("make") == ""
