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
    choices: tuple[str, ...] = ()

    def valid_values(self) -> str:
        """Return the valid values in words, such as "a whole number from 0 to 65535"."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.kind is bool:
            return "true or false"
        if self.kind in (int, float):
            noun = "a whole number" if self.kind is int else "a number"
            return f"{noun} from {self.low:g}" + ("" if self.high is None else f" to {self.high:g}")
        return "a text that is not empty"

    def convert(self, value: Any) -> Any:
        """Return a value from a flag or a file in its final type. Raise ValueError if it is not valid."""
        if self.kind is float and type(value) is int:
            value = float(value)
        given: type = type(value)
        if given is not (str if self.kind is Path else self.kind):
            raise ValueError
        in_range = (self.low is None or value >= self.low) and (self.high is None or value <= self.high)
        if not in_range or (self.choices and value not in self.choices) or value == "" or "\0" in str(value):
            raise ValueError
        return Path(value).expanduser() if self.kind is Path else value

    def parse(self, text: str) -> Any:
        """Return the value of an environment variable in its final type. Raise ValueError if it is not valid."""
        if self.kind is bool and text in ("true", "false"):
            return text == "true"
        return self.convert(self.kind(text) if self.kind in (int, float) else text)


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
    warmup: Annotated[bool, ServerOption(bool, True)]
    metrics: Annotated[bool, ServerOption(bool, False)]
    log: Annotated[str, ServerOption(str, "warning", choices=("debug", "info", "warning", "error"))]
    log_format: Annotated[str, ServerOption(str, "text", choices=("text", "json"))]

    @staticmethod
    def of(settings: Mapping[str, ServerSetting]) -> ServerSettings:
        """Build the settings from the result of resolve()."""
        return ServerSettings(**{name.replace("-", "_"): setting.value for name, setting in settings.items()})

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
    settings = {name: ServerSetting(option.default) for name, option in OPTIONS.items()}
    file = file or (Path(environ[CONFIG_VARIABLE]) if environ.get(CONFIG_VARIABLE) else None)
    if file is not None:
        settings.update(_read_file(file))
    settings.update(_read_environment(environ))
    for name, value in flags.items():
        if value is not None:
            settings[name] = _setting(OPTIONS[name].convert, name, value, f"--{name}")
    return settings


def _setting(convert: Any, name: str, value: Any, source: str) -> ServerSetting:
    """Return the setting of option `name` from a converted value. Raise BadOption if convert() raises ValueError."""
    try:
        return ServerSetting(convert(value), source)
    except (ValueError, OverflowError, RuntimeError):  # RuntimeError: the home of an unknown user
        given = "such a large number" if isinstance(value, int) and abs(value) > 2**63 else repr(str(value)[:80])
        raise BadOption(f"{source} must be {OPTIONS[name].valid_values()}, not {given}.") from None


def read_toml(path: Path, kind: str) -> dict[str, Any]:
    """Read a TOML file. Raise BadOption, calling it a `kind`, if it is unreadable, too long or not valid TOML."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_CONFIG_BYTES + 1)
        if len(raw) > MAX_CONFIG_BYTES:
            raise BadOption(f"{path} has more than {MAX_CONFIG_BYTES} bytes: it is not a {kind}.")
        return tomllib.loads(raw.decode())
    except OSError as error:
        raise BadOption(f"Cannot read the {kind} {path}: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise BadOption(f"The {kind} {path} is not valid TOML: {error}.") from None


def _read_file(path: Path) -> dict[str, ServerSetting]:
    """Return the settings in a configuration file. Raise BadOption if an option is unknown or invalid."""
    settings = {}
    for name, value in read_toml(path, "configuration file").items():
        if name not in OPTIONS:
            raise BadOption(f"{path}: unknown option {name[:80]!r}. The options are {', '.join(OPTIONS)}.")
        final, _ = _setting(OPTIONS[name].convert, name, value, f"{path}: {name}")
        settings[name] = ServerSetting(path.parent / final if OPTIONS[name].kind is Path else final, str(path))
    return settings


def _read_environment(environ: Mapping[str, str]) -> dict[str, ServerSetting]:
    """Return the settings in environment variables, ignoring empty ones. Raise BadOption if unknown or invalid."""
    variables = {f"{VARIABLE_PREFIX}{name.upper().replace('-', '_')}": name for name in OPTIONS}
    settings = {}
    for variable, text in environ.items():
        if not variable.startswith(VARIABLE_PREFIX) or variable == CONFIG_VARIABLE or not text:
            continue
        if variable not in variables:
            known = ", ".join([CONFIG_VARIABLE, *variables])
            raise BadOption(f"Unknown variable {variable[:80]}. The variables are {known}.")
        name = variables[variable]
        settings[name] = _setting(OPTIONS[name].parse, name, text, variable)
    return settings


def resolve(settings: Mapping[str, ServerSetting], data: ServerSetting) -> dict[str, ServerSetting]:
    """Return the settings with the computed defaults filled in. data: the default data folder."""
    private = is_private(settings["host"].value, settings["name"].value)
    seconds = ServerSetting(LOCAL_ENGINE_SECONDS if private else PUBLIC_ENGINE_SECONDS)
    defaults = {"data": data, "engine-seconds": seconds}
    return {name: defaults.get(name, each) if each.value is None else each for name, each in settings.items()}


def is_private(host: str, name: str | None) -> bool:
    """Return whether only this machine can reach a server, directly or through a proxy."""
    return is_loopback(host) and name is None


def to_toml(settings: Mapping[str, ServerSetting]) -> str:
    """Return the settings as the text of a configuration file, with the source of each as a comment."""
    lines = []
    for name, (value, source) in settings.items():
        if value is None:
            default = f"the first free one from {FIRST_PORT} on" if name == "port" else "none"
            lines.append((f"# {name}: {default}", source))
        else:
            lines.append((f"{name} = {json.dumps(value, default=str, ensure_ascii=False)}", source))
    width = max(len(line) for line, _ in lines)
    return "\n".join(f"{line:{width}}  # {source}" for line, source in lines)
