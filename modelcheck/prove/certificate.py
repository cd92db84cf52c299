"""What was asked, as files that another solver can answer.

Each file is one question in SMT-LIB 2, and says what the answer must be: `unsat` for
what a proof rests on, `sat` for the one that shows that the proof is about something: an
instance in which the axioms hold and a step can be taken. `certificate.json` lists them.

Whether the files say what the protocol means is not for another solver to tell:
it checks the answers, not the encoding.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

import z3
from attrs import Factory, define

from modelcheck.prove.solver import Question

INDEX = "certificate.json"


@define
class Certificate:
    """The files of one proof, in a directory of its own.

    files  what `certificate.json` says of each
    """

    directory: Path
    proof: str
    files: list[dict[str, Any]] = Factory(list)

    def add(self, asked: Question, answer: Literal["unsat", "sat"]) -> None:
        """Write a question, with the answer that it must have. Raises OSError."""
        self.directory.mkdir(parents=True, exist_ok=True)
        words = f"{asked.about} {asked.name} {asked.line + 1}" if asked.name else asked.about
        name = f"{len(self.files) + 1:03}-{_plain(words)}.smt2"
        text = f"; {words}\n(set-logic ALL)\n(set-info :status {answer})\n{_body(asked)}"
        (self.directory / name).write_text(text, encoding="utf-8")
        self.files.append(
            {
                "file": name,
                "about": asked.about,
                "name": asked.name,
                "line": asked.line + 1,
                "answer": answer,
                "quantifiers": any(_has_quantifier(each) for each in asked.assertions),
            }
        )

    def close(self) -> None:
        """Write the list. Raises OSError."""
        self.directory.mkdir(parents=True, exist_ok=True)
        document = {"proof": self.proof, "files": self.files}
        text = json.dumps(document, indent=2) + "\n"
        (self.directory / INDEX).write_text(text, encoding="utf-8")


def _plain(words: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", words).strip("-").lower()


def _body(asked: Question) -> str:
    """Declarations, assertions, and the question; without what the solver says of itself."""
    lines = asked.text().splitlines()
    kept = (each for each in lines if not each.startswith((";", "(set-info", "(set-logic")))
    return "\n".join(kept) + "\n"


def _has_quantifier(formula: Any) -> bool:
    seen, todo = set(), [formula]
    while todo:
        each = todo.pop()
        if z3.is_quantifier(each):
            return True
        if each.get_id() not in seen:
            seen.add(each.get_id())
            todo += each.children()
    return False
