"""The pages of `modelcheck explain`: one for each id, `explain/<id>.md`."""

from __future__ import annotations

from pathlib import Path

from modelcheck.diagnostics import listing, near

_DIRECTORY = Path(__file__).resolve().parent / "explain"


def ids() -> list[str]:
    """The ids that have a page."""
    return sorted(page.stem for page in _DIRECTORY.glob("*.md"))


def page(id: str) -> str | None:
    """The page about `id`, None if there is none."""
    if id not in ids():
        return None
    return (_DIRECTORY / f"{id}.md").read_text(encoding="utf-8").rstrip()


def overview() -> str:
    """Every id with the heading of its page."""
    known = ids()
    width = max(map(len, known), default=0)
    return "\n".join(f"{id.ljust(width)}  {_title(id)}" for id in known)


def _title(id: str) -> str:
    """What the page's heading says after the id."""
    heading = (page(id) or "").partition("\n")[0]
    return heading.lstrip("# ").removeprefix(f"{id}:").strip()


def no_page(id: str) -> str:
    """That there is no page, with near ids."""
    close = near(id, ids())
    return f"no page about `{id}`" + (f"; did you mean {listing(close, 'or')}?" if close else "")
