"""The constructs of the language by name, and those that a node of a tree is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from modelcheck.parse import tree

_WORDS = {
    tree.Import: "import",
    tree.Sort: "sort",
    tree.Effect: "effect",
    tree.Init: "init",
    tree.Object: "object",
    tree.Axiom: "axiom",
    tree.Reachable: "reachable",
    tree.AlwaysPossible: "always possible",
    tree.Liveness: "liveness",
    tree.StopsWhen: "stops when",
    tree.Constraint: "constraint",
    tree.Template: "template",
    tree.Linearizable: "linearizable",
    tree.Proof: "proof",
    tree.RangeType: "type: range",
    tree.BagType: "type: bag",
    tree.SeqType: "type: seq",
    tree.MapType: "type: map",
    tree.InRange: "domain: range",
    tree.InSubsets: "domain: subset of",
    tree.InBool: "domain: bool",
    tree.SomePattern: "pattern: some",
    tree.NonePattern: "pattern: none",
    tree.BoolPattern: "pattern: true or false",
    tree.Make: "constructor with arguments",
    tree.IntLiteral: "number",
    tree.BoolLiteral: "true or false",
    tree.NoneLiteral: "none",
    tree.TupleTerm: "tuples compared",
    tree.Comprehension: "comprehension",
    tree.Get: "field or variable",
    tree.Next: "prime",
    tree.Negative: "negative",
    tree.Subset: "subset",
    tree.With: "with",
    tree.Not: "not",
    tree.And: "and",
    tree.Or: "or",
    tree.Implies: "implies",
    tree.If: "if term",
    tree.Each: "each term",
    tree.When: "when",
    tree.LocalLet: "let in a body",
    tree.IfStatement: "if statement",
    tree.For: "for",
    tree.EffectCall: "effect used",
    tree.CallMarker: "call",
    tree.Abandon: "abandon",
    tree.Returns: "returns",
    tree.LeadsTo: "~>",
    tree.ForallTemporal: "forall of a liveness property",
    tree.ExpectHolds: "expect holds",
    tree.TypeParameter: "template parameter: a type or sort",
    tree.FunctionParameter: "template parameter: a function",
    tree.UpperParameter: "template parameter: an upper-case value",
}

_CALLS = ("empty", "min", "max", "first", "last", "rest", "prefix", "majority")


def of_node(node: Any) -> Iterator[str]:
    """The names of what a node is."""
    if type(node) in _WORDS:
        yield _WORDS[type(node)]
    if isinstance(node, tree.Declaration) and node.doc is not None:
        yield "doc comment"
    yield from _declaration(node)
    yield from _behaviour(node)
    yield from _claim(node)
    yield from _term(node)


def _declaration(node: Any) -> Iterator[str]:
    match node:
        case tree.File() if node.doc is not None:
            yield "doc comment of the file"
        case tree.Parameter():
            yield "axis" if node.axis else "param"
            if node.default is not None:
                yield "default of a parameter"
            if len(node.names) > 1:
                yield "several parameters of one type"
            is_bool = isinstance(node.type, tree.BasicType) and node.type.name == "bool"
            is_int = isinstance(node.type, tree.BasicType) and node.type.name == "int"
            yield "param: bool" if is_bool else "param: int" if is_int else "param: other types"
        case tree.Alias(_, tree.NamedType()):
            yield "type: alias"
        case tree.Union(_, forms):
            if len(forms) == 1:
                yield "type: record"
            elif all(not form.fields for form in forms):
                yield "type: enum"
            else:
                yield "type: union"
        case tree.RangeType(_, high) if not isinstance(high, tree.IntLiteral):
            yield "type: range up to a parameter"
        case tree.NamedType(_, True) | tree.BasicType(_, True):
            yield "type: option"
        case tree.SetType(_, bound):
            yield "type: set" if bound is None else "type: set up to"
        case tree.Let():
            yield "let" if node.parameters is None else "let with parameters"
            if node.type is not None:
                yield "let with a type"
        case tree.Group():
            yield f"group: {node.kind}"
        case tree.Variable():
            if node.modifier is not None:
                yield node.modifier
            yield "initial value" if node.choice is None else "initial choice"


def _behaviour(node: Any) -> Iterator[str]:
    match node:
        case tree.Action():
            yield "fault" if node.fault else "action"
            count = len(node.binders)
            yield "header: none" if not count else "header: one" if count == 1 else "header: more"
            if node.at_most is not None:
                yield "at most"
            if node.fairness is not None:
                yield "strongly fair" if node.fairness.strong else "fair"
                if node.fairness.per is not None:
                    yield "fair per"
            late = [i for i, s in enumerate(node.body) if isinstance(s, tree.When)]
            if any(isinstance(s, tree.LocalLet) for s in node.body[: max(late, default=0)]):
                yield "let between guards"
        case tree.Binder():
            if node.where is not None:
                yield "where"
            if isinstance(node.domain, tree.InTerm):
                upper = isinstance(node.domain.term, tree.Upper)
                yield "domain: type" if upper else "domain: term"
        case tree.Update():
            yield node.operator
        case tree.IfStatement(branches, otherwise):
            if len(branches) > 1:
                yield "elif"
            if otherwise is not None:
                yield "else"
        case tree.Lose():
            yield "lose"
        case tree.ReturnMarker(value):
            yield "return" if value is None else "return a value"


def _claim(node: Any) -> Iterator[str]:
    match node:
        case tree.Invariant():
            yield "lemma" if node.lemma else "invariant"
            if len(node.body) > 1:
                yield "property of several lines"
        case tree.Step():
            yield "step" if node.events is None else "step on"
            if node.events is not None and len(node.events) > 1:
                yield "step on several actions"
        case tree.Modal(operator):
            yield operator
        case tree.Use():
            yield "use" if node.alias is None else "use as"
        case tree.Refines():
            yield "refines"
            if node.liveness:
                yield "and its liveness"
        case tree.Check():
            if node.like is not None:
                yield "like"
            if node.faults is not None:
                yield "faults" if node.faults else "faults none"
        case tree.Budget(_, None):
            yield "budget: any"
        case tree.ExpectProperty():
            yield f"expect P {node.verdict}"
            if node.steps is not None:
                yield "expect in steps"
        case tree.ExpectError(kind) | tree.ExpectCount(kind):
            yield f"expect {kind}"
        case tree.Goal():
            yield f"by {node.method}"
            if node.using:
                yield "using"
        case tree.Proof():
            if node.generalised:
                yield "for any"
            if node.settings:
                yield "proof with"


def _term(node: Any) -> Iterator[str]:
    match node:
        case tree.Binary(operator):
            yield operator
        case tree.Compare(operator):
            yield operator
        case tree.Is():
            yield "is not" if node.negated else "is"
        case tree.In():
            yield "not in" if node.negated else "in"
        case tree.Quantified():
            yield node.quantifier
            if len(node.binders) > 1:
                yield "several binders"
        case tree.Slice():
            yield "slice" if node.high is not None else "slice to the end"
        case tree.SetLiteral(items) | tree.SeqLiteral(items):
            word = "set" if isinstance(node, tree.SetLiteral) else "sequence"
            yield f"{word} literal" if items else f"empty {word}"
        case tree.Call(function):
            name = function.name
            if name in _CALLS:
                yield name
            elif name not in ("size", "len"):
                yield "let applied"
        case tree.FormPattern(_, arguments):
            yield "pattern: form" if arguments is None else "pattern: form with parts"
            if any(isinstance(a, tree.FormPattern | tree.SomePattern) for a in arguments or ()):
                yield "pattern: nested"
        case tree.SomePattern(tree.FormPattern()):
            yield "pattern: nested"
        case tree.BindPattern(name):
            yield "pattern: _" if name == "_" else "pattern: name"
        case tree.IntPattern(value):
            yield "pattern: number" if value >= 0 else "pattern: negative number"
        case tree.Name("result"):
            yield "result"


ALL: tuple[str, ...] = (
    *_WORDS.values(),
    *_CALLS,
    "comment", "doc comment", "doc comment of the file",
    "line continued before a connective", "line continued after a connective",
    "param", "axis", "default of a parameter", "several parameters of one type",
    "param: bool", "param: int", "param: other types",
    "type: alias", "type: record", "type: enum", "type: union", "type: range up to a parameter",
    "type: option", "type: set", "type: set up to", "map of maps", "options as elements",
    "let", "let with parameters", "let with a type", "let applied",
    "group: single", "group: each", "group: channel", "volatile", "ghost",
    "each over a sort", "each over an enum", "each over a range",
    "initial value", "initial choice", "one value at every key",
    "action", "fault", "header: none", "header: one", "header: more", "at most",
    "fair", "strongly fair", "fair per", "let between guards",
    "where", "domain: type", "domain: term", "domain: a set", "domain: a bag",
    "domain: a sequence", "several binders",
    ":=", "+=", "-=", "+= on a number", "-= on a number", "+= on a set", "-= on a set",
    "+= on a bag", "-= on a bag", "+= on a sequence", "elif", "else", "lose",
    "return", "return a value", "result",
    "place: a field", "place: a field of a matched form", "place: an entry of a map",
    "place: an entry of a map in a map", "place: a position in a sequence",
    "forall", "exists", "count", "sum", "the", "count or sum of occurrences",
    "+", "-", "*", "div", "mod", "++", "union", "minus", "intersect",
    "==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in",
    "in a set", "in a bag", "in a sequence", "size", "size or len of a sequence",
    "entry of a map", "entry of a map in a map", "position in a sequence",
    "multiplicity in a bag", "value as an option", "bag literal",
    "set literal", "empty set", "sequence literal", "empty sequence", "slice", "slice to the end",
    "pattern: form", "pattern: form with parts", "pattern: nested", "pattern: name",
    "pattern: _", "pattern: number", "pattern: negative number",
    "invariant", "lemma", "property of several lines", "step", "step on",
    "step on several actions", "always eventually", "eventually always", "eventually",
    "use", "use as", "refines", "and its liveness",
    "like", "faults", "faults none", "budget: any",
    "expect P holds", "expect P fails", "expect P blocks", "expect P livelocks",
    "expect in steps", "expect deadlock", "expect range", "expect capacity", "expect undefined",
    "expect two-writes", "expect distinct", "expect generated", "expect depth",
    "by induction", "by k-induction", "by pdr", "using", "for any", "proof with",
)  # fmt: skip
"""Every construct that the report counts."""
