"""What comes from other files: types and functions, abstract protocols, objects."""

from __future__ import annotations

from .chance import Stuck
from .draft import Draft
from .kinds import Data, Form, Num, Sort, number
from .templates import declare_template, use_template
from .world import PROPERTY, Function

_LIBRARY = "common.model"
_ABSTRACT = "abstract.model"


# --- libraries ---------------------------------------------------------------------


def import_library(d: Draft) -> None:
    """Types, a `let` and perhaps a template from a library."""
    library = Draft(d.chance)
    high = d.chance.between(1, 2)
    bound = str(high)
    if d.chance.roll(0.4):
        library.add("param", "SPAN", [f"param SPAN: int = {high}"])
        d.world.upper.add("SPAN")
        bound = "SPAN"
    weight = Num(d.world.new_upper(["Weight"]), 0, high, high, True, str(high))
    tone = Data(d.world.new_upper(["Tone"]), (Form("Low"), Form("High")))
    parcel = Data(
        d.world.new_upper(["Parcel"]),
        (Form("Parcel", ((d.world.new_field(["weight"]), weight), ("tone", tone))),),
    )
    d.world.upper |= {"Low", "High", "Parcel"}
    d.world.fields.add("tone")
    library.add("type", weight.ref, [f"type {weight.ref} = 0..{bound}"])
    library.add("type", tone.ref, [f"type {tone.ref} = Low | High"])
    library.add("type", parcel.ref, [f"type {parcel.ref}(weight: {weight.ref}, tone: {tone.ref})"])
    name = d.world.new_lower(["heavier"])
    library.add("let", name, [f"let {name}(a: {weight.ref}): {weight.ref} = min(a + 1, {bound})"])
    d.world.kinds += [weight, tone, parcel]
    d.world.functions.append(Function(name, (("a", weight),), weight, False))
    names = [weight.ref, tone.ref, parcel.ref, name]
    if d.chance.feature("imported template", 0.3):
        names.append(declare_template(d, library, sorts_only=False))
    _write(d, _LIBRARY, library)
    d.add("import", "", [f'import "{_LIBRARY}" ({", ".join(d.chance.shuffled(names))})'])


def use_imported(d: Draft) -> None:
    """Use a template that was imported."""
    text = d.others.get(_LIBRARY, "")
    if d.constrained and ("liveness" in text or "possible" in text):
        return  # a constraint cuts runs short
    imports = [block for block in d.blocks if block.word == "import"]
    for name in ("OncePerEvent", "Delivery", "Fairly"):
        if any(name in block.lines[0] for block in imports):
            try:
                use_template(d, name, sorts_only=False)
            except Stuck:
                return


def _write(d: Draft, path: str, file: Draft, head: str = "") -> None:
    parts = [head] if head else []
    parts += ["\n".join(block.lines) for block in file.blocks]
    d.others[path] = "\n\n".join(parts) + "\n"


# --- refinement --------------------------------------------------------------------


def declare_refinement(d: Draft) -> None:
    """An abstract protocol, and the claim that this one refines it."""
    abstract = Draft(d.chance)
    sort = d.chance.pick(d.world.sorts) if d.world.sorts and d.chance.roll(0.7) else None
    top = d.chance.between(1, 2)
    mappings = _counter(d, abstract, top)
    if sort is not None:
        mappings += _flags(d, abstract, sort)
    abstract.add("stops", "", ["stops when true"])
    if d.chance.roll(0.7):
        goal = d.chance.pick(["always eventually", "eventually always", "eventually"])
        abstract.add("liveness", "Moves", ["liveness Moves", f"  {goal} total.value == 0"])
    name = d.world.new_upper(["Abstract"])
    _write(d, _ABSTRACT, abstract, f"protocol {name}")
    d.add("import", "", [f'import "{_ABSTRACT}" ({name})'])
    tail = ""
    if not d.constrained and d.chance.feature("its liveness", 0.8):
        tail = " and its liveness"
    d.add("refines", name, [f"refines {name} with ({', '.join(mappings)}){tail}"])


