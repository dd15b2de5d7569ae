"""What the section ``embedding`` of the configuration may say."""

from __future__ import annotations

from typing import Any

import pytest

from ares_core import Ares, ConfigError


@pytest.mark.parametrize(
    "section",
    [
        {"base_url": "http://localhost:1/v1"},
        {"base_url": "localhost:1", "model": "m"},
        {"base_url": "ftp://localhost", "model": "m"},
        {"base_url": "http://key@localhost", "model": "m"},
        {"base_url": "http://localhost/?a=b", "model": "m"},
        {"base_url": "http://localhost/{text}", "model": "m"},
        {"base_url": "", "model": "m"},
        {"model": "m"},
        {"base_url": "http://localhost", "model": "m", "batch_size": 0},
        {"base_url": "http://localhost", "model": "m", "batch_size": 129},
        {"base_url": "http://localhost", "model": "m", "dimensions": -1},
        {"base_url": "http://localhost", "model": "m", "api_key": "sk-0123456789\n"},
        {"base_url": "http://localhost", "model": "m", "api_kee": "sk-0123456789"},
        {"base_url": ["http://localhost"], "model": "m"},
    ],
)
def test_a_wrong_section_is_told_with_its_key(ares_home: Any, section: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"embedding\.") as raised:
        Ares(plugins=["ares_plugin_embedding"], config={"embedding": section}).ready()
    assert "sk-0123456789" not in str(raised.value)
