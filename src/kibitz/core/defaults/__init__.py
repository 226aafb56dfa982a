"""Defaults for games that define no such part: grid rules, page, picture, notations."""
