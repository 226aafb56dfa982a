"""Flags override the environment, which overrides the file; errors name their source; deploy/ has valid files."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from inside import run
from kibitz.core.errors import BadOption
from kibitz.web.server import config
from kibitz.web.server.config import OPTIONS, ServerSetting, ServerSettings, gather, resolve

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
OTHERS: dict[str, Any] = {
    "host": "0.0.0.0", "port": 8123, "name": "games.example", "data": "games", "open": False, "engine-seconds": 2.5,
    "clients": 10, "clients-each": 3, "arena": False, "bots": "bots.toml", "warmup": False,
    "metrics": True, "log": "info", "log-format": "json",
}  # fmt: skip
"""For every option something that is not its default."""


def variable(name: str) -> str:
    return config.VARIABLE_PREFIX + name.upper().replace("-", "_")


def text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kibitz.toml"
    path.write_text("".join(f"{name} = {text(value)!r}\n" if isinstance(value, str) else f"{name} = {text(value)}\n"
                            for name, value in OTHERS.items()))  # fmt: skip
    return path


def test_every_option_can_be_said_in_three_ways(file: Path) -> None:
    assert OTHERS.keys() == OPTIONS.keys() == {field.name.replace("_", "-") for field in fields(ServerSettings)}
    by_flag = gather(OTHERS, {}, None)
    by_environment = gather({}, {variable(name): text(value) for name, value in OTHERS.items()}, None)
    by_file = gather({}, {}, file)
    for name in OPTIONS:
        assert by_flag[name].value == by_environment[name].value != OPTIONS[name].default
        is_path = OPTIONS[name].kind is Path  # which in a file is beside the file
        assert by_file[name].value == (file.parent / OTHERS[name] if is_path else by_flag[name].value)
        assert by_flag[name].source == f"--{name}"
        assert by_environment[name].source == variable(name)
        assert by_file[name].source == str(file)


def test_who_goes_first(file: Path) -> None:
    environ = {"KIBITZ_SERVE_CONFIG": str(file), "KIBITZ_SERVE_CLIENTS": "11", "KIBITZ_SERVE_PORT": "9000"}
    found = gather({"port": 9001, "host": None}, environ, None)
    assert found["port"] == ServerSetting(9001, "--port")
    assert found["clients"] == ServerSetting(11, "KIBITZ_SERVE_CLIENTS")
    assert found["host"] == ServerSetting("0.0.0.0", str(file))
    assert gather({}, {"KIBITZ_SERVE_PORT": ""}, None)["port"] == ServerSetting(None)


def test_what_is_shown_is_a_file_that_says_the_same(file: Path, tmp_path: Path) -> None:
    folder = ServerSetting(tmp_path / 'a "b" ü')
    for given in (None, file):
        found = resolve(gather({}, {}, given), folder)
        again = tmp_path / "again.toml"
        again.write_text(config.to_toml(found), encoding="utf-8")
        reread = resolve(gather({}, {}, again), folder)
        assert {name: setting.value for name, setting in reread.items()} == {n: s.value for n, s in found.items()}
        assert tomllib.loads(config.to_toml(found))["host"] == found["host"].value


@pytest.mark.parametrize(
    ("flags", "seconds", "private"),
    [
        ({}, 300, True),
        ({"host": "127.9.9.9"}, 300, True),
        ({"host": "0.0.0.0"}, 30, False),
        ({"name": "games.example"}, 30, False),
        ({"name": "games.example", "engine-seconds": 5.0}, 5, False),
    ],
)
def test_what_is_worked_out(flags: dict[str, Any], seconds: float, private: bool) -> None:
    settings = ServerSettings.of(resolve(gather(flags, {}, None), ServerSetting(Path("here"))))
    assert (settings.engine_seconds, settings.is_private, settings.data) == (seconds, private, Path("here"))


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("colour = 1", "unknown option 'colour'. The options are host, port"),
        ("clients_each = 1", "unknown option 'clients_each'"),
        ("port = '8000'", "port must be a whole number from 0 to 65535, not '8000'"),
        ("port = 70000", "port must be a whole number from 0 to 65535"),
        ("port = true", "port must be a whole number"),
        ("clients = 0", "clients must be a whole number from 1, not '0'"),
        ("engine-seconds = nan", "engine-seconds must be a number from 0.1 to 300"),
        ("engine-seconds = 1" + "0" * 400, "not such a large number"),
        ("port = 0x1" + "0" * 9000, "not such a large number"),
        ("port = 1" + "0" * 9000, "is not valid TOML"),
        ("data = '~nobody-of-this-name/x'", "data must be a text"),
        ("open = 'no'", "open must be true or false"),
        ("log = 'loud'", "log must be one of debug, info, warning, error, not 'loud'"),
        ("host = ''", "host must be a text that is not empty"),
        ('data = "a\\u0000"', "data must be a text"),
        ("[serve]\nport = 1", "unknown option 'serve'"),
        ("port = ", "is not valid TOML"),
        ("host = '\xe9'", "is not valid TOML"),  # not in UTF-8
        ("port = 1\nport = 2", "is not valid TOML"),
        ("x = " + "[" * 20_000, "is not valid TOML"),
        ("#" * (config.MAX_CONFIG_BYTES + 1), "more than"),
    ],
)
def test_a_wrong_file_is_reported(tmp_path: Path, written: str, told: str) -> None:
    path = tmp_path / "kibitz.toml"
    path.write_text(written, encoding="latin-1")
    with pytest.raises(BadOption) as refused:
        gather({}, {}, path)
    assert str(path) in str(refused.value)
    assert told in str(refused.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.toml"):
        with pytest.raises(BadOption, match=r"Cannot read the configuration file"):
            gather({}, {}, path)


def test_a_wrong_environment_is_reported() -> None:
    for name, value, told in (
        ("COLOUR", "1", "Unknown variable KIBITZ_SERVE_COLOUR"),
        ("PORT", "http", "KIBITZ_SERVE_PORT must be a whole number"),
        ("ARENA", "yes", "KIBITZ_SERVE_ARENA must be true or false, not 'yes'"),
    ):
        with pytest.raises(BadOption, match=told):
            gather({}, {f"KIBITZ_SERVE_{name}": value}, None)


def test_the_command_shows_and_refuses(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_SERVE_CLIENTS", "11")
    shown = run("serve", "--show-config", "--config", file, "--no-arena", "--data", tmp_path / "there")
    lines = {line.split(" = ")[0]: line for line in shown.stdout.splitlines()}
    assert lines["clients"].endswith("# KIBITZ_SERVE_CLIENTS")
    assert lines["arena"].split() == ["arena", "=", "false", "#", "--arena"]
    assert lines["port"].split() == ["port", "=", "8123", "#", str(file)]
    assert not (tmp_path / "there").exists()
    refused = run("serve", "--clients-each", "0")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "kibitz: --clients-each must be a whole number from 1, not '0'.\n"


# Files in deploy/


def variables(text: str) -> dict[str, str]:
    return dict(re.findall(r"(KIBITZ_[A-Z_]+)=(\S+)", text))


def test_the_example_is_read_and_says_every_option() -> None:
    text = (DEPLOY / "kibitz.toml").read_text()
    settings = ServerSettings.of(resolve(gather({}, {}, DEPLOY / "kibitz.toml"), ServerSetting(Path("x"))))
    assert not settings.is_private
    assert (settings.port, settings.metrics, settings.log_format) == (8000, True, "json")
    assert set(re.findall(r"^(?:# )?([a-z-]+) =", text, re.MULTILINE)) == set(OPTIONS)


def test_the_unit_says_what_kibitz_reads() -> None:
    unit = (DEPLOY / "kibitz.service").read_text()
    folders = {config.DATA_DIR: "/var/lib/kibitz", "KIBITZ_CACHE_DIR": "/var/cache/kibitz"}
    assert variables(unit) == folders
    assert unit.count("Directory=kibitz\n") == 2
    assert "MemoryDenyWriteExecute" not in unit  # compiled searches need it


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "kibitz.service"
    unit.write_text((DEPLOY / "kibitz.service").read_text().replace("/opt/kibitz/bin/kibitz", sys.executable))
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_image_is_made_of_files_that_there_are() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    found = gather({}, variables(text), None)
    assert (found["host"].value, found["open"].value) == ("0.0.0.0", False)
    assert f"VOLUME {variables(text)[config.DATA_DIR]}\n" in text
    assert f"127.0.0.1:{found['port'].value}/health" in text
    copied = [word for line in re.findall(r"^COPY (?!--)(.*) \S+$", text, re.MULTILINE) for word in line.split()]
    assert "src" in copied
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    for name in copied:
        assert (ROOT / name).exists()
        assert f"!{name}" in ignored
