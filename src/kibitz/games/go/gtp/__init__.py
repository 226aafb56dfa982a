"""Protocols of Go programs: kibitz as an engine over GTP, and other engines over GTP or KataGo's JSON."""
