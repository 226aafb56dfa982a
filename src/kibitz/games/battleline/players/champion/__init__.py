"""The champion of Battle Line: a search over beliefs with a small net."""
