"""Candidate lemmas: clauses over a file's own atoms that the given states satisfy.

A clause is a disjunction of atoms and negated atoms about a shape (see `vocabulary`),
read as an implication. What is mined speaks of the open model; `Instance` says what
it means in a finite one, where it is tried on states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from random import Random
from typing import Any, TypeAlias

from attrs import Factory, define, evolve, frozen

from modelcheck.core.model import Invariant, Model
from modelcheck.core.proof import Proof
from modelcheck.core.terms import (
    And,
    Compare,
    Forall,
    Implies,
    Not,
    Number,
    Or,
    Parameter,
    Read,
    Term,
    Truth,
    Universe,
    Values,
)
from modelcheck.core.types import (
    Bag,
    Bool,
    Int,
    Map,
    Nothing,
    Option,
    Range,
    Seq,
    Set,
    Sort,
    Type,
    Union,
)
from modelcheck.core.values import State, Value, cardinality, make_set, values_of
from modelcheck.core.variables import Variable
from modelcheck.prove.algebra import Expr, both
from modelcheck.prove.reach import Reach
from modelcheck.prove.reading import Reader, domain, reader
from modelcheck.prove.space import Space
from modelcheck.prove.symbols import Members, Sym
from modelcheck.prove.terms import frame_of
from modelcheck.prove.vocabulary import Shape, rebuilt, shapes, walk

MOST_STATES = 1500
"""States that clauses are mined from; all of them are asked when a clause is judged."""

MOST_ROWS = 4000
MOST_OF_A_SHAPE = 400
_STRAY_STATES = 400
_MOST_IDLE = 150
"""So many states in a row that show a shape nothing new are taken for all."""


@frozen
class Clause:
    """
    shape     the position of its shape
    literals  positions of its atoms, ascending; ~position for a negated one; none: that no state
              has such elements
    """

    shape: int
    literals: tuple[int, ...]


@frozen(eq=False)
class Candidates:
    """Clauses with what they are over, the shortest first."""

    shapes: tuple[Shape, ...]
    clauses: tuple[Clause, ...]

    def term(self, clause: Clause) -> Term:
        """The clause as a line of a lemma."""
        shape = self.shapes[clause.shape]
        if not clause.literals:
            return _never(shape)
        body = _body(shape, clause.literals)
        return Forall(shape.binders, body) if shape.binders else body

    def lemma(self, name: str, clauses: Iterable[Clause]) -> Invariant:
        """The clauses as the lines of a lemma."""
        return Invariant(name, tuple(self.term(each) for each in clauses), lemma=True)


def _body(shape: Shape, literals: tuple[int, ...]) -> Term:
    """What the clause negates are the premises."""
    premises: list[Term] = []
    conclusions: list[Term] = []
    for each in literals:
        if each < 0:
            premises.append(shape.atoms[~each])
        else:
            conclusions.append(shape.atoms[each])
    if not conclusions:
        conclusions.append(_not(premises.pop()))
    conclusion = conclusions[0] if len(conclusions) == 1 else Or(tuple(conclusions))
    premises[:0] = shape.given
    if not premises:
        return conclusion
    return Implies(premises[0] if len(premises) == 1 else And(tuple(premises)), conclusion)


def _never(shape: Shape) -> Term:
    """That the one element of the shape has not the form that the shape is about."""
    if not shape.binders:
        return Not(shape.given[0])
    last = shape.binders[-1]
    assert last.where is not None
    return Forall((*shape.binders[:-1], evolve(last, where=None)), Not(last.where))


def _can_be_absent(shape: Shape) -> bool:
    if len(shape.given) + len(shape.binders) != 1:
        return False
    return not shape.binders or shape.binders[-1].where is not None


def _not(atom: Term) -> Term:
    if isinstance(atom, Compare) and atom.operator == "<=":
        return Compare("<", atom.right, atom.left)
    return Not(atom)


# --- in a finite instance --------------------------------------------------------------


class Row:
    """A choice of a shape's elements in a state, and which atoms hold of it, as bits."""

    __slots__ = ("mask", "values")

    def __init__(self, mask: int, values: tuple[Value, ...]) -> None:
        self.mask = mask
        self.values = values


