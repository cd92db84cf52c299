"""All small actions: one guard or one update, made of every operator with every argument.

A *family* is a few variables of tiny types and the operators about them. Each
action is a model of its own that shares its protocol with the others: their
steps do not touch each other. They are asked about in every state of the family.

A term has size 0 if it is a variable or a literal, and one more for each
operator in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

from attrs import frozen

from modelcheck import api
from modelcheck.core.model import Model
from modelcheck.core.values import State, Value, values_of
from modelcheck.diagnostics import Refused
from modelcheck.source import Source

_PLACE = re.compile("<(.)>")

DECLARATIONS = """
sort S
type K = K1 | K2
type P = A | B(x: 0..2) | C(x: 0..2, y: bool)
type R(a: 0..2, b: bool)
type W(x: 0..99, y: 0..2)
"""


@frozen
class Family:
    """
    atoms      by kind (a letter), terms of size 0, the telling ones first
    operators  kind of the result, and a pattern in which `<k>` is an argument of kind k
    updates    patterns of updates
    states     values for each variable, where not all of them are tried
    """

    name: str
    variables: tuple[str, ...]
    atoms: dict[str, tuple[str, ...]]
    operators: tuple[tuple[str, str], ...]
    updates: tuple[str, ...]
    states: tuple[tuple[Value, ...], ...] | None = None

    def terms(self, kind: str, size: int, most: int = 99) -> Iterator[str]:
        """All terms of a kind and size; only the first `most` atoms are used."""
        if size == 0:
            yield from self.atoms.get(kind, ())[:most]
            return
        for result, pattern in self.operators:
            if result == kind:
                yield from self.filled(pattern, size - 1, most)

    def filled(self, pattern: str, size: int, most: int = 99) -> Iterator[str]:
        """The pattern with all arguments that have `size` operators together, in one of them."""
        # A term within another binds other names.
        pattern = re.sub(r"(?<![.<])\b([kyz])\b", rf"\g<1>{size}", pattern) if size else pattern
        kinds = _PLACE.findall(pattern)
        if not kinds:
            if size == 0:
                yield pattern
            return
        for large in range(len(kinds)) if size else [0]:
            arguments = [
                [f"({t})" if size and i == large else t for t in self.terms(kind, size, most)]
                if i == large
                else list(self.terms(kind, 0, most))
                for i, kind in enumerate(kinds)
            ]
            for chosen in product(*arguments):
                rest = iter(chosen)
                yield _PLACE.sub(lambda _, rest=rest: next(rest), pattern)  # type: ignore[misc]

    def bodies(self, level: int) -> list[tuple[str, ...]]:
        """The lines of every action: a guard, an update, or two updates.

        level  0: guards of size 1, updates of terms of size 0, and pairs of them
               1: updates of terms of size 1, too, with the first two atoms
               2: all that is one larger, with the first two atoms, or one
        """
        found = [(f"when {term}",) for term in self.terms("b", 1)]
        found += [(line,) for pattern in self.updates for line in self.filled(pattern, 0)]
        short = [line for pattern in self.updates for line in self.filled(pattern, 0, 2)]
        found += (pair for pair in product(short, repeat=2) if not _is_refused(*pair))
        if level >= 1:
            found += [(line,) for pattern in self.updates for line in self.filled(pattern, 1, 2)]
        if level >= 2:
            found += [(f"when {term}",) for term in self.terms("b", 2, 2)]
            found += [(line,) for pattern in self.updates for line in self.filled(pattern, 2, 1)]
        return list(dict.fromkeys(found))

    def protocol(self, bodies: Sequence[tuple[str, ...]]) -> str:
        """The text of a protocol with these actions, one line each for the header and the body."""
        lines = ["protocol Tiny", *DECLARATIONS.splitlines(), "state"]
        lines += self.variables
        for number, body in enumerate(bodies):
            lines += [f"action a{number}", *(f"  {line}" for line in body)]
        return "\n".join([*lines, "check only", "  S = 2", "  expect holds", ""])

    def model(self, bodies: Sequence[tuple[str, ...]]) -> tuple[Model, int]:
        """The model with the actions that the language does not refuse, and how many they are."""
        kept = list(bodies)
        for _ in range(20):
            try:
                file = api.load_source(Source("tiny.model", self.protocol(kept)))
                return file["only"].model, len(kept)
            except Refused as refused:
                wrong = {each.primary.span.start for each in refused.diagnostics}
                kept = self._without(kept, wrong)
        raise AssertionError("refused again and again")

    def _without(self, bodies: list[tuple[str, ...]], wrong: set[int]) -> list[tuple[str, ...]]:
        text = self.protocol(bodies)
        starts = [match.start() for match in re.finditer("^action a", text, re.MULTILINE)]
        ends = [*starts[1:], text.index("\ncheck only")]
        kept = [
            body
            for body, start, end in zip(bodies, starts, ends, strict=True)
            if not any(start <= at < end for at in wrong)
        ]
        assert len(kept) < len(bodies), [text[at : at + 60] for at in wrong]
        return kept

    def all_states(self, model: Model) -> list[State]:
        """Every state of the family, reachable or not."""
        if self.states is not None:
            return list(product(*self.states))
        slots: list[Sequence[Value]] = []
        for variable in model.variables:
            values = values_of(variable.type)
            key = variable.owner.key
            copies = 1 if key is None else len(values_of(key))
            slots.append(values if key is None else list(product(values, repeat=copies)))
        return list(product(*slots))


def _is_refused(first: str, second: str) -> bool:
    """Whether the language sees that one place is given two values."""
    (place, _, a), (other, _, b) = first.partition(" := "), second.partition(" := ")
    return place == other and a != b and bool(a and b)


_LOGIC = (
    ("b", "not <b>"),
    ("b", "<b> and <b>"),
    ("b", "<b> or <b>"),
    ("b", "<b> implies <b>"),
    ("b", "if <b> then <b> else <b>"),
    ("b", "<b> == <b>"),
    ("b", "<b> != <b>"),
)
_COMPARED = tuple(("b", f"<n> {sign} <n>") for sign in ("<", "<=", ">", ">=", "==", "!="))
_COUNTED = (
    ("b", "<n> in <{0}>"),
    ("b", "<n> not in <{0}>"),
    ("b", "empty(<{0}>)"),
    ("b", "<{0}> == <{0}>"),
    ("b", "<{0}> != <{0}>"),
    ("b", "forall z in <{0}>: z < <n>"),
    ("b", "exists z in <{0}>: z > <n>"),
    ("b", "exists z in <{0}> where z > <n>, y in <{0}>: y < z"),
    ("n", "count z in <{0}>: z > <n>"),
    ("n", "sum z in <{0}>: z + 1"),
    ("n", "the z in <{0}>: z > <n>"),
    ("n", "min(<{0}>)"),
    ("n", "max(<{0}>)"),
)


def _counted(kind: str) -> tuple[tuple[str, str], ...]:
    return tuple((result, pattern.replace("{0}", kind)) for result, pattern in _COUNTED)


FAMILIES = (
    Family(
        "numbers",
        ("  v", "    b: bool = true", "    n: 0..2 = 0", "    i: -2..1 = 0"),
        {"b": ("v.b", "true", "false"), "n": ("v.n", "v.i", "2", "-1")},
        (
            *_LOGIC,
            *_COMPARED,
            ("b", "(<n>, v.n) < (v.n, <n>)"),
            ("b", "(<n>, v.i, 1) >= (v.n, <n>, v.n)"),
            ("b", "forall z in <n>..<n>: z > v.n"),
            ("b", "exists z in <n>..2, y in z..<n>: z + y == v.n"),
            ("n", "<n> + <n>"),
            ("n", "<n> - <n>"),
            ("n", "<n> * <n>"),
            ("n", "<n> div 2"),
            ("n", "<n> mod 2"),
            ("n", "<n> div 3"),
            ("n", "<n> mod 3"),
            ("n", "min(<n>, <n>)"),
            ("n", "max(<n>, <n>)"),
            ("n", "if <b> then <n> else <n>"),
            ("n", "count z in 0..2: z < <n>"),
            ("n", "sum z in <n>..<n>: z"),
            ("n", "the z in <n>..<n>: z == v.n"),
        ),
        ("v.b := <b>", "v.n := <n>", "v.n += <n>", "v.n -= <n>", "v.i := <n>"),
    ),
    Family(
        "options",
        ("  v", "    o: Num? = none", "    n: 0..2 = 0",
         "    r: R? = none"),
        {
            "n": ("v.n", "1"),
            "o": ("v.o", "none", "v.n", "1"),
            "r": ("v.r", "none", "R(1, true)", "R(v.n, false)"),
        },
        (
            ("b", "<o> == <o>"),
            ("b", "<o> != <o>"),
            ("b", "<r> == <r>"),
            ("b", "<o> is none"),
            ("b", "v.o is some(z) and z < <n>"),
            ("b", "v.r is some(z) and z.a < <n>"),
            ("b", "v.o is not some(_) or v.n == <n>"),
            ("b", "v.r is some(R(_, true)) implies v.n == <n>"),
            ("o", "if v.n == <n> then <o> else <o>"),
            ("r", "if v.n == <n> then <r> else <r>"),
        ),
        ("v.o := <o>", "v.r := <r>", "v.n += <n>"),
    ),
    Family(
        "sets",
        ("  v", "    s: set of Num = {}", "    t: set of Low up to 1 = {}", "    n: 0..2 = 0"),
        {"n": ("v.n", "1", "-1"), "s": ("v.s", "v.t", "{0, 2}", "{}")},
        (
            *_counted("s"),
            ("b", "<s> subset <s>"),
            ("b", "majority(<s>)"),
            ("b", "exists y in subset of <s>: size(y) == <n>"),
            ("b", "forall y in subset of <s>: v.n in y or size(y) < 2"),
            ("n", "size(<s>)"),
            ("n", "count y in subset of <s>: <n> in y"),
            ("s", "<s> union <s>"),
            ("s", "<s> minus <s>"),
            ("s", "<s> intersect <s>"),
            ("s", "{z | z in <s> where z < <n>}"),
            ("s", "{z + 1 | z in <s>}"),
            ("s", "{<n>, <n>}"),
            ("s", "if v.n == <n> then <s> else <s>"),
        ),
        ("v.s := <s>", "v.s += <s>", "v.s -= <s>", "v.s += <n>", "v.s -= <n>",
         "v.t := <s>", "v.t += <n>", "v.n := <n>"),
    ),
    Family(
        "sequences",
        ("  v", "    q: seq of Num up to 2 = []", "    p: seq of Low up to 1 = []",
         "    n: 0..2 = 0"),
        {"n": ("v.n", "1", "-1", "3"), "q": ("v.q", "v.p", "[2]", "[]")},
        (
            *_counted("q"),
            ("n", "len(<q>)"),
            ("n", "<q>[<n>]"),
            ("n", "first(<q>)"),
            ("n", "last(<q>)"),
            ("q", "<q> ++ <q>"),
            ("q", "<q>[<n>..<n>]"),
            ("q", "<q>[<n>..]"),
            ("q", "rest(<q>)"),
            ("q", "prefix(<q>, <n>)"),
            ("q", "[<n>, <n>]"),
            ("q", "if v.n == <n> then <q> else <q>"),
        ),
        ("v.q := <q>", "v.q += <n>", "v.q[<n>] := <n>", "v.q[<n>] += <n>", "v.p := <q>",
         "v.p += <n>"),
    ),
    Family(
        "bags",
        ("  v", "    g: bag of Num up to 2 = {}", "    h: bag of Low up to 1 = {}",
         "    n: 0..2 = 0"),
        {"n": ("v.n", "1", "-1"), "g": ("v.g", "v.h")},
        (
            *_counted("g"),
            ("n", "size(<g>)"),
            ("n", "<g>[<n>]"),
            ("g", "if v.n == <n> then <g> else <g>"),
        ),
        ("v.g := <g>", "v.g += <n>", "v.g -= <n>", "v.g += {<n>, <n>}", "v.g -= {<n>, <n>}",
         "v.h += <n>", "v.h := <g>", "v.g := {<n>, 1}"),
    ),
    Family(
        "maps",
        ("  v", "    m: map K to Num = 0", "    k: K = K1", "    n: 0..2 = 0"),
        {
            "n": ("v.n", "2"),
            "k": ("v.k", "K2"),
            "m": ("v.m", "(each l in K: v.n)", "(each l in K: if l == K1 then 3 else v.n)"),
        },
        (
            ("b", "<m> == <m>"),
            ("b", "<k> == <k>"),
            ("b", "<n> < <n>"),
            ("b", "forall k in K: v.m[k] <= <n>"),
            ("n", "v.m[<k>]"),
            ("n", "(<m>)[<k>]"),
            ("n", "sum k in K: v.m[k]"),
            ("k", "if v.n == <n> then <k> else <k>"),
            ("m", "if v.n == <n> then <m> else <m>"),
        ),
        ("v.m := <m>", "v.m[<k>] := <n>", "v.m[<k>] += <n>", "v.m[<k>] -= <n>", "v.k := <k>",
         "for k in K\n    v.m[k] := <n>"),
    ),
    Family(
        "unions",
        ("  v", "    p: P = A", "    r: R = R(0, true)", "    n: 0..2 = 0"),
        {
            "n": ("v.n", "1", "3"),
            "b": ("v.r.b", "true"),
            "p": ("v.p", "A", "B(1)", "C(v.n, false)"),
            "r": ("v.r", "R(1, true)"),
        },
        (
            ("b", "<p> == <p>"),
            ("b", "<r> == <r>"),
            ("b", "<p> is A"),
            ("b", "<p> is B(z) and z < <n>"),
            ("b", "<p> is C(z, y) and (y or z == <n>)"),
            ("b", "<p> is C(_, true) implies v.n == <n>"),
            ("b", "<p> is B(1) or v.r.b"),
            ("b", "<n> == <n>"),
            ("n", "(<r>).a"),
            ("n", "if v.p is C then v.p.x else <n>"),
            ("p", "B(<n>)"),
            ("p", "C(<n>, <b>)"),
            ("p", "if <b> then <p> else <p>"),
            ("r", "R(<n>, <b>)"),
            ("r", "<r> with (a = <n>)"),
            ("r", "<r> with (a = <n>, b = <b>)"),
        ),
        ("v.p := <p>", "v.r := <r>", "v.r.a := <n>", "v.r.a += <n>", "v.r.b := <b>",
         "v.n := <n>"),
    ),
    Family(
        "members",
        ("  v", "    c: S? = none", "    s: set of S = {}", "  each S", "    up: bool = true",
         "    volatile w: 0..1 = 1"),
        {"s": ("v.s", "{}", "S"), "c": ("v.c", "none")},
        (
            ("b", "<c> == <c>"),
            ("b", "<s> subset <s>"),
            ("b", "<s> == <s>"),
            ("b", "majority(<s>)"),
            ("b", "v.c is some(z) and z in <s>"),
            ("b", "forall z in <s>: z.up"),
            ("b", "exists z in S, y in <s>: z != y and z.up"),
            ("n", "count z in S: z.up and z in <s>"),
            ("s", "<s> union <s>"),
            ("s", "<s> minus <s>"),
            ("s", "{z | z in <s> where z.up}"),
        ),
        ("v.s := <s>", "v.s += <s>", "v.c := <c>", "for z in <s>\n    z.up := not z.up",
         "for z in <s>\n    lose z", "for z in <s>\n    v.c := z", "for z in S\n    z.w := 0"),
    ),
    Family(
        "wide",
        ("  v", "    s: set of W up to 2 = {}", "    t: set of W up to 1 = {}", "    n: 0..2 = 0"),
        {
            "n": ("v.n", "3"),
            "w": ("W(7, v.n)", "W(99, 2)", "W(0, 0)"),
            "s": ("v.s", "v.t", "{W(7, 1), W(99, 2)}", "{}"),
        },
        (
            ("b", "<w> in <s>"),
            ("b", "<s> == <s>"),
            ("b", "<s> subset <s>"),
            ("b", "empty(<s>)"),
            ("b", "exists z in <s>: z.y == <n>"),
            ("n", "size(<s>)"),
            ("n", "count z in <s>: z.x > 7"),
            ("w", "the z in <s>: z.y == <n>"),
            ("s", "<s> union <s>"),
            ("s", "<s> minus <s>"),
            ("s", "<s> intersect <s>"),
            ("s", "{z | z in <s> where z.y <= <n>}"),
            ("s", "{W(z.x, v.n) | z in <s>}"),
        ),
        ("v.s := <s>", "v.s += <w>", "v.s -= <w>", "v.s += <s>", "v.s -= <s>", "v.t := <s>",
         "v.t += <w>"),
        (
            ((), ((0, 0, 0),), ((0, 7, 1),), ((0, 7, 1), (0, 99, 2)), ((0, 7, 0), (0, 8, 0))),
            ((), ((0, 7, 1),), ((0, 99, 2),)),
            (0, 1, 2),
        ),
    ),
)  # fmt: skip

DECLARATIONS += "type Num = 0..2\ntype Low = -1..1\n"
