"""Configuration: argument > environment > project file > user file > default.

``load`` puts the layers together; the values themselves are ``ares_core.settings``. ``documents`` reads one file,
``places`` knows where files lie, ``environment`` reads variables, ``check`` compares with the types, ``trust``
decides what a project file may say.
"""

from __future__ import annotations

from ares_core.config.layers import Loaded, check_section, load, unknown_sections
from ares_core.config.places import config_dir, project_file, state_dir, user_file
from ares_core.config.trust import is_trusted, trust, untrust, widening_keys

__all__ = [
    "Loaded", "check_section", "config_dir", "is_trusted", "load", "project_file", "state_dir", "trust",
    "unknown_sections", "untrust", "user_file", "widening_keys",
]  # fmt: skip
