"""Files made to do harm: whatever they do, the answer comes soon, in a sentence, and our own process does not grow."""

from __future__ import annotations

import random
import resource
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares

sys.path.insert(0, str(Path(__file__).parent))
