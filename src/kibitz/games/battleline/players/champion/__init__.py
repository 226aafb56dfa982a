"""The champion of Battle Line: a tree search over the possible hidden cards, with a small net."""
