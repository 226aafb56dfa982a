"""The games in other frameworks: PettingZoo and OpenSpiel."""
