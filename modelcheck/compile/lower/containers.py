"""Terms over sets, bags, sequences and maps as code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, assert_never

from modelcheck.compile.ir import Flag, Operand
from modelcheck.compile.layout import (
    capacity,
    entry_offset,
    is_bit_set,
)
from modelcheck.compile.lower.bits import Value, Word
from modelcheck.compile.lower.collections import length_type, most_of, set_type
from modelcheck.compile.lower.failures import Failures
from modelcheck.compile.lower.scope import Scope
from modelcheck.compile.lower.values import bounded, join
from modelcheck.compile.lower.weight import most_values
from modelcheck.core.clauses import (
    empty_clause,
    outside_clause,
)
from modelcheck.core.terms import (
    At,
    BagOf,
    Collect,
    Combine,
    Concat,
    End,
    Extreme,
    Lookup,
    Majority,
    MapOf,
    Multiplicity,
    Prefix,
    Rest,
    SeqOf,
    SetOf,
    Size,
    Slice,
    Term,
    Universe,
)
from modelcheck.core.types import (
    INT,
    NOTHING,
    Bag,
    Map,
    Range,
    Seq,
    Set,
    Type,
)
from modelcheck.core.values import cardinality, values_of
from modelcheck.source import Span


class ContainerTerms(Failures):
    """The code of terms that make, ask or take apart a collection."""

    # --- containers ---

    def _container(self, term: Any, scope: Scope) -> Value:
        match term:
            case SetOf(items) | BagOf(items) | SeqOf(items):
                return self._literal(term, items, scope)
            case MapOf():
                return self._map_of(term, scope)
            case Collect():
                return self._collect(term, scope)
            case Combine(operator, left, right):
                a = self.value(left, scope)
                return self.combine(operator, a, self.value(right, scope))
            case Size(collection):
                value = self.value(collection, scope)
                return Word(length_type(value.type), self.count_of(value))
            case Extreme(which, collection):
                value = self.value(collection, scope)
                self.undefined_if(
                    self.is_empty(value), scope, lambda _: empty_clause(which, "collection"),
                    term.span,
                )  # fmt: skip
                return self.extreme(which, value)
            case Lookup():
                return self._lookup(term, scope)
            case Multiplicity(bag, item):
                value = self.value(bag, scope)
                times = self.multiplicity(value, self.value(item, scope))
                return Word(Range(0, most_of(value.type)), times)
            case _:
                return self._sequence(term, scope)

    def _literal(self, term: SetOf | BagOf | SeqOf, items: Sequence[Term], scope: Scope) -> Value:
        values = [self.value(item, scope) for item in items]
        element: Type = NOTHING
        for value in values:
            element = join(element, value.type)
        match term:
            case SetOf():
                return self.set_of(element, values)
            case BagOf():
                return self.bag_of(element, values)
            case SeqOf():
                return self.seq_of(element, values)

    def _map_of(self, term: MapOf, scope: Scope) -> Value:
        assert isinstance(term.type, Map)
        key = term.type.key
        entries: list[Value] = []
        self._each_of_type_always(
            key, lambda k: entries.append(self.value(term.body, scope.bind(term.name, k)))
        )
        value_type: Type = NOTHING
        for entry in entries:
            value_type = join(value_type, entry.type)
        to = Map(key, value_type)
        parts = [
            (entry_offset(to, i), self.retype(entry, value_type)) for i, entry in enumerate(entries)
        ]
        return self.build(to, parts)

    def _each_of_type_always(self, type_: Type, body: Callable[[Value], None]) -> None:
        for value in values_of(type_):
            body(self.plain(type_, value))

    def _collect(self, term: Collect, scope: Scope) -> Value:
        assert isinstance(term.type, Set)
        element = bounded(term.type.element)
        most = 1
        for binder in term.binders:
            most = min(1 << 40, most * most_values(binder.domain))
        to = set_type(element, most)
        bits = is_bit_set(to)
        base, count = (self.buffer(to), "") if bits else self.empty_list(to)

        def one(inner: Scope) -> None:
            value = self.retype(self.value(term.head, inner), element)
            if bits:
                self.set_bit(base, self.rank_of(value))
            else:
                self.insert(base, count, to, value, distinct=True)

        self.choices(term.binders, scope, one, self.weights.of(term.head))
        return self.bits_value(base, to) if bits else self.finished(base, count, to)

    def _in(self, element: Term, collection: Term, scope: Scope) -> Flag:
        value = self.value(element, scope)
        if isinstance(collection, Universe):
            return self._fits(value, collection.of)
        return self.contains(self.value(collection, scope), value)

    def _fits(self, value: Value, type_: Type) -> Flag:
        f = self.f
        no, end = f.label("no"), f.label("fits")
        self.coerce(value, type_, lambda *_: f.jump(no))
        arms: list[tuple[Flag, str]] = []
        if f.reachable:
            arms.append((True, f.block))
        f.jump(end)
        f.begin(no)
        if f.reachable:
            arms.append((False, f.block))
        f.begin(end)
        return f.phi_flag(arms)

    def _majority(self, term: Majority, scope: Scope) -> Flag:
        f, members = self.f, self.value(term.members, scope)
        total = cardinality(term.of)
        assert isinstance(members.type, Set | Bag | Seq)
        if members.type == Set(term.of):
            return f.icmp("sgt", f.shl(self.bit_count(members), 1), total)
        count = f.alloca(hint="members")
        f.store(0, count)

        def one(element: Value) -> None:
            skip = f.label("skip")
            self.coerce(element, term.of, lambda *_: f.jump(skip))
            f.store(f.add(f.load(count), 1), count)
            f.begin(skip)

        self._each_member(members, one, 8, occurrences=False)
        return f.icmp("sgt", f.shl(f.load(count), 1), total)

    def _lookup(self, term: Lookup, scope: Scope) -> Value:
        map_ = self.value(term.map, scope)
        key = self.value(term.key, scope)
        assert isinstance(map_.type, Map)
        return self.entry(map_, self.slot(map_.type.key, key, scope, term.span))

    def _sequence(self, term: At | Slice | End | Rest | Prefix | Concat, scope: Scope) -> Value:
        f = self.f
        match term:
            case At():
                sequence, index = self.value(term.sequence, scope), self.word(term.index, scope)
                return self.at(sequence, index, scope, term.span)
            case End(which, inner):
                sequence = self.value(inner, scope)
                self._not_empty(sequence, which, scope, term.span)
                length = self.length(sequence)
                return self.element(sequence, 0 if which == "first" else f.sub(length, 1))
            case Rest(inner):
                sequence = self.value(inner, scope)
                self._not_empty(sequence, "rest", scope, term.span)
                return self.slice(sequence, 1, self.length(sequence))
            case Prefix(inner, length):
                sequence = self.value(inner, scope)
                stop = self._clamped(self.word(length, scope), self.length(sequence))
                return self.slice(sequence, 0, stop)
            case Slice(inner, low, high):
                sequence, start = self.value(inner, scope), self.word(low, scope)
                end = self.length(sequence)
                if high is not None:
                    end = self._clamped(self.word(high, scope), end)
                start = f.select(f.icmp("slt", start, 1), 0, f.sub(start, 1))
                return self.slice(sequence, start, end)
            case Concat(left, right):
                sequence = self.value(left, scope)
                return self.concat(sequence, self.value(right, scope))
            case _:
                assert_never(term)

    def at(self, sequence: Value, index: Operand, scope: Scope, span: Span | None) -> Value:
        """`s[i]`"""
        f, length = self.f, self.length(sequence)
        outside = f.icmp("uge", f.sub(index, 1), length)
        self.undefined_if(
            outside,
            scope,
            lambda shown: outside_clause(shown[0], shown[1]),
            span,
            [Word(INT, index), Word(INT, length)],
        )
        assert isinstance(sequence.type, Seq)
        if capacity(sequence.type) == 0 or not f.reachable:
            return self.nothing(sequence.type.element)
        return self.element(sequence, f.sub(index, 1))

    def _not_empty(self, sequence: Value, word: str, scope: Scope, span: Span | None) -> None:
        empty = self.f.icmp("eq", self.length(sequence), 0)
        self.undefined_if(empty, scope, lambda _: empty_clause(word, "sequence"), span)

    def _clamped(self, number: Operand, length: Operand) -> Operand:
        f = self.f
        number = f.select(f.icmp("slt", number, 0), 0, number)
        return f.select(f.icmp("sgt", number, length), length, number)
