"""The study of Amar & Ben Binyamin (2014), repeated and extended."""
