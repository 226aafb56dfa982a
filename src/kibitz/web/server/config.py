"""The settings of a server, from flags, environment variables and a file.

A flag --clients-each is KIBITZ_SERVE_CLIENTS_EACH in the environment and clients-each
in a TOML file. Flags override the environment, which overrides the file. Every value
is checked here, whatever its source. Starts nothing.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_type_hints

import platformdirs

from kibitz.core.errors import BadOption
from kibitz.web.server.guard import is_loopback

VARIABLE_PREFIX = "KIBITZ_SERVE_"
CONFIG_VARIABLE = f"{VARIABLE_PREFIX}CONFIG"
"""Environment variable with the path of the configuration file."""
DATA_DIR = "KIBITZ_DATA_DIR"
DEFAULT = "default"
FIRST_PORT = 8000
"""The default port is the first free one from this on."""
MAX_CONFIG_BYTES = 64 * 1024
"""Maximum size of a TOML file, in bytes."""
LOCAL_ENGINE_SECONDS, PUBLIC_ENGINE_SECONDS = 300.0, 30.0
"""Default thinking time per turn, for a private and for a public server."""


@dataclass(frozen=True)
class ServerOption:
    """An option: its type, default and valid values."""

    kind: type
    default: Any = None
    low: float | None = None
    high: float | None = None
    words: tuple[str, ...] = ()

    def means(self) -> str:
        """Return the valid values in words."""
        if self.words:
            return f"one of {', '.join(self.words)}"
        if self.kind is bool:
            return "true or false"
        if self.kind in (int, float):
            noun = "a whole number" if self.kind is int else "a number"
            return f"{noun} from {self.low:g}" + ("" if self.high is None else f" to {self.high:g}")
        return "a text that is not empty"

    def read(self, value: Any) -> Any:
        """Check a value and convert it to its final type. Raise ValueError if it is not valid."""
        if self.kind is float and type(value) is int:
            value = float(value)
        given: type = type(value)
        if given is not (str if self.kind is Path else self.kind):
            raise ValueError
        fits = (self.low is None or value >= self.low) and (self.high is None or value <= self.high)
        if not fits or (self.words and value not in self.words) or value == "" or "\0" in str(value):
            raise ValueError
        return Path(value).expanduser() if self.kind is Path else value

    def parse(self, text: str) -> Any:
        """Parse the text of an environment variable. Raise ValueError if it is not valid."""
        if self.kind is bool and text in ("true", "false"):
            return text == "true"
        return self.read(self.kind(text) if self.kind in (int, float) else text)


@dataclass(frozen=True)
class ServerSettings:
    """All settings of a server. An option whose default is None has a default computed by resolve(), or none at all."""

    host: Annotated[str, ServerOption(str, "127.0.0.1")]
    port: Annotated[int | None, ServerOption(int, low=0, high=65535)]
    name: Annotated[str | None, ServerOption(str)]
    data: Annotated[Path, ServerOption(Path)]
    open: Annotated[bool, ServerOption(bool, True)]
    engine_seconds: Annotated[float, ServerOption(float, low=0.1, high=300)]
    clients: Annotated[int, ServerOption(int, 2000, low=1)]
    clients_each: Annotated[int, ServerOption(int, 50, low=1)]
    arena: Annotated[bool, ServerOption(bool, True)]
    bots: Annotated[Path | None, ServerOption(Path)]
    metrics: Annotated[bool, ServerOption(bool, False)]
    log: Annotated[str, ServerOption(str, "warning", words=("debug", "info", "warning", "error"))]
    log_format: Annotated[str, ServerOption(str, "text", words=("text", "json"))]

    @staticmethod
    def of(found: Mapping[str, ServerSetting]) -> ServerSettings:
        """Build the settings from the result of resolve()."""
        return ServerSettings(**{name.replace("-", "_"): setting.value for name, setting in found.items()})

    @property
    def is_private(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_private(self.host, self.name)


OPTIONS: Mapping[str, ServerOption] = {
    name.replace("_", "-"): hint.__metadata__[0]
    for name, hint in get_type_hints(ServerSettings, include_extras=True).items()
}
"""Every option of kibitz serve, by the name of its flag without the dashes before it."""


def data_folder() -> Path:
    """Return the default data folder: $KIBITZ_DATA_DIR, or else kibitz's folder among the user's application data."""
    return Path(os.environ.get(DATA_DIR) or platformdirs.user_data_dir("kibitz"))


class ServerSetting(NamedTuple):
    """The value of an option, and where it comes from: a flag, a variable, a file or the default."""

    value: Any
    source: str = DEFAULT


def gather(flags: Mapping[str, Any], environ: Mapping[str, str], file: Path | None) -> dict[str, ServerSetting]:
    """Return the setting of every option. Raise BadOption, naming the flag, variable or file, if a value is invalid.

    A flag that was not given is None. If file is None, CONFIG_VARIABLE may name one.
    """
    found = {name: ServerSetting(option.default) for name, option in OPTIONS.items()}
    file = file or (Path(environ[CONFIG_VARIABLE]) if environ.get(CONFIG_VARIABLE) else None)
    if file is not None:
        found.update(_read_file(file))
    found.update(_read_environment(environ))
    for name, value in flags.items():
        if value is not None:
            found[name] = _checked(OPTIONS[name].read, name, value, f"--{name}")
    return found


def _checked(read: Any, name: str, value: Any, source: str) -> ServerSetting:
    """Read a value and return it as a setting. Raise BadOption, with the valid values, if it is invalid."""
    try:
        return ServerSetting(read(value), source)
    except (ValueError, OverflowError, RuntimeError):  # RuntimeError: the home of an unknown user
        given = "such a large number" if isinstance(value, int) and abs(value) > 2**63 else repr(str(value)[:80])
        raise BadOption(f"{source} must be {OPTIONS[name].means()}, not {given}.") from None


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """Read a TOML file; messages call it `what`. Raise BadOption if it is unreadable, too long or not valid TOML."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_CONFIG_BYTES + 1)
        if len(raw) > MAX_CONFIG_BYTES:
            raise BadOption(f"{path} has more than {MAX_CONFIG_BYTES} bytes: it is not a {what}.")
        return tomllib.loads(raw.decode())
    except OSError as error:
        raise BadOption(f"Cannot read the {what} {path}: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise BadOption(f"The {what} {path} is not valid TOML: {error}.") from None


def _read_file(path: Path) -> dict[str, ServerSetting]:
    """Return the settings in a configuration file. Raise BadOption if an option is unknown or invalid."""
    found = {}
    for name, value in read_toml(path, "configuration file").items():
        if name not in OPTIONS:
            raise BadOption(f"{path}: unknown option {name[:80]!r}. The options are {', '.join(OPTIONS)}.")
        read, _ = _checked(OPTIONS[name].read, name, value, f"{path}: {name}")
        found[name] = ServerSetting(path.parent / read if OPTIONS[name].kind is Path else read, str(path))
    return found


def _read_environment(environ: Mapping[str, str]) -> dict[str, ServerSetting]:
    """Return the settings in environment variables, ignoring empty ones. Raise BadOption if unknown or invalid."""
    variables = {f"{VARIABLE_PREFIX}{name.upper().replace('-', '_')}": name for name in OPTIONS}
    found = {}
    for variable, text in environ.items():
        if not variable.startswith(VARIABLE_PREFIX) or variable == CONFIG_VARIABLE or not text:
            continue
        if variable not in variables:
            known = ", ".join([CONFIG_VARIABLE, *variables])
            raise BadOption(f"Unknown variable {variable[:80]}. The variables are {known}.")
        name = variables[variable]
        found[name] = _checked(OPTIONS[name].parse, name, text, variable)
    return found


def resolve(found: Mapping[str, ServerSetting], data: ServerSetting) -> dict[str, ServerSetting]:
    """Return the settings with computed defaults filled in; data is the default data folder."""
    seconds = LOCAL_ENGINE_SECONDS if is_private(found["host"].value, found["name"].value) else PUBLIC_ENGINE_SECONDS
    worked_out = {"data": data, "engine-seconds": ServerSetting(seconds)}
    return {
        name: worked_out.get(name, setting) if setting.value is None else setting for name, setting in found.items()
    }


def is_private(host: str, name: str | None) -> bool:
    """Return whether only this machine can reach a server, directly or through a proxy."""
    return is_loopback(host) and name is None


def show(found: Mapping[str, ServerSetting]) -> str:
    """Return the settings as a configuration file, with the source of each as a comment."""
    lines = []
    for name, (value, source) in found.items():
        if value is None:
            words = f"the first free one from {FIRST_PORT} on" if name == "port" else "none"
            lines.append((f"# {name}: {words}", source))
        else:
            lines.append((f"{name} = {json.dumps(value, default=str, ensure_ascii=False)}", source))
    width = max(len(line) for line, _ in lines)
    return "\n".join(f"{line:{width}}  # {source}" for line, source in lines)
