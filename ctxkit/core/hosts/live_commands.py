"""Recognize commands whose output is read while they run: interactive, background and watch commands."""

from collections.abc import Sequence

from ctxkit.core.text.shell_script import has_background_command, split_commands

INTERACTIVE = (
    *("vi", "vim", "nvim", "nano", "emacs", "less", "more", "top", "htop", "btop", "watch"),
    *("tmux", "screen", "fzf", "gdb", "lldb"),
)
"""Programs that draw on a terminal or read from it."""
SERVERS = ("vite", "nodemon", "uvicorn", "gunicorn", "hypercorn", "live-server", "http-server", "browser-sync")
"""Programs that run until they are stopped."""
RUNNERS = (
    *("npm", "pnpm", "yarn", "bun", "deno", "next", "nuxt", "astro", "ng", "vue", "gatsby", "expo", "webpack"),
    *("flask", "rails", "django-admin", "python", "python3", "manage.py", "hugo", "jekyll", "mkdocs", "php", "cargo"),
    *("dotnet", "wrangler", "npx"),
)
"""Programs that serve or watch if the word after them says so."""
SERVER_WORDS = (
    *("dev", "develop", "serve", "server", "start", "runserver", "watch", "preview", "storybook", "http.server"),
    *SERVERS,
)
"""Such words, and names of scripts that begin with one and a colon."""
NO_SERVER_WORDS = ("run", "exec", "x", "run-script", "manage.py", "./manage.py", "bin/rails", "rails", "ng", "next")
"""Words between a runner and the word that says what it does."""
FOLLOWERS = ("tail", "journalctl", "stern", "dmesg")
"""Programs that follow a log with -f."""
LOG_READERS = ("kubectl", "docker", "docker-compose", "podman", "heroku")
"""Programs whose command ``logs`` follows with -f, which names a file in their other commands."""
WATCH_OPTIONS = ("--watch", "--watchAll", "--watch-all", "--reload", "--follow", "--livereload")


def is_live(script: str) -> bool:
    """Return whether a script has a command whose output must not wait for the end of the script."""
    commands = (words for words, _ in split_commands(script) if words)
    return has_background_command(script) or any(map(_is_live_command, commands))


def _is_live_command(words: Sequence[str]) -> bool:
    name = words[0].rpartition("/")[2]
    if name in INTERACTIVE or name in SERVERS or any(word.partition("=")[0] in WATCH_OPTIONS for word in words[1:]):
        return True
    if name in FOLLOWERS or (name in LOG_READERS and "logs" in words):
        return any(_has_flag(word, "f") or word == "-F" for word in words[1:])
    if name in ("docker", "docker-compose", "podman") and "up" in words[1:5]:
        return not any(word in ("-d", "--detach", "--wait", "--no-start") for word in words)
    return name in RUNNERS and any(word.partition(":")[0] in SERVER_WORDS for word in _list_plain_words(words)[:1])


def _list_plain_words(words: Sequence[str]) -> list[str]:
    """Return the words after the program that are neither options nor words such as ``run``."""
    return [word for word in words[1:] if not word.startswith("-") and word not in NO_SERVER_WORDS]


def _has_flag(word: str, flag: str) -> bool:
    """Return whether a word is short options, such as ``-nf``, of which one is the flag."""
    return word.startswith("-") and not word.startswith("--") and flag in word and word[1:].isalnum()
