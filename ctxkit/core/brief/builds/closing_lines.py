"""Closing lines and step titles of build output."""


from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.escapes import strip_escapes

CLOSING = compile_lazily(
    r"Found (?:\d+|no) (?:\w+ )?(?:errors?|warnings?|issues?|problems?|diagnostics?|violations?|offen[sc]es?)\b.*"
    r"|Success: no issues found.*|All checks passed!.*"
    r"|(?:\d+ warnings?(?: and |, ))?\d+ (?:errors?|warnings?|problems?)(?: generated\.?| \(.*\)"
    r"|, \d+ (?:warnings?|informations?).*)?"
    r"|\d+ errors? and \d+ warnings? generated\.|.? ?\d+ problems? \(.*|only showing the first \d+ errors.*"
    r"|\d+ fixable with .*|\s*\d+ errors? and \d+ warnings? (?:potentially )?fixable .*"
    r"|\[\w+\] Code style issues .*|CSpell: Files checked.*|Passed checks: .*|\s*INFO \d+ errors?\b.*"
    r"|\[\*\] \d+ fixable.*|No fixes available.*"
    r"|(?:error|warning): (?:aborting due to |could not compile |build failed, waiting for |\d+ warnings? emitted"
    r"|`[^`]*` \(.*\) generated \d).*"
    r"|g?make(?:\[\d+\])?: (?:\*\*\* |Target .* not remade).*|g?make: (?:Nothing to be done|'.*' is up to date).*"
    r"|ninja: (?:build stopped|error|no work).*|(?:Ok|Fail|Timeout|Unexpected Pass): +\d+ *"
    r"|collect2: error:.*|ld: symbol\(s\) not found.*|clang(?:\+\+)?: error: linker command failed.*"
    r"|\s*Finished .*(?:target|profile|in \d).*|(?:\[\w+\] )?BUILD [A-Z]{4,}.*|FAILURE: Build .*"
    r"|Build (?:succeeded|FAILED|failed).*|\*\* [A-Z]+(?: [A-Z]+)* (?:SUCCEEDED|FAILED|INTERRUPTED) \*\*.*"
    r"|={5,} (?:Rebuild All|Build|Clean|Test|Publish): \d+ .*={5,}"
    r"|\s+\d+ (?:Error|Warning)\(s\)|\[ERROR\] (?:Failed to execute goal|COMPILATION ERROR|BUILD).*"
    r"|COMPILATION ERROR.*"
    r"|\[(?:success|error)\] Total time:.*|Your code has been rated at .*|Checked \d+ files? in .*"
    r"|Inspecting \d+ files?|\d+ files? inspected, .*"
    r"|-- Configuring (?:incomplete|done).*|-- Generating done.*|-- Build files have been written to.*"
    r"|CMake Error: .*|Successfully (?:installed|built|tagged|uninstalled) .*|ERROR: (?:Could not|No matching"
    r"|Failed|Cannot|ResolutionImpossible|pip's|failed|process|Job).*"
    r"|error: (?:subprocess-exited-with-error|metadata-generation-failed|failed to (?:solve|run|build).*"
    r"|externally-managed-environment)"
    r"|E: (?![\w.+-]+(?: \w+)?: [a-z][a-z0-9]*(?:-[a-z0-9]+)+(?: |$)).*"
    r"|\d+ (?:packages? )?upgraded, .*|(?:added|removed|changed|audited) \d+ packages?.*|up to date.*"
    r"|found \d+ vulnerabilities.*|\d+ vulnerabilities.*"
    r"|npm (?:ERR!|error) (?:code|Lifecycle|command|Missing script|\d{3}|Exit|signal|errno|Test failed"
    r"|Could not|notarget|conflict|peer|network|404).*"
    r"|.?ELIFECYCLE.*|error Command failed.*|Done in [\d.]+ ?m?s.*|webpack [\d.]+ compiled .*"
    r"|compiled (?:successfully|with).*|Failed to compile\.?.*"
    r"|Plan: \d+ .*|No changes\. .*|(?:Apply|Destroy) complete!.*|Error: Process completed.*|##\[error\].*"
    r"|Process completed with exit code.*|(?:Command|Script) (?:exited|failed) with .*|(?:exit status"
    r"|Exit code:?) \d+.*"
    r"|FAILED: \S.*|#\d+ ERROR: .*|> Task \S+ FAILED|\d+ actionable tasks?: .*|Execution failed for task .*"
    r"|make\S* failed.*"
    r"|Exiting due to .*|The command .* returned a non-zero code: \d+|FAIL\t.*\[build failed\]|note: build failed.*"
)
"""Pattern of closing lines of compilers, linters, package managers and build tools; they are
quoted, not interpreted.
"""
STEP = compile_lazily(
    r"##\[group\](?P<group>.*)|::group::(?P<other>.*)|(?P<docker>#\d+ \[.*\d\].*|#\d+ \[internal\].*"
    r"|Step \d+/\d+ : .*)"
    r"|(?P<npm>> \S+@\S+ \S+.*)|(?P<make>g?make\[\d+\]: Entering directory .*)|(?P<gradle>> (?:Task|Configure) \S+.*)"
    r"|(?P<maven>\[INFO\] --- \S.*---|\[INFO\] Building .*)|(?P<tf>  # \S+ (?:will be|must be|has been"
    r"|is tainted|has moved).*)"
    r"|(?P<section>Dockerfile:\d+|={3,} (?!=)\S.* ={3,}|-- The \w+ compiler identification.*)"
    r"|(?P<msbuild>\s*Determining projects to restore.*|Build started .*"
    r"|\s*Project \".*\" (?:on node |\(\d|is building).*"
    r"|-{6} \w.* started: .*)"
    r"|(?P<xcode>(?=[A-Z])[\w-]+ .*\(in target '.*' from project '.*'\))"
)
"""Pattern of lines that name the next step."""
PREFIX = compile_lazily(
    r"(?:[^\t\n]{1,80}\t[^\t\n]{1,80}\t)?\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z ?|#\d+ \d+\.\d+ "
    r"|\d+\.\d{2,3} (?=\S)|\[\d\d:\d\d:\d\d\] |\s*\d+(?::\d+)?>(?=\s*\S)"
    r"|\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z\] |\d\d:\d\d:\d\d {1,2}(?=\S)"
    r"|(?: {1,9}|(?=\[j))\[(?!error|warn|info)[a-z][\w:.-]+\] ?"
    r"|\[(?!ERROR\]|WARN|INFO\]|DEBUG\]|FATAL\]|NOTICE\]|Error\]|Warn|Info\])[A-Z][\w .-]+\] "
)
"""Pattern of line prefixes of CI services, container builds, Ant, MSBuild and Jenkins steps."""


