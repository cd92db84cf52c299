"""Models of the repository written a second time, by hand, with no code of the tool.

A module stands for one file and says which (`FILE`); `CHECKS` gives the parameters of each of its
checks, and `explore(**parameters)` the whole graph of that check in the encoding of `common`.
Nothing here imports `modelcheck`: a mistake in the tool cannot repeat itself in its witness.
"""
