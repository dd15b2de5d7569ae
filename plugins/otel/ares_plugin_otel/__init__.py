"""Traces and metrics through OpenTelemetry: what happened to calls, runs and turns, for any collector."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from ares_core import hookimpl

if TYPE_CHECKING:
    from ares_core import Host

ASKED_BY = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_TRACES_EXPORTER")
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The section ``otel``.

    ``enabled`` unset means: when the program has set a tracer provider before its first call, or the environment names
    an exporter. ``content`` lets arguments and results into the spans, without what is secret.
    """

    enabled: Annotated[bool | None, msgspec.Meta(description="true or false")] = None
    content: Annotated[bool | None, msgspec.Meta(description="true or false")] = None


@hookimpl
def configuration() -> type[Settings]:
    """Give what the section may say."""
    return Settings


@hookimpl
def register_tools(host: Host) -> Iterable[Any]:
    """Begin to listen if somebody wants traces; there are no tools."""
    settings: Settings = host.config
    if not (is_wanted() if settings.enabled is None else settings.enabled):
        return ()
    from ares_plugin_otel.tracing import Tracing

    content = os.environ.get(CONTENT, "").lower() in ("true", "1") if settings.content is None else settings.content
    host.on_event(Tracing(host.registry, content=content))
    return ()


def is_wanted() -> bool:
    """Whether traces go anywhere: a provider is set, or the environment names an exporter."""
    if any(os.environ.get(name, "none") != "none" for name in ASKED_BY):
        return True
    trace = sys.modules.get("opentelemetry.trace")
    return trace is not None and type(trace.get_tracer_provider()).__name__ != "ProxyTracerProvider"
