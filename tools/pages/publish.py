"""Write generated files into a directory, or tell which of them are stale."""

import os
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatch

import click


def publisher(make: Callable[[], Mapping[str, str]], ours: str) -> click.Command:
    """Return a command that writes files into a directory; those named like ``ours`` go when they are stale."""

    @click.command()
    @click.argument("directory")
    @click.option("--check", is_flag=True, help="Write nothing; name the files that are stale and answer 1.")
    @click.pass_context
    def publish(ctx: click.Context, directory: str, check: bool) -> None:
        """Write the files that are stale, or name them with --check."""
        files = {name: text.encode() for name, text in make().items()}
        stale = _stale(directory, files, ours)
        if check:
            click.echo("".join(f"{os.path.join(directory, name)} is stale\n" for name in stale), nl=False, err=True)
            ctx.exit(1 if stale else 0)
        _update(directory, files, stale)

    return publish


def _stale(directory: str, files: Mapping[str, bytes], ours: str) -> list[str]:
    """Return the names of files that are missing, differ, or should be gone."""
    existing = {name: _bytes(os.path.join(directory, name)) for name in _files(directory) if fnmatch(name, ours)}
    return sorted(name for name in {*files, *existing} if files.get(name) != existing.get(name))


def _update(directory: str, files: Mapping[str, bytes], stale: Iterable[str]) -> None:
    os.makedirs(directory, exist_ok=True)
    for name in stale:
        _put(os.path.join(directory, name), files.get(name))


def _files(directory: str) -> list[str]:
    return os.listdir(directory) if os.path.isdir(directory) else []


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _put(path: str, data: bytes | None) -> None:
    if data is None:
        os.unlink(path)
        return
    with open(path, "wb") as file:
        file.write(data)
