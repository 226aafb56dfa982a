"""Temperature functions: what they mean, and what is said of those that mean nothing."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import BadOption
from kibitz.search.minimax.temperature import MAX_NESTING, MAX_TEXT_LENGTH, SCHEDULED_TURNS, parse, schedule

MEANINGS = {
    "5/t^2": 5 / 9, "5/t**2": 5 / 9, "t": 3.0, " 1 + 2 * t ": 7.0, "(1 + 2) * t": 9.0, "10 - 4 - 3": 3.0,
    "12 / 2 / 3": 2.0, "2 ^ 3 ^ 2": 512.0, "-t^2": -9.0, "(-t)^2": 9.0, "2^-t": 0.125, "--t": 3.0, "2--t": 5.0,
    "1.5e1 + .5 + 2.": 17.5, "exp(-t)": math.exp(-3), "log(t)": math.log(3), "sqrt(t + 1)": 2.0,
    "min(1, 5/t^2)": 5 / 9, "max(1, max(t, 2))": 3.0,
}  # fmt: skip
"""Text -> its value at t = 3."""


@pytest.mark.parametrize("text", MEANINGS)
def test_a_text_means_what_mathematicians_mean(text: str) -> None:
    assert parse(text)(3.0) == pytest.approx(MEANINGS[text], rel=1e-15)


BAD_TEXTS = {
    "breaks off": {"": 1, "   ": 4, "5/": 3, "5/t^": 5},
    r"'\)' is missing": {"(t": 3, "exp(1, 2)": 6},
    r"'\(' is missing": {"exp t": 5},
    "',' is missing": {"min(1)": 6},
    r"'\)' is not expected here": {"t)": 2},
    "'t' is not expected here": {"t t": 3},
    r"'\+' is not expected here": {"+3": 1},
    r"'\*' is not expected here": {"3 * * t": 5},
    r"'\$' cannot be read": {"5 $ t": 3},
    "cannot be read": {"٣": 1, "t.__class__": 2},
    "there is no 'sin', only t and exp, log, sqrt, min, max": {"sin(t)": 1},
    "there is no 'x'": {"2*x": 3},
    "there is no '__import__'": {"__import__('os')": 1},
    "too large": {"1e999": 1},
    "inside one another": {"(" * 30 + "t" + ")" * 30: MAX_NESTING + 1, "-" * 30 + "t": MAX_NESTING + 1},
}
"""Message -> texts, each with the column that the message names."""


@pytest.mark.parametrize("said", BAD_TEXTS)
def test_bad_text_is_refused_with_its_column_and_an_example(said: str) -> None:
    for text, column in BAD_TEXTS[said].items():
        with pytest.raises(BadOption, match=rf"{said}.* in column {column}\. A valid one is 5/t\^2\."):
            parse(text)


def test_long_text_is_refused() -> None:
    assert parse("1" + "+1" * 99)(0.0) == 100
    with pytest.raises(BadOption, match=f"{MAX_TEXT_LENGTH} characters at most, this has 201"):
        parse("1" + "+1" * 100)


@given(st.text(alphabet="0123456789.e t+-*/^(),minaxsqrlog", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        probabilities = schedule(text, 3.0, 0.1)
    except BadOption:
        return
    assert len(probabilities) == SCHEDULED_TURNS
    assert all(0 <= p <= 1 for p in probabilities)


def test_the_schedule_of_the_paper() -> None:
    found = schedule("5/t^2", 3.0, 0.1)
    assert found[0] == pytest.approx(0.5556, abs=1e-4)
    assert found[20] == pytest.approx(0.2, abs=1e-4)
    assert found[80] == pytest.approx(5 / 121)
    assert list(found) == sorted(found, reverse=True)


def test_probabilities_stay_within_0_and_1() -> None:
    assert set(schedule("-t", 3.0, 0.1)) == {0.0}
    assert set(schedule("t", 3.0, 0.1)) == {1.0}


@pytest.mark.parametrize(
    ("text", "start", "step", "said"),
    [
        ("1/t", 0.0, 1.0, "t = 0, on own turn 1"),
        ("1/(t-5)", 3.0, 0.5, "t = 5, on own turn 5"),
        ("exp(exp(t))", 3.0, 0.1, "t = 6.6, on own turn 37"),
        ("log(4-t)", 3.0, 0.1, "t = 4, on own turn 11"),
        ("0*1e300*1e300*t^400", 9.0, 0.1, "t = 9, on own turn 1"),
        *(
            (text, 3.0, 0.1, "t = 3, on own turn 1")
            for text in ("sqrt(-t)", "(-t)^0.5", "1e300*1e300", "1e300*1e300-1e300*1e300")
        ),
    ],
)
def test_a_function_without_a_finite_value_is_refused_at_once(text: str, start: float, step: float, said: str) -> None:
    with pytest.raises(BadOption, match=f"no finite value at {said} with start="):
        schedule(text, start, step)
