"""The games of kibitz in other frameworks: PettingZoo and OpenSpiel."""
