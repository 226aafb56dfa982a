"""The build hook of the wheel: adds the compiled kernels that tools/make/wheel.py has made, if it runs the build."""

from __future__ import annotations

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "KIBITZ_SHIPPED_KERNELS"
"""Variable in the environment: the folder of object files to put into the wheel."""
PLATFORM = "py3-none-manylinux_2_17_x86_64"
"""The tag of a wheel with object files. They need nothing but the C library's mathematics."""


class KernelHook(BuildHookInterface[Any]):
    """Adds object files and a platform tag."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the folder that the environment names, if it names one."""
        folder = os.environ.get(FOLDER)
        if folder and version == "standard":
            build_data["force_include"][folder] = "kibitz/compiled/shipped"
            build_data["tag"], build_data["pure_python"] = PLATFORM, False
