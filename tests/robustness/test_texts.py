"""Texts that are too deep, too long, too wide or simply strange get an answer, and soon."""

from __future__ import annotations

import pytest

from modelcheck import api
from modelcheck.core.limits import Limits

from .answers import answer, constant, model, patience

MANY = 10_000
HUGE = 10**18


def test_the_small_model_itself_holds() -> None:
    assert answer(model()) == {"holds"}
    assert answer(constant("bool", "true")) == {"holds"}


# --- depth ------------------------------------------------------------------------------

DEEP = {
    "parentheses": model(claim="(" * MANY + "true" + ")" * MANY),
    "negations": model(claim="not " * MANY + "true"),
    "choices": model(claim="if true then true else " * MANY + "true"),
    "quantifiers": model(
        claim="".join(f"forall x{i} in bool: " for i in range(MANY)) + "true",
    ),
    "sets": model(claim="{" * MANY + "}" * MANY + " == {}"),
    "sequences": model(claim="[" * MANY + "]" * MANY + " == []"),
    "maps": constant("map bool to " * MANY + "bool", "true"),
    "map terms": constant("bool", "".join(f"each k{i} in bool: " for i in range(MANY)) + "true"),
    "sums": model(claim=" + ".join(["1"] * MANY) + " > 0"),
    "conjunctions": model(claim=" and ".join(["true"] * MANY)),
    "patterns": model(claim="A is " + "B(" * MANY + "_" + ")" * MANY),
    "blocks": model(
        more="\naction deep\n"
        + "".join("  " * (i + 1) + "if true\n" for i in range(1_000))
        + "  " * 1_001
        + "store.value := 0\n"
    ),
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_what_is_nested_ten_thousand_deep_is_refused(text: str) -> None:
    assert answer(text) == {"too-deep"}


SHALLOW = {
    "parentheses": model(claim="(" * 150 + "true" + ")" * 150),
    "negations": model(claim="not " * 150 + "true"),
    "choices": model(claim="if true then true else " * 100 + "true"),
    "quantifiers": model(claim="".join(f"forall x{i} in 0..0: " for i in range(90)) + "true"),
    "maps": constant("map bool to " * 8 + "bool", "true"),
    "blocks": model(
        more="\naction deep\n"
        + "".join("  " * (i + 1) + "if store.value == 3\n" for i in range(40))
        + "  " * 41
        + "store.value := 0\n"
    ),
}


@pytest.mark.parametrize("text", SHALLOW.values(), ids=SHALLOW)
def test_what_is_deep_but_not_too_deep_is_checked(text: str) -> None:
    assert answer(text) == {"holds"}


def chain(first: str, link: str, count: int) -> str:
    """Declarations of which each builds on the one before."""
    links = (link.format(this=i, before=i - 1) for i in range(1, count))
    return "\n" + first + "\n" + "\n".join(links) + "\n"


CHAINS = {
    "lets": chain("let l0 = 1", "let l{this} = l{before} + 0", 6_000)
    + "\ninvariant Last\n  l5999 == 1\n",
    "parameters": chain("param P0: int = 1", "param P{this}: int = P{before}", 8_000)
    + "\ninvariant Last\n  P7999 == 1\n",
    "functions": chain("let l0(x: int) = x", "let l{this}(x: int) = l{before}(x)", 6_000)
    + "\ninvariant Last\n  l5999(1) == 1\n",
    "types": chain("type Q0 = 0..1", "type Q{this} = Q{before}", 6_000)
    + "\ninvariant Last\n  forall q in Q5999: q < 2\n",
}


@pytest.mark.parametrize("more", CHAINS.values(), ids=CHAINS)
def test_a_long_chain_of_names_is_followed_or_refused(more: str) -> None:
    assert answer(model(more=more)) <= {"holds", "too-deep"}


def test_a_type_that_doubles_thirty_times_is_refused() -> None:
    doubling = chain("type Q0 = X | Y", "type Q{this} = C{this}(a: Q{before}, b: Q{before})", 30)
    assert answer(model(more=doubling)) == {"too-deep"}
    assert answer(constant("Q29?", "none", more=doubling)) == {"too-deep"}


# --- length -----------------------------------------------------------------------------

LONG = {
    "invariants": model(more="".join(f"\ninvariant I{i}\n  true\n" for i in range(MANY))),
    "lets": model(more="".join(f"\nlet l{i} = {i}\n" for i in range(MANY))),
    "forms": model(more="\ntype F = " + " | ".join(f"F{i}" for i in range(MANY)) + "\n"),
    "actions": model(more="".join(f"\naction a{i}\n  store.value := 0\n" for i in range(2_000))),
    "variables": model(state="".join(f"\n    w{i}: 0..3 = 0" for i in range(5_000))),
    "checks": model(
        more="".join(f"\ncheck c{i} like small\n  expect Claim holds\n" for i in range(200))
    ),
    "comments": "# nothing\n" * MANY + model(),
    "doc comments": "## nothing\n" * MANY + model(),
    "lines of a body": model(claim="\n  ".join(["store.value >= 0"] * 5_000)),
    "guards": model(guard="\n  when ".join(["store.value < 3"] * 3_000)),
    "a line": model(claim="{" + ", ".join(str(i) for i in range(20_000)) + "} != {}"),
    "a name": model(more=f"\nlet {'a' * 100_000} = 1\n"),
    "a comment": model(more=f"\n# {'a' * 1_000_000}\n"),
    "blank lines": model(more="\n" * 100_000),
    "noughts": model(claim=f"store.value >= {'0' * MANY}"),
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_what_is_only_long_is_checked(text: str) -> None:
    assert answer(text) == {"holds"}


# --- width ------------------------------------------------------------------------------

WIDE = {
    "a literal": (model(claim="store.value < " + "9" * MANY), {"int-too-large"}),
    "a variable": (constant(f"0..{HUGE}", "0"), {"holds"}),
    "an overflow": (model(claim=f"store.value * {HUGE} * {HUGE} >= 0"), {"number-too-large"}),
    "initial values": (
        model(state=f"\n    w: 0..{HUGE} in 0..{HUGE}"),
        {"domain-too-wide"},
    ),
    "a quantifier": (model(claim=f"forall x in 0..{HUGE}: x >= 0"), {"domain-too-wide"}),
    "a count": (model(claim=f"(count x in 0..{HUGE}: true) > 0"), {"domain-too-wide"}),
    "a sum": (model(claim=f"(sum x in 0..{HUGE}: 0) == 0"), {"domain-too-wide"}),
    "a comprehension": (model(claim=f"size({{x | x in 0..{HUGE}}}) > 0"), {"domain-too-wide"}),
    "a header": (model(header=f"(x in 0..{HUGE})"), {"domain-too-wide"}),
    "a loop": (
        model(update=f"for x in 0..{HUGE}\n    store.value := 0"),
        {"domain-too-wide"},
    ),
    "a type that is gone through": (
        model(key=f"0..{HUGE}", claim="forall k in Key: k >= 0"),
        {"domain-too-wide"},
    ),
    "subsets": (
        model(key=f"0..{HUGE}", claim="forall q in subset of Key: true"),
        {"domain-too-wide", "too-many-subsets"},
    ),
    "a set": (constant(f"set of 0..{HUGE}", "{}"), {"too-wide"}),
    "a set of records": (
        constant("set of R", "{}", more="\ntype R(a: 0..99, b: 0..99)\n"),
        {"too-wide"},
    ),
    "a bounded set": (constant(f"set of 0..{HUGE} up to {HUGE}", "{}"), {"holds"}),
    "a sequence": (constant(f"seq of 0..{HUGE} up to {HUGE}", "[]"), {"holds"}),
    "a bag": (constant(f"bag of 0..{HUGE} up to {HUGE}", "{}"), {"holds"}),
    "a map's keys": (constant(f"map 0..{HUGE} to bool", "true"), {"too-many-keys"}),
    "keys of maps in maps": (constant("map bool to " * 40 + "bool", "true"), {"too-many-keys"}),
    "a map's values": (constant(f"map bool to 0..{HUGE}", "0"), {"holds"}),
    "a group": (
        model(key=f"0..{HUGE}", state="\n  each Key\n    w: bool = true"),
        {"too-many-keys"},
    ),
    "a parameter": (model(settings=f", N = {HUGE}", claim="N > 0"), {"holds"}),
    "a budget": (
        model(more=f"\nfault reset at most {HUGE}\n  when store.value == 9\n  store.value := 0\n"),
        {"holds"},
    ),
    "a capacity below nought": (constant("seq of bool up to -1", "[]"), {"negative-capacity"}),
    "an empty range": (constant("0..-1", "0"), {"initial-range"}),
    "a sort of none": (model(size="0"), {"sort-size"}),
    "a sort of fewer": (model(size="-1"), {"sort-size"}),
    "a sort of many": (model(size="1000000000"), {"sort-size"}),
    "a sort of too many to say": (model(size="9" * 30), {"int-too-large"}),
}


@pytest.mark.parametrize(("text", "said"), WIDE.values(), ids=WIDE)
def test_what_is_wide_is_checked_or_refused(text: str, said: set[str]) -> None:
    found = answer(text)
    assert found
    assert found <= said


COLLECTIONS = [
    f"seq of bool up to {HUGE}",
    f"seq of bool up to {MANY}",
    f"set of 0..{HUGE} up to {HUGE}",
    f"set of 0..{HUGE} up to 1000000",
    f"bag of 0..{HUGE} up to {HUGE}",
    f"map 0..{HUGE} to bool",
    f"map bool to 0..{HUGE}",
    f"set of 0..{HUGE}",
]


@pytest.mark.parametrize("type_", COLLECTIONS)
def test_a_type_with_more_values_than_memory_has_bits_is_never_listed(type_: str) -> None:
    more = f"\ntype Q = {type_}\n"
    assert answer(model(more=more, claim="forall q in Q: true")) == {"domain-too-wide"}
    assert answer(model(more=more, header="(q in Q)")) == {"domain-too-wide"}
    assert answer(model(more=more, claim="size(Q) > 0")) <= {"holds", "domain-too-wide"}
    assert answer(constant("bag of Q up to 2", "{}", more=more))


# --- too many states --------------------------------------------------------------------

DIGITS = "".join(f"\n    w{i}: 0..9 in 0..9" for i in range(12))
CROWDED = {
    "of many variables": model(state=DIGITS),
    "of a large group": model(key="0..59", state="\n  each Key\n    w: bool in bool"),
    "that init refuses": model(state=DIGITS, more="\ninit\n  store.w0 > 9\n"),
    "of wide variables": model(
        state="".join(f"\n    w{i}: 0..99999 in 0..99999" for i in range(3))
    ),
}


@pytest.mark.parametrize("text", CROWDED.values(), ids=CROWDED)
@pytest.mark.parametrize(
    "limits", [Limits(seconds=1), Limits(states=100, seconds=3), Limits(seconds=0.01)], ids=str
)
def test_initial_states_without_end_meet_the_limit(text: str, limits: Limits) -> None:
    assert answer(text, limits=limits) == {"unfinished"}


def test_a_limit_leaves_true_counts() -> None:
    text = model(state=DIGITS)
    check = api.load_source(api.decode("test.model", text.encode()))["small"]
    with patience():
        outcome = api.check(check, Limits(states=100))
    assert (outcome.stats.distinct, outcome.stats.generated, outcome.stats.depth) == (100, 100, 1)
    assert (outcome.complete, outcome.as_expected) == (False, None)
    assert outcome.limits == ("states: 100",)


# --- strange characters -----------------------------------------------------------------

STRANGE = {
    "NUL": ("tr\0ue", {"control-character"}),
    "vertical tab": ("true\v", {"control-character"}),
    "lone carriage return": ("true\rfalse", {"control-character"}),
    "override of direction": ("true # \u202e", {"bidirectional-character"}),
    "isolate": ("true # \u2067", {"bidirectional-character"}),
    "no-break space": ("store.value\u00a0>= 0", {"invisible-character"}),
    "zero width space": ("store.value >=\u200b 0", {"invisible-character"}),
    "letters that look alike": ("store.v\u0430lue >= 0", {"non-ascii"}),
    "digits of another script": ("store.value >= \u0660", {"non-ascii"}),
    "lone surrogate": ("true # \ud800", {"not-utf8"}),
    "any letter in a comment": ("true # \u00fc \u4e2d \U0001f600", {"holds"}),
}


@pytest.mark.parametrize(("claim", "said"), STRANGE.values(), ids=STRANGE)
def test_a_strange_character_is_named(claim: str, said: set[str]) -> None:
    assert answer(model(claim=claim)) == said


TEXT = model()
FORMS = {
    "carriage returns before line ends": (TEXT.replace("\n", "\r\n"), {"holds"}),
    "a byte order mark": ("\ufeff" + TEXT, {"holds"}),
    "no last line end": (TEXT.rstrip("\n"), {"holds"}),
    "indented with tabs": (TEXT.replace("  ", "\t"), {"tab-indent"}),
    "UTF-16": (TEXT.encode("utf-16"), {"not-utf8"}),
    "Latin-1": ("# \u00fc\n".encode("latin-1") + TEXT.encode(), {"not-utf8"}),
    "binary": (bytes(range(256)) * 40, {"not-utf8"}),
    "nothing": ("", {"empty-file"}),
    "a line end": ("\n", {"empty-file"}),
    "only a comment": ("# nothing", {"empty-file"}),
}


@pytest.mark.parametrize(("text", "said"), FORMS.values(), ids=FORMS)
def test_a_file_in_another_form_is_read_or_refused(text: str | bytes, said: set[str]) -> None:
    assert answer(text) == said
