"""Selective alpha-beta: searches likely moves deeper and prunes the rest, without losing solved values."""
