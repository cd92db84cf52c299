"""A register behind one cell, with clients that read and write it as they like."""

from __future__ import annotations

from pathlib import Path

from modelcheck import api
from modelcheck.source import Source

HERE = Path(__file__).parent

CELL = """
protocol Cell

import "register.model" (Register)

sort Client
type Bit = 0..1
type Work = Idle | Reading | Writing(v: Bit)

state
  memory
    bit: Bit = 0
    late: Bit? = none         # a write of somebody who has left
  each Client
    work: Work = Idle

action start_read(c in Client)
  when c.work == Idle
  c.work := Reading
  call cell.read() by c

action start_write(c in Client, v in Bit)
  when c.work == Idle
  c.work := Writing(v)
  call cell.write(v) by c

action finish_read(c in Client)
  when c.work == Reading
  c.work := Idle
  return memory.bit by c

action finish_write(c in Client)
  when c.work is Writing(v)
  c.work     := Idle
  memory.bit := v
  return by c
{more}
{claim} cell: Register(Value = Bit, first = 0)

check only
  Client = {clients}
  expect {expected}
"""


def cell(
    more: str = "", expected: str = "holds", clients: int = 2, claim: str = "linearizable"
) -> api.File:
    """The file of one check, with more declarations."""
    text = CELL.format(more=more, expected=expected, clients=clients, claim=claim)
    return api.load_source(Source("cell.model", text))


def shipped(name: str) -> api.File:
    """A file of this folder."""
    return api.load(HERE / f"{name}.model")


def stronger(name: str) -> api.File:
    """The same with `linearizable` where it says `sequentially consistent`."""
    text = (HERE / f"{name}.model").read_text("utf-8")
    weak = "\nsequentially consistent "
    assert text.count(weak) == 1
    return api.load_source(Source(f"{name}.model", text.replace(weak, "\nlinearizable ")))
