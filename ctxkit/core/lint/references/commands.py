"""Find the files that the commands of a document name."""

from collections.abc import Iterator

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.inline import find_code_spans, text_lines
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.references.paths import EXTENSION, MentionContext, PathMention, is_path

SHELLS = ("bash", "sh", "shell", "zsh", "console", "fish", "shell-session", "terminal")
"""Words after the ticks of a fence of shell commands."""
_ELSEWHERE = compile_lazily(
    r"\b(?:cd|pushd|ssh|scp|rsync|chroot|git clone|docker(?:[ -]compose)? (?:exec|run)"
    r"|kubectl exec)[ ]"
)
"""Matches a command after which paths are those of another directory or machine."""
_MAKER = compile_lazily(
    r"[ \t]*(?:\$[ ])?(?:sudo[ ])?(?:touch|mkdir|cp|mv|ln|tee|curl|wget|rm|git|echo|printf|zip|tar|unzip|mktemp)\b"
)
"""Matches a command that makes, moves or removes files, or that looks into other times."""
_WRITTEN = compile_lazily(r"(?:>|(?:^|\s)-{1,2}(?:o|O|out|output|outfile|out-file|dest|to|save|report|log)[ =])[ \t]*$")
"""Matches the text before a file that a command writes."""
_FILE = compile_lazily(
    r"(?:^|(?<=[\s='\"]))(?:\./)?[\w@+-][\w.@+-]{0,100}(?:/[\w.@+-]{1,100}){0,20}(?=[\s;&|)'\"]|$)"
)
_MODULE = compile_lazily(
    r"(?:^|[\s&|;])(?:uv run |poetry run )?python3?[ ]-m[ ](?P<name>[a-zA-Z_]\w*(?:\.\w+){1,8})(?=[\s;&|]|$)"
)


def find_command_mentions(document: MarkdownDocument) -> Iterator[PathMention]:
    """Yield the files that the commands in shell fences read or run, as far as they run in the project.

    Only the remark behind a command says something of its files.
    """
    for block in document.blocks:
        if block.kind == "fence" and block.closed and block.info.split(" ")[0].lower() in SHELLS:
            for number in range(block.line + 1, block.end_line):
                line = document.at(number)
                if _ELSEWHERE.search(line):
                    break
                command, _, remark = line.partition(" #")
                if not _MAKER.match(command) and not line.lstrip().startswith("#"):
                    for match in _FILE.finditer(command):
                        if _is_read(command, match[0], match.start()):
                            context = MentionContext("", remark.rjust(len(line)), "")
                            yield context.make_mention(match[0], number, match.start())


def _is_read(command: str, path: str, start: int) -> bool:
    """Return whether a word of a command is a file that it reads or runs."""
    return EXTENSION.search(path) is not None and is_path(path) and not _WRITTEN.search(command[:start])


def find_modules(document: MarkdownDocument) -> Iterator[PathMention]:
    """Yield the Python modules that commands in code spans and shell fences run; their paths have dots."""
    for block in document.blocks:
        if block.kind == "fence" and block.closed and block.info.split(" ")[0].lower() in SHELLS:
            for number in range(block.line + 1, block.end_line):
                for module in _MODULE.finditer(document.at(number).partition(" #")[0]):
                    yield MentionContext("", "", "").make_mention(module["name"], number, module.start("name"))
    for number, line in text_lines(document):
        for span in find_code_spans(line) if "python" in line else ():
            if match := _MODULE.search(span.text):
                context = MentionContext("", line, "")
                yield context.make_mention(match["name"], number, span.start + match.start("name"))