def clean_build_line(text: str) -> str:
    """Return a line as the tool wrote it, without colours, redrawn text and prefixes of a CI service."""
    if not text.isprintable() and not text.expandtabs().isprintable():
        text = strip_escapes(text) if "\x1b" in text or "\r" in text or "\x08" in text else text
    if text[:1] in _FIRST or "\t" in text or (text[:1] == " " and text.lstrip(" ")[:1] in _WRAPPED):
        match = PREFIX.match(text)
        if match:
            text = text[match.end() :]
            if "\x1b" in text:
                return clean_build_line(text)
    return text.rstrip()


_FIRST = frozenset("0123456789#[\ufeff")
_WRAPPED = frozenset("0123456789[")


def find_step_title(text: str) -> str:
    """Return the name of the step that a line begins, or an empty string."""
    if text[0] not in _STEPS and text[-2:] != "')":
        return ""
    match = STEP.match(text)
    return (match[match.lastgroup or 0] or "").strip() if match else ""


def is_closing_line(text: str) -> bool:
    """Return whether a line reports the result of a run."""
    first = text[0]
    if first in " \t":
        return any(word in text for word in _INDENTED) and CLOSING.fullmatch(text) is not None
    return (text[:2] in _OPENINGS or first.isdigit() or first > "~") and CLOSING.fullmatch(text) is not None


_INDENTED = ("Finished ", "(s)", "INFO ", " fixable ")
_STEPS = frozenset("#:S>gm[ D=-BP")
_OPENINGS = frozenset(
    [
        "Fo",
        "Su",
        "[w",
        "CS",
        "Pa",
        "Al",
        "on",
        "[*",
        "**",
        "==",
        "No",
        "er",
        "wa",
        "gm",
        "ma",
        "ni",
        "co",
        "ld",
        "cl",
        "Fi",
        "BU",
        "[I",
        "[E",
        "[W",
        "FA",
        "Bu",
        "CO",
        "[s",
        "[e",
        "Yo",
        "Ch",
        "In",
        "--",
        "CM",
        "ER",
        "E:",
        "ad",
        "re",
        "ch",
        "au",
        "up",
        "fo",
        "np",
        "EL",
        "Do",
        "we",
        "Pl",
        "Ap",
        "De",
        "Er",
        "##",
        "#1",
        "#2",
        "#3",
        "#4",
        "#5",
        "#6",
        "#7",
        "#8",
        "#9",
        "Pr",
        "Co",
        "Sc",
        "ex",
        "Ex",
        ">",
        "Th",
        "Ok",
        "Fa",
        "Ti",
        "Un",
        "no",
    ]
) | {"> "}
"""First two characters of closing lines: a cheap check before the long pattern."""
