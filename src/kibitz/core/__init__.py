"""The basic types of games and agents. Of kibitz it imports only kibitz.picture; it needs neither numpy nor numba."""