@define(eq=False)
class Instance:
    """Shapes in a finite instance of the model that they were made for."""

    general: Proof
    proof: Proof
    sizes: Mapping[str, int]
    shapes: tuple[Shape, ...]
    _types: dict[Type, Type] = Factory(dict)
    _readers: dict[int, _Readers] = Factory(dict)
    here: tuple[Shape, ...] = ()

    def __attrs_post_init__(self) -> None:
        for one, other in zip(self.general.model.variables, self.model.variables, strict=True):
            self._pair(one.type, other.type)
            if one.owner.key is not None and other.owner.key is not None:
                self._pair(one.owner.key, other.owner.key)
        self.here = tuple(self.translated(each) for each in self.shapes)

    @property
    def model(self) -> Model:
        """The instance's model."""
        return self.proof.model

    def _pair(self, one: Type, other: Type) -> None:
        self._types[one] = other
        match one, other:
            case (Set(a), Set(b)) | (Bag(a), Bag(b)) | (Seq(a), Seq(b)) | (Option(a), Option(b)):
                self._pair(a, b)
            case Map(k, v), Map(l, w):
                self._pair(k, l)
                self._pair(v, w)
            case Union(), Union():
                for form, same in zip(one.forms, other.forms, strict=True):
                    for f, g in zip(form.fields, same.fields, strict=True):
                        self._pair(f.type, g.type)

    def translated(self, part: Any) -> Any:
        """A shape or term of the open model, as the instance has it."""
        match part:
            case Variable():
                return self.model.variables[part.position]
            case Parameter(name) if name in self.sizes:
                return self._size(name, part.type)
            case Bool() | Int() | Range() | Sort() | Union() | Option() | Map() | Nothing():
                return self._type(part)
            case Set() | Bag() | Seq():
                return self._type(part)
            case _:
                return rebuilt(part, self.translated)

    def _size(self, name: str, type_: Type) -> Term:
        size = self.sizes[name]
        if isinstance(type_, Bool):
            return Truth(bool(size))
        return Number(size, type=Range(size, size))

    def _type(self, type_: Type) -> Type:
        found = self._types.get(type_)
        if found is None and isinstance(type_, Set):
            return Set(self._type(type_.element), type_.bound)
        return type_ if found is None else found

    # --- rows ---

    def rows(self, shape: int, state: State) -> Iterator[Row]:
        """Every choice of the shape's elements in a state."""
        if shape not in self._readers:
            self._readers[shape] = _readers(self.here[shape])
        binders, given, atoms = self._readers[shape]
        if not all(each(state, {}) for each in given):
            return
        for names in _choices(binders, state, {}):
            mask = 0
            for position, atom in enumerate(atoms):
                if atom(state, names):
                    mask |= 1 << position
            yield Row(mask, tuple(names.values()))

    def literals(
        self, shape: int, state: Sequence[Sym], names: dict[str, Sym], space: Space
    ) -> tuple[Expr, list[Expr]]:
        """That the names are a choice of the shape's elements, and its atoms, as formulas."""
        here, condition = self.here[shape], []
        frame = frame_of(space, Reach(True), state, dict(names))
        for binder in here.binders:
            if isinstance(binder.domain, Values) and not isinstance(binder.domain.term, Universe):
                members = frame.value(binder.domain.term)
                assert isinstance(members, Members)
                condition.append(members.has(names[binder.name]))
            if binder.where is not None:
                condition.append(frame.truth(binder.where))
        condition += [frame.truth(each) for each in here.given]
        return both(*condition), [frame.truth(atom) for atom in here.atoms]

    # --- clauses ---

    def fails(self, clause: Clause, rows: Iterable[Row]) -> Row | None:
        """The first row that contradicts the clause."""
        positive, negative = masks(clause)
        for row in rows:
            if not row.mask & positive and row.mask & negative == negative:
                return row
        return None


_Binders: TypeAlias = list[tuple[str, Reader, Reader | None]]
_Readers: TypeAlias = tuple[_Binders, list[Reader], list[Reader]]


def _readers(shape: Shape) -> _Readers:
    """Its binders (name, domain, `where`), what is given, its atoms."""
    binders: _Binders = [
        (each.name, domain(each), None if each.where is None else reader(each.where))
        for each in shape.binders
    ]
    given = [reader(each) for each in shape.given]
    return binders, given, [reader(each) for each in shape.atoms]


def _choices(
    binders: _Binders, state: State, names: dict[str, Value]
) -> Iterator[dict[str, Value]]:
    if not binders:
        yield names
        return
    name, values, where = binders[0]
    for value in values(state, names):
        inner = {**names, name: value}
        if where is None or where(state, inner):
            yield from _choices(binders[1:], state, inner)


def masks(clause: Clause) -> tuple[int, int]:
    """A row contradicts the clause if it has no bit of the first and all of the second."""
    positive = negative = 0
    for each in clause.literals:
        if each < 0:
            negative |= 1 << ~each
        else:
            positive |= 1 << each
    return positive, negative


# --- states that need not be reachable ---------------------------------------------------


