"""Lets python -m kibitz do what kibitz does."""

from kibitz.cli import main

main()
