"""The tool ``pdf_tool``: text, metadata, outline and form fields of PDF files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ares_core import Capability, Effects, Result, Tool, ToolContext, hookimpl
from ares_plugin_pdf.settings import Settings

if TYPE_CHECKING:
    from ares_core import Host

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {
            "type": "string",
            "maxLength": 40,
            "description": "text (the text, page by page), metadata (title, author, times, what the file holds), "
            "outline (bookmarks with their pages) or form_fields (names, kinds and values).",
        },
        "path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "The PDF file."},
        "pages": {
            "type": ["string", "integer", "array"],
            "maxLength": 500,
            "minimum": 1,
            "items": {"type": ["integer", "string"], "maxLength": 500, "minimum": 1},
            "maxItems": 500,
            "description": "For text: which pages, such as '2-3,5' or '7-' (to the end), or a list of pages; all if "
            "left out. The first page is 1.",
        },
        "password": {
            "type": "string",
            "maxLength": 500,
            "writeOnly": True,
            "description": "For a file that opens only with one.",
        },
    },
    "required": ["operation", "path"],
    "additionalProperties": False,
}
EXAMPLES = (
    {"operation": "text", "path": "report.pdf", "pages": "2-3,5"},
    {"operation": "metadata", "path": "report.pdf"},
    {"operation": "form_fields", "path": "report.pdf"},
)
READS = Effects(read_only=True, destructive=False, idempotent=True, open_world=False, resources=("file:{path}",))


@hookimpl
def configuration() -> type[Settings]:
    """Check the section ``pdf``."""
    return Settings


@hookimpl
def register_tools(host: Host) -> list[Tool]:
    """Bring ``pdf_tool``."""
    return [
        Tool(
            "pdf_tool",
            "Read a PDF file: its text page by page, its metadata, its outline or its form fields. A page that is only "
            "a scanned image is reported as having no text. A long document is read in parts; the result says how to "
            "go on.",
            PARAMETERS,
            lambda arguments, context: _read(arguments, context, host.config),
            capabilities=("PDFParsing", "TextExtraction"),
            effects=READS,
            examples=EXAMPLES,
            cost=3,
            latency_ms=50,
            deterministic=True,
            max_concurrency=4,
        )
    ]


def _read(arguments: Mapping[str, Any], context: ToolContext, settings: Settings) -> dict[str, Any]:
    from ares_plugin_pdf.reading import run

    return run(arguments, context, settings)


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare the reading of PDF files and of text from files."""
    parsing = ("pdf", "read pdf", "parse pdf", "pdf metadata", "读取pdf", "解析pdf", "pdf文件")
    extraction = ("extract text", "text of a document", "提取文字", "提取文本")
    return [
        Capability("PDFParsing", aliases=parsing, inputs=("File",), outputs=("Text",)),
        Capability("TextExtraction", aliases=extraction, inputs=("File",), outputs=("Text",)),
    ]


@hookimpl
def format_result(result: Result) -> str | None:
    """Write pages, entries and notes in lines that a model reads well."""
    from ares_plugin_pdf.wording import written

    return written(result.data) if result.success else None
