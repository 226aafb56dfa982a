"""What kibitz reaches and what it survives: each module says what it measures and how it is run."""
