"""The canonical layout."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import CONSTRUCTS, ROOT, tree_of

from modelcheck.diagnostics import Refused
from modelcheck.parse.formatter import format_text
from modelcheck.source import Source

SHIPPED = sorted(
    path for folder in ("specs", "protocols") for path in (ROOT / folder).rglob("*.model")
)
MODELS = sorted(path for path in ROOT.rglob("*.model") if ".git" not in path.parts)


def formatted(text: str) -> str:
    return format_text(Source("test.model", text))


@pytest.mark.parametrize("path", [CONSTRUCTS, *SHIPPED], ids=lambda path: path.name)
def test_the_files_of_the_library_are_in_canonical_layout(path: Path) -> None:
    text = path.read_text("utf-8")
    assert formatted(text) == text


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_formatting_keeps_the_tree_and_is_done_after_once(path: Path) -> None:
    try:
        before = tree_of(path.read_text("utf-8"))
    except Refused:
        pytest.skip("a file that is meant to be refused")
    once = formatted(path.read_text("utf-8"))
    assert tree_of(once) == before
    assert formatted(once) == once


def test_formatting_restores_a_squeezed_and_a_stretched_file() -> None:
    text = CONSTRUCTS.read_text("utf-8")
    stretched = "".join(
        (" " * (len(line) - len(line.lstrip())) + line).rstrip() + "   \n\n"
        if line and not line.startswith(("#", " " * 10))
        else line + "\n"
        for line in text.splitlines()
    )
    assert tree_of(formatted(stretched)) == tree_of(stretched)
    assert formatted(text.replace("\n", "\r\n")) == text
    assert formatted("\ufeff" + text.rstrip()) == text


CASES = {
    "blanks around signs": ("let a=f( b,c )+-1*d.e'\n", "let a = f(b, c) + -1 * d.e'\n"),
    "no blanks in ranges": ("let a = s[ 1 .. 2 ]\n", "let a = s[1..2]\n"),
    "a blank after a sum in an open slice": (
        "let a = s[i+1..] ++ s[i ..]\n",
        "let a = s[i + 1 ..] ++ s[i..]\n",
    ),
    "a minus of its own": (
        "let a = if b then - 1 else c - - 1\n",
        "let a = if b then -1 else c - -1\n",
    ),
    "colons": ("param A ,B:int= 3\n", "param A, B: int = 3\n"),
    "options": ("type T = map A to B ?\n", "type T = map A to B?\n"),
    "braces": ("let a = { b|b in c }\n", "let a = {b | b in c}\n"),
    "brackets after words": (
        "let a = not(b) and (c)in d and e [1] in [2]\n",
        "let a = not (b) and (c) in d and e[1] in [2]\n",
    ),
    "names that are keywords elsewhere": (
        "let to (x: A) = to (x)[1] with(a=1)\n",
        "let to(x: A) = to (x)[1] with (a = 1)\n",
    ),
    "two levels": (
        "action a\n      if b.c\n         b.c:=1\n",
        "action a\n  if b.c\n    b.c := 1\n",
    ),
    "a line that goes on": (
        "action a\n  when b.c and\n   b.d\n     or b.e\n  b.c := 1\n",
        "action a\n  when b.c and\n      b.d\n      or b.e\n  b.c := 1\n",
    ),
    "alternatives under the sign": (
        "type Role = Idle\n  | Busy\n  # gone\n  | Gone\n",
        "type Role = Idle\n          | Busy\n          # gone\n          | Gone\n",
    ),
    "updates in a run": (
        "action a\n  b.c := 1\n  b.long += 2\n  b.d -= 3\n\n  b.e := 4\n",
        "action a\n  b.c    := 1\n  b.long += 2\n  b.d    -= 3\n\n  b.e := 4\n",
    ),
    "updates of a block apart": (
        "action a\n  b.long := 1\n  if b.c\n    b.c := 1\n  b.d := 2\n",
        "action a\n  b.long := 1\n  if b.c\n    b.c := 1\n  b.d := 2\n",
    ),
    "comments in one column": (
        "sort A # a\nsort Bcd # b\n",
        f"sort A{' ' * 38}# a\nsort Bcd{' ' * 36}# b\n",
    ),
    "comments in the user's column": (
        "sort A      # a\nsort Bcd    # b\nsort C # c\n",
        "sort A      # a\nsort Bcd    # b\nsort C      # c\n",
    ),
    "comments after long code": (
        f"let a = {'b' * 50} # a\nlet a = c # b\n",
        f"let a = {'b' * 50}    # a\nlet a = c{' ' * 53}# b\n",
    ),
    "empty lines at the ends": ("\n\nsort A\n\n\n", "sort A\n"),
    "one empty line at most": (
        "action a\n\n  when b.c\n\n\n  b.c := 1\n",
        "action a\n  when b.c\n\n  b.c := 1\n",
    ),
    "one empty line around bodies": (
        "sort A\naction a\n  when true\naction b\n  when true\nsort B\n",
        "sort A\n\naction a\n  when true\n\naction b\n  when true\n\nsort B\n",
    ),
    "short lines together or apart": ("sort A\nsort B\n\n\nsort C\n", "sort A\nsort B\n\nsort C\n"),
    "an empty line after the protocol": ("protocol P\nsort A\n", "protocol P\n\nsort A\n"),
    "comments stay with what is below": (
        "sort A\n## Doc.\naction a\n  when true\n    # in a\n# of b\naction b\n  when true\n",
        "sort A\n\n## Doc.\naction a\n  when true\n  # in a\n\n# of b\naction b\n  when true\n",
    ),
    "words with a hyphen": (
        "check a\n  expect two-writes\n\nproof P\n  Q by k-induction   2\n",
        "check a\n  expect two-writes\n\nproof P\n  Q by k-induction 2\n",
    ),
    "no blanks at line ends": ("sort A   \n#  b   \n", "sort A\n#  b\n"),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_layout(text: str, expected: str) -> None:
    assert formatted(text) == expected
    assert formatted(expected) == expected


def test_a_text_that_does_not_parse_is_refused() -> None:
    with pytest.raises(Refused):
        formatted("sort a\n")
