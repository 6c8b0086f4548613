"""Build a Debian package that has ctxkit and its dependencies under /opt/ctxkit: ``python -m tools.deb DIRECTORY``.

The package works with the Python of the Debian release it is built on. Print the path of the package.
"""

import gzip
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ctxkit import __version__

ROOT = Path(__file__).parents[1]
PREFIX = "opt/ctxkit"
PYTHON = "/usr/bin/python3"
COMPLETIONS = {
    "ctxkit.bash": "usr/share/bash-completion/completions/ctxkit",
    "_ctxkit": "usr/share/zsh/vendor-completions/_ctxkit",
    "ctxkit.fish": "usr/share/fish/vendor_completions.d/ctxkit.fish",
}
LINKS = {
    "share/man/man1/ctxkit.1": "usr/share/man/man1/ctxkit.1.gz",
    "share/bash-completion/completions/ctxkit": COMPLETIONS["ctxkit.bash"],
    "share/zsh/site-functions/_ctxkit": COMPLETIONS["_ctxkit"],
    "share/fish/vendor_completions.d/ctxkit.fish": COMPLETIONS["ctxkit.fish"],
}
"""Links below the prefix, where a wheel has these files and ``ctxkit doctor`` looks for them."""
LAUNCHER = """\
#!/{prefix}/bin/python3
import sys

from ctxkit.main import main

sys.exit(main())
"""
CONTROL = """\
Package: ctxkit-cli
Version: {version}
Architecture: {architecture}
Maintainer: ctxkit maintainers <maintainers@users.noreply.github.com>
Installed-Size: {size}
Depends: python3 (>= {first}), python3 (<< {next})
Conflicts: ctxkit
Replaces: ctxkit
Section: utils
Priority: optional
Homepage: https://github.com/ctxkit/ctxkit
Description: filters that decide which content enters a language model's context
 ctxkit passes tool output that fits the context window of a model. It stores
 other output, and replaces it with a map that names how to read a part.
"""
COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Comment: The licences of the libraries are in the directories below
 /opt/ctxkit/lib whose names end with .dist-info.

Files: *
Copyright: the ctxkit maintainers
License: MIT
"""


class Target(NamedTuple):
    """The Python that runs the package, and the architecture of the machine."""

    version: tuple[int, int]
    architecture: str


def find_target() -> Target:
    """Return the Python of this Debian release, and the architecture."""
    code = "import sys; print(*sys.version_info[:2])"
    major, minor = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    dpkg = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True)
    return Target((int(major), int(minor)), dpkg.stdout.strip())


def make_control(target: Target, kilobytes: int) -> str:
    """Return the control file."""
    major, minor = target.version
    return CONTROL.format(
        version=__version__,
        architecture=target.architecture,
        size=kilobytes,
        first=f"{major}.{minor}",
        next=f"{major}.{minor + 1}",
    )


def install_environment(staging: Path, target: Target, wheel: str) -> None:
    """Put a virtual environment with ctxkit below the prefix; nothing in it names the staging directory."""
    prefix = staging / PREFIX
    packages = prefix / "lib" / "python{}.{}".format(*target.version) / "site-packages"
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", str(prefix)], check=True)
    shutil.rmtree(prefix / "bin")
    (prefix / "bin").mkdir()
    (prefix / "bin" / "python3").symlink_to(PYTHON)
    (prefix / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\n")
    pip = [sys.executable, "-m", "pip", "--python", PYTHON, "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-compile", "--target", str(packages), wheel], check=True)
    for name in ("bin", "share"):
        shutil.rmtree(packages / name, ignore_errors=True)
    name_build(packages / "ctxkit" / "BUILD")
    write_program(prefix / "bin" / "ctxkit", LAUNCHER.format(prefix=PREFIX))
    compiler = [PYTHON, "-m", "compileall", "-q", "-j", "0", "-s", str(staging), "-p", "/", str(packages)]
    subprocess.run(compiler, check=False)  # some packages have templates that are no Python


def name_build(path: Path) -> None:
    """Add the kind of package to the name of the build."""
    name = path.read_text().strip() if path.exists() else ""
    path.write_text(f"{name}, Debian package\n".removeprefix(", "))


def write_program(path: Path, text: str) -> None:
    """Write a file that is executable."""
    path.write_text(text)
    path.chmod(0o755)


def install_documents(staging: Path) -> None:
    """Put the command, the man pages, the completions and the licence in their places."""
    (staging / "usr" / "bin").mkdir(parents=True)
    (staging / "usr" / "bin" / "ctxkit").symlink_to(f"/{PREFIX}/bin/ctxkit")
    for page in sorted((ROOT / "man").glob("*.1")):
        write_compressed(staging / "usr/share/man/man1" / f"{page.name}.gz", page.read_bytes())
    for name, place in COMPLETIONS.items():
        path = staging / place
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "completions" / name, path)
    for name, place in LINKS.items():
        link = staging / PREFIX / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(f"/{place}")
    documents = staging / "usr/share/doc/ctxkit-cli"
    write_compressed(documents / "changelog.gz", (ROOT / "CHANGELOG.md").read_bytes())
    licence = "".join(f" {line or '.'}\n" for line in (ROOT / "LICENSE").read_text().splitlines())
    (documents / "copyright").write_text(COPYRIGHT + licence)


def write_compressed(path: Path, data: bytes) -> None:
    """Write a file in the form of gzip, without a time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, mtime=0))


def list_files(staging: Path) -> Iterator[Path]:
    """Yield all files of the package, with no directories."""
    for folder, _, names in os.walk(staging):
        yield from (Path(folder) / name for name in names)


def build(directory: Path) -> Path:
    """Build the package in a directory, and return its path."""
    target = find_target()
    with TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--wheel-dir", folder, str(ROOT)], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        staging = Path(folder) / "staging"
        staging.mkdir(mode=0o755)
        install_environment(staging, target, str(wheel))
        install_documents(staging)
        subprocess.run(["chmod", "-R", "go=rX", str(staging)], check=True)
        size = sum(path.lstat().st_size for path in list_files(staging))
        (staging / "DEBIAN").mkdir(mode=0o755)
        (staging / "DEBIAN" / "control").write_text(make_control(target, -(-size // 1024)))
        directory.mkdir(parents=True, exist_ok=True)
        package = directory / f"ctxkit-cli_{__version__}_{target.architecture}.deb"
        argv = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z3", "--build", str(staging), str(package)]
        subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return package


if __name__ == "__main__":
    print(build(Path(sys.argv[1])))
