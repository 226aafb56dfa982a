"""Tests in a real browser. A package, so that its conftest.py is not taken for the one above."""
