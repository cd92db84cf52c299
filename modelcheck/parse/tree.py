"""What was written: frozen trees with spans, and no meaning.

Every node has a `span`, which takes no part in equality: two texts that
differ only in layout have equal trees. Case tells kinds apart, as in the
language: `Name` is a lower-case word, `Upper` an upper-case one.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from attrs import field, frozen

from modelcheck.source import Span


@frozen
class Node:
    """What all trees share. The parser gives every tree its span."""

    span: Span = field(eq=False, repr=False, kw_only=True)


@frozen
class Identifier(Node):
    """A word that names something, where it is declared or referred to."""

    name: str


# --- types -----------------------------------------------------------------------


@frozen
class NamedType(Node):
    """`Node`, `Token?`"""

    name: str
    optional: bool = False


@frozen
class BasicType(Node):
    """`int`, `bool`, `bool?`"""

    name: Literal["int", "bool"]
    optional: bool = False


@frozen
class RangeType(Node):
    """`0..MAX`"""

    low: Term
    high: Term


@frozen
class SetType(Node):
    """`set of T`, `set of T up to k`"""

    element: ElementType
    bound: Term | None = None


@frozen
class BagType(Node):
    """`bag of T up to k`"""

    element: ElementType
    bound: Term


@frozen
class SeqType(Node):
    """`seq of T up to k`"""

    element: ElementType
    bound: Term


@frozen
class MapType(Node):
    """`map K to V`"""

    key: ElementType
    value: TypeRef


ElementType: TypeAlias = NamedType | BasicType | RangeType
TypeRef: TypeAlias = NamedType | BasicType | RangeType | SetType | BagType | SeqType | MapType


# --- binders ---------------------------------------------------------------------


@frozen
class InTerm(Node):
    """A domain given by a term: a type, a set, a bag, a sequence."""

    term: Term


@frozen
class InRange(Node):
    """`1..len(s)`"""

    low: Term
    high: Term


@frozen
class InSubsets(Node):
    """`subset of D`"""

    of: Term


@frozen
class InBool(Node):
    """`bool`"""


@frozen
class InInt(Node):
    """`int`, which is parsed so that it can be refused with a reason."""


Domain: TypeAlias = InTerm | InRange | InSubsets | InBool | InInt


@frozen
class Binder(Node):
    """`x in domain where P`"""

    name: Identifier
    domain: Domain
    where: Term | None = None


# --- patterns --------------------------------------------------------------------


@frozen
class FormPattern(Node):
    """`Write(a, _, 3)`, `Idle`: a constructor or (without arguments) a parameter.

    arguments  None when no parentheses were written
    """

    name: Identifier
    arguments: tuple[Pattern, ...] | None = None


@frozen
class SomePattern(Node):
    """`some(p)`"""

    item: Pattern


@frozen
class NonePattern(Node):
    """`none`"""


@frozen
class BindPattern(Node):
    """A lower-case name, which binds, or `_`, which does not."""

    name: str


@frozen
class IntPattern(Node):
    """`3`, `-1`"""

    value: int


@frozen
class BoolPattern(Node):
    """`true`, `false`"""

    value: bool


Pattern: TypeAlias = (
    FormPattern | SomePattern | NonePattern | BindPattern | IntPattern | BoolPattern
)


# --- terms -----------------------------------------------------------------------


@frozen
class Name(Node):
    """A lower-case word: a group, a bound name, or a `let` without parameters."""

    name: str


@frozen
class Upper(Node):
    """An upper-case word: a parameter, a constructor without fields, or a type (its values)."""

    name: str


@frozen
class Call(Node):
    """`f(a, b)`: a `let` or a built-in function."""

    function: Identifier
    arguments: tuple[Term, ...]


@frozen
class Make(Node):
    """`Write(n, t, v)`: a constructor with arguments."""

    form: Identifier
    arguments: tuple[Term, ...]


@frozen
class IntLiteral(Node):
    value: int


@frozen
class BoolLiteral(Node):
    value: bool


@frozen
class NoneLiteral(Node):
    """`none`"""


@frozen
class SetLiteral(Node):
    """`{a, b}`, `{}`"""

    items: tuple[Term, ...]


@frozen
class SeqLiteral(Node):
    """`[a, b]`, `[]`"""

    items: tuple[Term, ...]


@frozen
class TupleTerm(Node):
    """`(a, b)`, two or more; only for comparison."""

    items: tuple[Term, ...]


@frozen
class Parenthesized(Node):
    """`(t)`, kept so that the formatter keeps it; it means what `t` means."""

    inner: Term


@frozen
class Comprehension(Node):
    """`{head | x in D where P, ...}`"""

    head: Term
    binders: tuple[Binder, ...]


@frozen
class Get(Node):
    """`subject.field`"""

    subject: Term
    field: Identifier


@frozen
class Next(Node):
    """`subject'`"""

    subject: Term


@frozen
class Index(Node):
    """`subject[index]`"""

    subject: Term
    index: Term


@frozen
class Slice(Node):
    """`subject[low .. high]`, `subject[low ..]`"""

    subject: Term
    low: Term
    high: Term | None


@frozen
class Negative(Node):
    """`-t`"""

    operand: Term


BinaryOperator: TypeAlias = Literal[
    "+", "-", "*", "div", "mod", "++", "union", "minus", "intersect"
]


@frozen
class Binary(Node):
    operator: BinaryOperator
    left: Term
    right: Term


CompareOperator: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]


@frozen
class Compare(Node):
    operator: CompareOperator
    left: Term
    right: Term


@frozen
class Is(Node):
    """`v is P`, `v is not P`"""

    subject: Term
    pattern: Pattern
    negated: bool = False


@frozen
class In(Node):
    """`x in S`, `x not in S`"""

    element: Term
    collection: Term
    negated: bool = False


@frozen
class Subset(Node):
    """`S subset T`"""

    left: Term
    right: Term


@frozen
class With(Node):
    """`r with (a = 1, b = 2)`"""

    subject: Term
    fields: tuple[tuple[Identifier, Term], ...]


@frozen
class Not(Node):
    operand: Term


@frozen
class And(Node):
    left: Term
    right: Term


@frozen
class Or(Node):
    left: Term
    right: Term


@frozen
class Implies(Node):
    left: Term
    right: Term


@frozen
class Quantified(Node):
    """`forall x in D, y in E where P: body`"""

    quantifier: Literal["forall", "exists", "count", "sum", "the"]
    binders: tuple[Binder, ...]
    body: Term


@frozen
class If(Node):
    """`if a then b else c`"""

    condition: Term
    then: Term
    otherwise: Term


@frozen
class Each(Node):
    """`each k in K: t`: a map term."""

    binder: Binder
    body: Term


Term: TypeAlias = (
    Name
    | Upper
    | Call
    | Make
    | IntLiteral
    | BoolLiteral
    | NoneLiteral
    | SetLiteral
    | SeqLiteral
    | TupleTerm
    | Parenthesized
    | Comprehension
    | Get
    | Next
    | Index
    | Slice
    | Negative
    | Binary
    | Compare
    | Is
    | In
    | Subset
    | With
    | Not
    | And
    | Or
    | Implies
    | Quantified
    | If
    | Each
)


# --- statements ------------------------------------------------------------------


@frozen
class When(Node):
    """`when P`"""

    condition: Term


@frozen
class LocalLet(Node):
    """`let x = t` in a body"""

    name: Identifier
    value: Term


@frozen
class Update(Node):
    """`place := t`, `place += t`, `place -= t`"""

    place: Term
    operator: Literal[":=", "+=", "-="]
    value: Term


@frozen
class IfStatement(Node):
    """`if` with its `elif`s in order, and the block of `else`, None if there is none"""

    branches: tuple[tuple[Term, tuple[Statement, ...]], ...]
    otherwise: tuple[Statement, ...] | None


@frozen
class For(Node):
    """`for x in D` over a block"""

    binders: tuple[Binder, ...]
    body: tuple[Statement, ...]


@frozen
class Lose(Node):
    """`lose n`, `lose coordinator`"""

    owner: Term


@frozen
class EffectCall(Node):
    """`decide(true, e)` as a statement"""

    effect: Identifier
    arguments: tuple[Term, ...]


@frozen
class CallMarker(Node):
    """`call reg.write(v) by c`"""

    object: Identifier
    operation: Identifier
    arguments: tuple[Term, ...]
    caller: Term


@frozen
class ReturnMarker(Node):
    """`return v by c`, `return by c`"""

    value: Term | None
    caller: Term


@frozen
class Abandon(Node):
    """`abandon c`"""

    caller: Term


@frozen
class Returns(Node):
    """`returns t`, in an operation of an object"""

    value: Term


Statement: TypeAlias = (
    When
    | LocalLet
    | Update
    | IfStatement
    | For
    | Lose
    | EffectCall
    | CallMarker
    | ReturnMarker
    | Abandon
    | Returns
)


# --- declarations ----------------------------------------------------------------


@frozen
class Declaration(Node):
    """What all declarations share: the doc comment above them, without the `##`, or None."""

    doc: str | None = field(default=None, kw_only=True)


@frozen
class Import(Declaration):
    """`import "path" (a, B)`

    path  the text between the quotes; path_span is the quoted string
    """

    path: str
    names: tuple[Identifier, ...]
    path_span: Span = field(eq=False, repr=False, kw_only=True)


@frozen
class Parameter(Declaration):
    """`param A, B: int = 3`; an `axis` is a parameter too"""

    names: tuple[Identifier, ...]
    type: TypeRef
    default: Term | None
    axis: bool = False


@frozen
class Sort(Declaration):
    """`sort A, B`"""

    names: tuple[Identifier, ...]


@frozen
class FieldDeclaration(Node):
    """`token: Token`"""

    name: Identifier
    type: TypeRef


@frozen
class Form(Node):
    """One alternative of a union: `Leading(token: Token, seen: Value)`"""

    name: Identifier
    fields: tuple[FieldDeclaration, ...] = ()


@frozen
class Alias(Declaration):
    """`type T = A`: an alias if `A` is a type, else a union with the one form `A`"""

    name: Identifier
    type: TypeRef


@frozen
class Union(Declaration):
    """`type T = A | B(x: X)`; `type T = A(x: X)`; `type T(x: X)` is the form `T` of the type `T`"""

    name: Identifier
    forms: tuple[Form, ...]


@frozen
class ValueParameter(Node):
    """`n: Node`, in the head of a let, effect, operation, object or template"""

    name: Identifier
    type: TypeRef


@frozen
class TypeParameter(Node):
    """`Event: type`, `Node: sort`"""

    name: Identifier
    kind: Literal["sort", "type"]


@frozen
class FunctionParameter(Node):
    """`effects(e: Event): int`"""

    name: Identifier
    parameters: tuple[HeadParameter, ...]
    type: TypeRef


@frozen
class UpperParameter(Node):
    """`MAX: int`: an upper-case value, in the head of an object or template"""

    name: Identifier
    type: TypeRef


HeadParameter: TypeAlias = ValueParameter | TypeParameter | FunctionParameter | UpperParameter


@frozen
class Let(Declaration):
    """`let leads(n: Node): bool = t`

    parameters  None when no parentheses were written
    """

    name: Identifier
    parameters: tuple[HeadParameter, ...] | None
    type: TypeRef | None
    value: Term


@frozen
class Variable(Declaration):
    """`volatile role: Role = Idle`

    initial  the term after `=`; choice  the domain after `in`; at most one of the two
    """

    name: Identifier
    type: TypeRef
    modifier: Literal["volatile", "ghost"] | None = None
    initial: Term | None = None
    choice: Domain | None = None


@frozen
class Group(Declaration):
    """The variables of one owner: `store`, `each Node`, `channel network`"""

    kind: Literal["single", "each", "channel"]
    name: Identifier
    variables: tuple[Variable, ...]


@frozen
class State(Declaration):
    """`state` and its groups"""

    groups: tuple[Group, ...]


@frozen
class Init(Declaration):
    """`init` and its predicates"""

    body: tuple[Term, ...]


@frozen
class Fairness(Node):
    """`fair`, `strongly fair`, with the names after `per`, None if there was no `per`"""

    strong: bool
    per: tuple[Identifier, ...] | None = None


@frozen
class Action(Declaration):
    """`fair action accept(w in network.writes)`, `fault crash(n in Node) at most 2`"""

    name: Identifier
    fault: bool
    fairness: Fairness | None
    binders: tuple[Binder, ...]
    at_most: Term | None
    body: tuple[Statement, ...]


@frozen
class Effect(Declaration):
    """`effect decide(commit: bool)`"""

    name: Identifier
    parameters: tuple[HeadParameter, ...]
    body: tuple[Statement, ...]


@frozen
class Operation(Declaration):
    """`operation write(v: Value)`"""

    name: Identifier
    parameters: tuple[HeadParameter, ...]
    result: TypeRef | None
    body: tuple[Statement, ...]


@frozen
class Object(Declaration):
    """A sequential object: state without groups, and operations"""

    name: Identifier
    parameters: tuple[HeadParameter, ...]
    variables: tuple[Variable, ...]
    operations: tuple[Operation, ...]


@frozen
class Invariant(Declaration):
    """`invariant P`; `lemma L` is one that is stated to strengthen an induction"""

    name: Identifier
    body: tuple[Term, ...]
    lemma: bool = False


@frozen
class Axiom(Declaration):
    name: Identifier
    body: tuple[Term, ...]


@frozen
class Event(Node):
    """`accept(w, _)` after `on`

    names  None when no parentheses were written
    """

    action: Identifier
    names: tuple[Identifier, ...] | None


@frozen
class Step(Declaration):
    """`step P on a(x), b(y)`; events is None without `on`"""

    name: Identifier
    events: tuple[Event, ...] | None
    body: tuple[Term, ...]


@frozen
class Reachable(Declaration):
    name: Identifier
    body: tuple[Term, ...]


@frozen
class AlwaysPossible(Declaration):
    name: Identifier
    body: tuple[Term, ...]


@frozen
class LeadsTo(Node):
    """`p ~> q`"""

    premise: Term
    conclusion: Term


@frozen
class Modal(Node):
    """`always eventually p`, `eventually always p`, `eventually p`"""

    operator: Literal["always eventually", "eventually always", "eventually"]
    body: Term


@frozen
class ForallTemporal(Node):
    """`forall n in Node: p ~> q`"""

    binders: tuple[Binder, ...]
    body: Temporal


Temporal: TypeAlias = LeadsTo | Modal | ForallTemporal


@frozen
class Liveness(Declaration):
    name: Identifier
    body: tuple[Temporal, ...]


@frozen
class StopsWhen(Declaration):
    condition: Term


@frozen
class Constraint(Declaration):
    condition: Term


@frozen
class Mapping(Node):
    """`Acceptor = Node`, `service.granted = t`, `value = t`: one entry after `with`

    name   the sort, parameter, or group (for a variable)
    field  the variable's name, None for a sort or parameter
    """

    name: Identifier
    field: Identifier | None
    value: Term


@frozen
class Refines(Declaration):
    """`refines Voting with (...) and its liveness`"""

    protocol: Identifier
    mappings: tuple[Mapping, ...]
    liveness: bool


@frozen
class TypeBinding(Node):
    """`Event = Record`, `MAX = 3`: an upper-case parameter and a type, or a term

    value  a BasicType for `Value = bool`, else a term (an Upper may name a type)
    """

    name: Identifier
    value: Term | BasicType


@frozen
class ValueBinding(Node):
    """`done = t`, `effects(r) = t`

    parameters  None when no parentheses were written
    """

    name: Identifier
    parameters: tuple[Identifier, ...] | None
    value: Term


Binding: TypeAlias = TypeBinding | ValueBinding


@frozen
class Linearizable(Declaration):
    """`linearizable reg: Register(Value = Stamp, first = 0)`"""

    name: Identifier
    object: Identifier
    bindings: tuple[Binding, ...]


@frozen
class SequentiallyConsistent(Declaration):
    """`sequentially consistent reg: Register(Value = Stamp, first = 0)`"""

    name: Identifier
    object: Identifier
    bindings: tuple[Binding, ...]


Claim: TypeAlias = Linearizable | SequentiallyConsistent


Property: TypeAlias = Invariant | Step | Reachable | AlwaysPossible | Liveness


@frozen
class Template(Declaration):
    name: Identifier
    parameters: tuple[HeadParameter, ...]
    properties: tuple[Property, ...]


@frozen
class Use(Declaration):
    """`use ExactlyOnce(Event = Record) as Sink`; alias is None without `as`"""

    template: Identifier
    bindings: tuple[Binding, ...]
    alias: Identifier | None


@frozen
class Setting(Node):
    """`MAX_TOKEN = 2`, `Node = 3`"""

    name: Identifier
    value: Term


@frozen
class Budget(Node):
    """`crash = 2`, `suspect = any` (bound is None)"""

    fault: Identifier
    bound: Term | None


@frozen
class ExpectHolds(Node):
    """`holds`"""


@frozen
class ExpectProperty(Node):
    """`Sink.NoLoss fails in 3 steps`: the names joined by dots, as written"""

    path: tuple[Identifier, ...]
    verdict: Literal["holds", "fails", "blocks", "livelocks"]
    steps: int | None = None

    @property
    def name(self) -> str:
        return ".".join(part.name for part in self.path)


@frozen
class ExpectError(Node):
    """`deadlock`, `range`, `capacity`, `undefined`, `two-writes`"""

    kind: Literal["deadlock", "range", "capacity", "undefined", "two-writes"]


@frozen
class ExpectCount(Node):
    """`distinct 288`"""

    kind: Literal["distinct", "generated", "depth"]
    count: int


Expectation: TypeAlias = ExpectHolds | ExpectProperty | ExpectError | ExpectCount


@frozen
class Check(Declaration):
    """`check name like other`

    faults  None without a `faults` line; an empty tuple for `faults none`
    """

    name: Identifier
    like: Identifier | None
    settings: tuple[Setting, ...]
    faults: tuple[Budget, ...] | None
    expectations: tuple[Expectation, ...]


@frozen
class Goal(Node):
    """`FenceWasGranted, Sink.OneEffect by induction using L`

    method  "induction", "k-induction" (then k is given) or "pdr"
    """

    names: tuple[tuple[Identifier, ...], ...]
    method: Literal["induction", "k-induction", "pdr"]
    k: int | None
    using: tuple[Identifier, ...]


@frozen
class Proof(Declaration):
    name: Identifier
    generalised: tuple[Identifier, ...]
    settings: tuple[Setting, ...]
    goals: tuple[Goal, ...]


AnyDeclaration: TypeAlias = (
    Import
    | Parameter
    | Sort
    | Alias
    | Union
    | Let
    | State
    | Init
    | Action
    | Effect
    | Object
    | Template
    | Use
    | Proof
    | Invariant
    | Step
    | Reachable
    | AlwaysPossible
    | Liveness
    | Axiom
    | Check
    | StopsWhen
    | Constraint
    | Refines
    | Linearizable
    | SequentiallyConsistent
)


@frozen
class File(Node):
    """A file: `protocol X` (None in a library, with its doc comment) and declarations in order."""

    protocol: Identifier | None
    declarations: tuple[AnyDeclaration, ...]
    doc: str | None = field(default=None, kw_only=True)