def _counter(d: Draft, abstract: Draft, top: int) -> list[str]:
    abstract.add("param", "TOP", ["param TOP: int = 2"])
    guard = d.chance.pick(["v != total.value", "v <= total.value + 1", "v >= total.value"])
    fair = d.chance.pick(["", "fair ", "strongly fair "])
    abstract.add(
        "action",
        "move",
        [f"{fair}action move(v in 0..TOP)", f"  when {guard}", "  total.value := v"],
    )
    value = d.terms.value(number(0, top), PROPERTY, 2)
    return [f"TOP = {top}", f"total.value = {value.text}"]


def _flags(d: Draft, abstract: Draft, sort: Sort) -> list[str]:
    abstract.add("sort", "Member", ["sort Member"])
    lines = ["state", "  total", "    value: 0..TOP = 0"]
    lines += ["  each Member", f"    flag: bool {d.chance.pick(['= false', 'in bool'])}"]
    abstract.add("state", "", lines)
    abstract.add("action", "flip", ["action flip(m in Member)", "  m.flag := not m.flag"])
    name = d.world.local(sort, PROPERTY)
    flag = d.terms.test(PROPERTY.bind(name, sort).repeated(sort.most), 1)
    return [f"Member = {sort.ref}", f"{name}.flag = {flag.text}"]


def complete_abstract(d: Draft) -> None:
    """Give an abstract protocol without members its state."""
    text = d.others.get(_ABSTRACT)
    if text is not None and "\nstate\n" not in text:
        d.others[_ABSTRACT] = text + "\nstate\n  total\n    value: 0..TOP = 0\n"


# --- objects -----------------------------------------------------------------------

_REGISTER = """object Register(Value: type, first: Value)
  state
    value: Value = first
  operation read(): Value
    returns value
  operation write(v: Value)
    value := v"""

_QUEUE = """object Buffer(Value: type, ROOM: int)
  state
    items: seq of Value up to ROOM = []
  operation write(v: Value)
    when len(items) < ROOM
    items += v
  operation read(): Value
    when not empty(items)
    items := rest(items)
    returns first(items)"""


def declare_object(d: Draft) -> list[str]:
    """An object, the actions that call and answer, and the lines that they need in the state."""
    register = d.chance.roll(0.6)
    kinds = [k for k in d.world.kinds if isinstance(k, Num) and 0 in range(k.low, k.high + 1)]
    kind = d.chance.pick(kinds)
    caller = Sort(d.world.new_upper(["Caller"]), 1, 2)
    d.world.hidden.append(caller)
    d.add("sort", "", [f"sort {caller.ref}"])
    text = _REGISTER if register else _QUEUE
    name = "Register" if register else "Buffer"
    d.world.upper.add(name)
    if d.chance.roll(0.4):
        d.others["objects.model"] = text + "\n"
        d.add("import", "", [f'import "objects.model" ({name})'])
    else:
        d.add("object", name, text.split("\n"))
    bindings = f"Value = {kind.ref}, " + ("first = 0" if register else "ROOM = 2")
    d.add("linearizable", "box", [f"linearizable box: {name}({bindings})"])
    _calls(d, caller, kind)
    d.world.fields |= {"open", "cell"}
    d.world.lower |= {"memory", "c", "box"}
    return [
        "  memory", f"    cell: {kind.ref} = 0", f"  each {caller.ref}", "    open: 0..2 = 0",
    ]  # fmt: skip


def _calls(d: Draft, caller: Sort, kind: Num) -> None:
    who = f"c in {caller.ref}"
    begin = [f"action begin_read({who})", "  when c.open == 0", "  c.open := 1"]
    d.add("action", "begin_read", [*begin, "  call box.read() by c"])
    end = [f"fair action end_read({who})", "  when c.open == 1", "  c.open := 0"]
    d.add("action", "end_read", [*end, "  return memory.cell by c"])
    begin = [f"action begin_write({who}, v in {kind.ref})", "  when c.open == 0", "  c.open := 2"]
    d.add("action", "begin_write", [*begin, "  memory.cell := v", "  call box.write(v) by c"])
    end = [f"action end_write({who})", "  when c.open == 2", "  c.open := 0"]
    d.add("action", "end_write", [*end, "  return by c"])
    if d.chance.feature("abandon", 0.95):
        leave = [f"fault leave({who}) at most 1", "  when c.open != 0", "  c.open := 0"]
        d.add("fault", "leave", [*leave, "  abandon c"])
    if d.chance.feature("result", 0.95):
        d.add("step", "Answers", ["step Answers on end_read(c)", "  result == memory.cell"])