def stray_states(model: Model, states: Sequence[State], number: int) -> Iterator[State]:
    """States within their types: given ones with something changed, and any; always the same."""
    random = Random(0)
    for turn in range(number):
        if states and turn % 4:
            state = list(states[random.randrange(len(states))])
            changed = random.sample(range(len(model.variables)), min(2, len(model.variables)))
        else:
            state = [0] * (len(model.variables) + len(model.counters))
            changed = list(range(len(model.variables)))
        for position in changed:
            variable = model.variables[position]
            if variable.owner.key is None:
                state[position] = some_value(variable.type, random)
            else:
                members = range(cardinality(variable.owner.key))
                state[position] = tuple(some_value(variable.type, random) for _ in members)
        yield tuple(state)


def some_value(type_: Type, random: Random) -> Value:
    """A value of a finite type."""
    match type_:
        case Bool():
            return random.random() < 0.5
        case Range(low, high):
            return random.randint(low, high)
        case Sort():
            return random.randrange(type_.size or 1)
        case Union(_, forms):
            form = random.randrange(len(forms))
            return (form, *(some_value(f.type, random) for f in forms[form].fields))
        case Option(item):
            return (some_value(item, random),) if random.random() < 0.6 else ()
        case Set(element, bound):
            most = 3 if bound is None else min(bound, 3)
            return make_set(some_value(element, random) for _ in range(random.randint(0, most)))
        case Bag(element, bound) | Seq(element, bound):
            most = min(bound or 2, 2)
            chosen = [some_value(element, random) for _ in range(random.randint(0, most))]
            return tuple(sorted(chosen)) if isinstance(type_, Bag) else tuple(chosen)
        case Map(key, item):
            return tuple(some_value(item, random) for _ in values_of(key))
        case _:
            raise TypeError("a type without values")


# --- mining ------------------------------------------------------------------------------


