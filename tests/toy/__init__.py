"""A game for the tests of the search: players do not always alternate.

From a pile of stones take 1, 2 or 3; the move's number is one less. Taking 2
gives another turn. Whoever takes the last stone wins, but a last take of 3
makes it a draw.
"""
