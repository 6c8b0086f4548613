"""Make the scripts that a host's shell reads in front of a command, so that the output goes through the gate."""

from ctxkit.core.hosts.hook_script import HOOK, make_hook_script
from ctxkit.core.text.shell import quote
from ctxkit.core.text.switch import make_case_pattern

WRAP = "wrap.sh"
READER = "reader.sh"
"""Names of the two scripts in the directory of a host."""

WRAP_SCRIPT = """\
# Written by "ctxkit init {host}". Remove it with "ctxkit init {host} --remove".
# A shell (sh, bash, zsh) reads this file before a command of the model. stdout and stderr then go into a pipe, and
# the reader at its other end prints them, or a map of them, when the shell has ended. Without ctxkit nothing happens.
[ -z "${{__CTXKIT_CHILD-}}" ] || {{
    [ ! -s "$__CTXKIT_CHILD/functions" ] || . "$__CTXKIT_CHILD/functions"
    unset __CTXKIT_CHILD
    return 0
}}
case ${{CTXKIT_DISABLE:-}} in {off}) ;; *) return 0 ;; esac
[ -x {ctxkit} ] && [ -x {python} ] && [ -r {reader} ] || return 0
__ctxkit=$(mktemp -d "${{TMPDIR:-/tmp}}/ctxkit-wrap.XXXXXX" 2>/dev/null) || return 0
mkfifo "$__ctxkit/pipe" "$__ctxkit/end" 2>/dev/null || {{
    rm -rf "$__ctxkit"
    return 0
}}
__ctxkit_program={ctxkit}
printf '%s' "${{BASH_EXECUTION_STRING-${{ZSH_EXECUTION_STRING-}}}}" >|"$__ctxkit/command"
# The reader is no job of this shell, and in a session of its own: it outlives the shell if a host kills the group.
if command -v setsid >/dev/null 2>&1; then
    (setsid sh {reader} "$__ctxkit" </dev/null &)
else
    (sh {reader} "$__ctxkit" </dev/null &)
fi
# The shell waits for the reader at its end, because hosts stop to read when the shell is gone. A host's own trap runs.
__ctxkit_trap=
[ -z "${{BASH_VERSION-}}" ] || __ctxkit_trap=$(trap -p EXIT)
__ctxkit_end() {{
    {{ printf '%s\\n' "$1" >|"$__ctxkit/status"; }} 2>/dev/null || :
    eval "set -- $__ctxkit_trap"
    [ $# -lt 3 ] || eval "$3"
    exec >/dev/null 2>&1
    read -r __ctxkit_reader <"$__ctxkit/reader" && kill -USR1 "$__ctxkit_reader" && read -r _ <"$__ctxkit/end" || :
}}
{run}"""
IN_PLACE = """\
exec >"$__ctxkit/pipe" 2>&1
trap '__ctxkit_end $?' EXIT
"""
"""The shell itself runs the command, so that its directory and its variables are those of the host's shell."""
NOTE_PIPES = """\
# Of a pipeline that ends in tail, head or grep, a line on stderr says which member failed.
__ctxkit_note() {
    __ctxkit_script=$2
    case $2 in *"|"*tail* | *"|"*head* | *"|"*grep*)
        __ctxkit_script=$(SHELL=$1 "$__ctxkit_program" shell --print -c "$2" 2>/dev/null </dev/null)
        [ -n "$__ctxkit_script" ] || __ctxkit_script=$2
    ;; esac
}
"""
IN_CHILD = (
    NOTE_PIPES
    + """\
exec >"$__ctxkit/pipe" 2>&1
if [ -n "${BASH_EXECUTION_STRING-}" ]; then
    declare -f >|"$__ctxkit/functions" 2>/dev/null
    __ctxkit_note bash "$BASH_EXECUTION_STRING"
    __CTXKIT_CHILD=$__ctxkit "$BASH" -c "$__ctxkit_script" "$0" "$@"
elif [ -n "${ZSH_EXECUTION_STRING-}" ]; then
    __ctxkit_note zsh "$ZSH_EXECUTION_STRING"
    __CTXKIT_CHILD=$__ctxkit zsh -c "$__ctxkit_script" "$0" "$@"
else
    trap '__ctxkit_end $?' EXIT
    return 0
fi
__ctxkit_status=$?
__ctxkit_end $__ctxkit_status
exit $__ctxkit_status
"""
)
"""Another shell runs the command, for a host that reads no output after the end of its shell, or then ends the reader:
``exec`` or a trap of the command's own would let the shell end before the reader has printed."""

READER_SCRIPT = """\
# Written by "ctxkit init {host}". Remove it with "ctxkit init {host} --remove".
# wrap.sh starts it with a directory: it reads the output of a shell from the pipe there, and prints what fits.
files=$1
has_ended=
trap has_ended=1 USR1
exec 3<>"$files/end"
echo $$ >"$files/reader"
exec 4<"$files/pipe"
{{
    cat <&4 >"$files/output" || : >"$files/is_cut"
    : >"$files/is_whole"
}} >/dev/null 2>&1 3>&- &
[ "$has_ended" ] || wait $!
# A process that the shell left behind may hold the pipe open: what it prints later is not waited for.
tries=0
while [ ! -e "$files/is_whole" ] && [ $tries -lt 50 ]; do
    sleep 0.02
    tries=$((tries + 1))
done
if [ -e "$files/is_cut" ]; then
    cat "$files/output" && echo "[ctxkit: the disk is full, and a part of the output is lost here]"
    exec cat <&4
fi
status=
[ ! -r "$files/status" ] || read -r status <"$files/status"
if {ctxkit} gate --quiet --host {host} ${{status:+--status "$status"}} \\
    --name "$(head -c 4000 "$files/command")" <"$files/output" >"$files/page" 2>/dev/null; then
    cat "$files/page"
else
    cat "$files/output"
fi
rm -rf "$files"
"""


def make_wrap_script(host: str, ctxkit: str, python: str, reader: str, run: str = IN_PLACE) -> str:
    """Return the script that a shell reads; it does nothing if ctxkit, its Python or the reader is gone."""
    paths = {"ctxkit": quote(ctxkit), "python": quote(python), "reader": quote(reader)}
    return WRAP_SCRIPT.format(host=host, off=make_case_pattern(), run=run, **paths)


def make_reader_script(host: str, ctxkit: str) -> str:
    """Return the script that reads the output of the shell, and prints it raw if the gate fails."""
    return READER_SCRIPT.format(host=host, ctxkit=quote(ctxkit))


def make_source_command(wrap: str, home: str = "") -> str:
    """Return what stands in front of a command, and does nothing if the script is gone.

    It has plain words only: Codex applies no rule to a script with another shape, such as ``[ -r FILE ]``. It adds no
    line, so that a shell's messages name the same lines as without it. A script below ``home`` is named by ``~``.
    """
    below_home = wrap.removeprefix(home.rstrip("/") + "/") if home else wrap
    word = quote(wrap) if below_home == wrap else f"~/{quote(below_home)}"
    return f"test -r {word} && . {word}; "


def make_wrapping_scripts(
    host: str, directory: str, ctxkit: str, python: str, run: str = IN_PLACE
) -> dict[str, str]:
    """Return both scripts, and the one that the host calls for its events, by path."""
    wrap, reader = f"{directory}/{WRAP}", f"{directory}/{READER}"
    return {
        f"{directory}/{HOOK}": make_hook_script(host, ctxkit, python),
        wrap: make_wrap_script(host, ctxkit, python, reader, run),
        reader: make_reader_script(host, ctxkit),
    }
