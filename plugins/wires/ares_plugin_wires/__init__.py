"""The provider formats that Ares comes with, a module for each."""

from __future__ import annotations

from ares_core import WireFormat, hookimpl


@hookimpl(trylast=True)
def register_wire_formats() -> list[WireFormat]:
    """Give all formats; asked last, so that another plugin's format of the same name takes the place of ours.

    A body is put to them in this order: chat completions, whose errors look like everyone's, come after the others.
    """
    from .anthropic import Anthropic
    from .bedrock_converse import BedrockConverse
    from .cohere import Cohere
    from .gemini import Gemini
    from .ollama import Ollama
    from .openai_chat import OpenAIChat
    from .openai_responses import OpenAIResponses
    from .text import Text

    return [
        Anthropic(), Gemini(), BedrockConverse(), Cohere(), Ollama(), OpenAIResponses(), OpenAIChat(), Text(),
    ]  # fmt: skip
