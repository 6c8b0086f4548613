"""Messages of PowerShell in the lines of an output."""

from ctxkit.core.context.extract.error_lines import find_error_lines
from ctxkit.core.context.extract.powershell_error import find_powershell_message, is_powershell_message

CONCISE = """\
\x1b[31;1mParserError: \x1b[0m\r
\x1b[31;1m\x1b[36;1mLine |\x1b[0m\r
\x1b[36;1m   1 | \x1b[0m … {isProcessing && (`n <div className=\\"\x1b[36;1mmt-2\x1b[0m text-ce …\x1b[0m\r
\x1b[36;1m     | \x1b[31;1m                                    ~~~~\x1b[0m\r
\x1b[36;1m     | \x1b[31;1mUnexpected token 'mt-2' in expression or\x1b[0m\r
\x1b[36;1m     | \x1b[31;1mstatement.\x1b[0m\r
"""


def test_the_message_stands_below_the_line_of_the_script() -> None:
    assert find_error_lines(CONCISE) == ["ParserError: Unexpected token 'mt-2' in expression or statement."]
    item = "Get-Item: C:\\a.ps1:1\nLine |\n   1 |  Get-Item x\n     |  ~~~~~~~~~~\n     | Cannot find path 'C:\\x'.\n"
    assert find_error_lines(item) == ["Get-Item: Cannot find path 'C:\\x'."]


def test_other_lines_have_no_message() -> None:
    assert find_powershell_message(["Line |", "a | b"]) == []
    assert find_powershell_message([]) == []
    assert find_powershell_message(["At line:1 char:1", "+ CategoryInfo : x"]) == []


def test_a_label_begins_a_message() -> None:
    assert is_powershell_message("npm : File C:\\npm.ps1 cannot be loaded")
    assert not is_powershell_message("npm error code 1")
