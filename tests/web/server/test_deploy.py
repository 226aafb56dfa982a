"""The files in deploy/ are what they say: a configuration that is read, a unit that systemd takes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kibitz.web.server.config import DATA_DIR, OPTIONS, ServerSetting, ServerSettings, gather, resolve

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"


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
    folders = {DATA_DIR: "/var/lib/kibitz", "KIBITZ_CACHE_DIR": "/var/cache/kibitz"}
    assert variables(unit) == folders
    assert unit.count("Directory=kibitz\n") == 2
    assert "MemoryDenyWriteExecute" not in unit  # compiled searches need it


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "kibitz.service"
    there = (DEPLOY / "kibitz.service").read_text().replace("/opt/kibitz/bin/kibitz", sys.executable)
    unit.write_text(there)
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_image_is_made_of_files_that_there_are() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    found = gather({}, variables(text), None)
    assert (found["host"].value, found["open"].value) == ("0.0.0.0", False)
    assert f"VOLUME {variables(text)[DATA_DIR]}\n" in text
    assert f"127.0.0.1:{found['port'].value}/health" in text
    copied = [word for line in re.findall(r"^COPY (?!--)(.*) \S+$", text, re.MULTILINE) for word in line.split()]
    assert "src" in copied
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    for name in copied:
        assert (ROOT / name).exists()
        assert f"!{name}" in ignored