def mine(
    general: Proof,
    proof: Proof,
    sizes: Mapping[str, int],
    states: Sequence[State],
    wide: bool = False,
) -> Candidates:
    """The shortest clauses that hold in the states and need not hold elsewhere.

    general  the open proof; `proof` is its instance of these sizes, and the states are of it
    wide     as of `vocabulary.shapes`

    Cost: cubic in the atoms of each shape.
    """
    found = shapes(general.model, wide)
    instance = Instance(general, proof, sizes, found)
    step = max(1, len(states) // MOST_STATES)
    some = list(states[::step])
    Random(0).shuffle(some)
    strays = list(stray_states(proof.model, states, _STRAY_STATES))
    clauses: list[Clause] = []
    for shape in range(len(found)):
        clauses += _of_shape(instance, shape, some, strays)
    clauses.sort(key=lambda clause: len(clause.literals) + len(found[clause.shape].binders))
    return Candidates(found, tuple(clauses))


def _of_shape(
    instance: Instance, shape: int, states: Sequence[State], strays: Sequence[State]
) -> list[Clause]:
    seen = _masks_of(instance, shape, states)
    others = _masks_of(instance, shape, strays) | seen
    if not seen:
        return [Clause(shape, ())] if _can_be_absent(instance.shapes[shape]) else []
    rows, all_rows = sorted(seen), sorted(others)
    size = len(instance.here[shape].atoms)
    literals = _literals(size, rows, all_rows)
    names = instance.here[shape].names
    bound = frozenset(binder.name for binder in instance.here[shape].binders)
    return [
        _clause(shape, chosen)
        for chosen in islice(_clauses(literals, names, bound), MOST_OF_A_SHAPE)
    ]


def _masks_of(instance: Instance, shape: int, states: Sequence[State]) -> set[int]:
    """What the states' choices of elements are like; not more than there is use for."""
    found: set[int] = set()
    idle = 0
    for state in _telling(instance, shape, states):
        before = len(found)
        found.update(row.mask for row in instance.rows(shape, state))
        idle = idle + 1 if len(found) == before else 0
        if idle == _MOST_IDLE or len(found) >= MOST_ROWS:
            break
    return found


def _telling(instance: Instance, shape: int, states: Sequence[State]) -> Iterator[State]:
    """Of the states that differ only in what the shape does not read, one."""
    here = instance.here[shape]
    read = sorted({each.variable.position for each in walk(here) if isinstance(each, Read)})
    asked: set[State] = set()
    for state in states:
        part = tuple(state[position] for position in read)
        if part not in asked:
            asked.add(part)
            yield state


def holding(instance: Instance, clause: Clause, states: Sequence[State]) -> bool:
    """Whether the clause holds in all the states."""
    return all(
        instance.fails(clause, instance.rows(clause.shape, state)) is None
        for state in _telling(instance, clause.shape, states)
    )


def mine_against(instance: Instance, states: Sequence[State], stranger: State) -> Iterator[Clause]:
    """Clauses that the stranger contradicts and some of the states do not, the shortest first.

    Among clauses of one length those come first that exclude the most of other states. Only a part
    of the states is asked: what is found must be judged.
    """
    strays = list(stray_states(instance.model, states, _STRAY_STATES))
    spread = list(states)
    Random(0).shuffle(spread)
    found: list[tuple[int, int, Clause]] = []
    for shape, here in enumerate(instance.here):
        against = sorted({row.mask for row in instance.rows(shape, stranger)})
        if not against:
            continue
        seen = sorted(_masks_of(instance, shape, spread))
        if not seen:
            if _can_be_absent(instance.shapes[shape]):
                found.append((len(here.binders), 0, Clause(shape, ())))
            continue
        others = sorted(_masks_of(instance, shape, strays) | set(seen) | set(against))
        literals = _literals(len(here.atoms), seen, others)
        bound = frozenset(binder.name for binder in here.binders)
        for mask in against:
            false = [each for each in literals if _is_false(each.number, mask)]
            by_number = {each.number: each for each in false}
            chosen_ones = _clauses(false, here.names, bound)
            for chosen in islice(chosen_ones, MOST_OF_A_SHAPE):
                excluded = ~0
                for each in chosen:
                    excluded &= by_number[each].stray
                share = 1000 * excluded.bit_count() // len(others)
                length = len(chosen) + len(here.binders)
                found.append((length, -share, _clause(shape, chosen)))
    found.sort(key=lambda each: each[:2])
    yield from (clause for _, _, clause in found)


def _is_false(literal: int, mask: int) -> bool:
    return not mask >> literal & 1 if literal >= 0 else bool(mask >> ~literal & 1)


@frozen(eq=False)
class _Literal:
    """Where a literal is false, as bits over the rows: of the states, and of strays too."""

    number: int
    false: int
    stray: int


def _literals(size: int, rows: list[int], all_rows: list[int]) -> list[_Literal]:
    """Both literals of each atom, without those that say the same as another one everywhere."""
    found: list[_Literal] = []
    known: set[int] = set()
    every, all_ = (1 << len(rows)) - 1, (1 << len(all_rows)) - 1
    for atom in range(size):
        here, there = _column(atom, rows), _column(atom, all_rows)
        if there in known or all_ ^ there in known or there in (0, all_):
            continue
        known.add(there)
        found.append(_Literal(atom, every ^ here, all_ ^ there))
        found.append(_Literal(~atom, here, there))
    return found


def _column(atom: int, rows: list[int]) -> int:
    bits = "".join("1" if row >> atom & 1 else "0" for row in reversed(rows))
    return int(bits, 2)


def _clauses(
    literals: list[_Literal], names: tuple[frozenset[str], ...], bound: frozenset[str]
) -> Iterator[tuple[int, ...]]:
    """Of one to three literals, each without one that holds by itself; the shortest first."""

    def speaks(chosen: tuple[_Literal, ...]) -> bool:
        mentioned = frozenset[str]().union(*(names[_atom(each.number)] for each in chosen))
        return mentioned == bound

    singles = {each.number for each in literals if not each.false}
    for each in literals:
        if not each.false and speaks((each,)):
            yield (each.number,)
    rest = [each for each in literals if each.number not in singles]
    pairs: set[tuple[int, int]] = set()
    for one, other in combinations(rest, 2):
        if not one.false & other.false:
            pairs.add((one.number, other.number))
            if one.stray & other.stray and speaks((one, other)):
                yield (one.number, other.number)
    yield from _triples(rest, pairs, speaks)


def _triples(rest: list[_Literal], pairs: set[tuple[int, int]], speaks: Any) -> Iterator[Any]:
    for i, one in enumerate(rest):
        for j in range(i + 1, len(rest)):
            other = rest[j]
            if (one.number, other.number) in pairs:
                continue
            false, stray = one.false & other.false, one.stray & other.stray
            for third in rest[j + 1 :]:
                if false & third.false or not stray & third.stray:
                    continue
                if (one.number, third.number) in pairs or (other.number, third.number) in pairs:
                    continue
                if speaks((one, other, third)):
                    yield (one.number, other.number, third.number)


def _clause(shape: int, literals: Iterable[int]) -> Clause:
    return Clause(shape, tuple(sorted(literals, key=_atom)))


def _atom(literal: int) -> int:
    return literal if literal >= 0 else ~literal
