"""How each provider is asked: where, with which key, and with which body; reading its answers is the wire's part."""

from __future__ import annotations

from ares_plugin_agent.providers.anthropic import Anthropic
from ares_plugin_agent.providers.bedrock import Bedrock
from ares_plugin_agent.providers.chat import Chat
from ares_plugin_agent.providers.cohere import Cohere
from ares_plugin_agent.providers.gemini import Gemini
from ares_plugin_agent.providers.mistral import Mistral
from ares_plugin_agent.providers.ollama import Ollama
from ares_plugin_agent.providers.question import Place, Provider, Question
from ares_plugin_agent.providers.responses import Responses

__all__ = ["PROVIDERS", "Place", "Provider", "Question"]

PROVIDERS: dict[str, tuple[Provider, Place]] = {
    "openai": (Chat(), Place("https://api.openai.com/v1", ("OPENAI_API_KEY",), "OPENAI_BASE_URL")),
    "openai-responses": (Responses(), Place("https://api.openai.com/v1", ("OPENAI_API_KEY",), "OPENAI_BASE_URL")),
    "anthropic": (Anthropic(), Place("https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",), "ANTHROPIC_BASE_URL")),
    "gemini": (
        Gemini(),
        Place("https://generativelanguage.googleapis.com/v1beta", ("GEMINI_API_KEY", "GOOGLE_API_KEY"), ""),
    ),
    "bedrock": (Bedrock(), Place("https://bedrock-runtime.{AWS_REGION}.amazonaws.com", ("AWS_BEARER_TOKEN_BEDROCK",))),
    "cohere": (Cohere(), Place("https://api.cohere.com/v2", ("CO_API_KEY", "COHERE_API_KEY"), "CO_API_URL")),
    "ollama": (Ollama(), Place("http://localhost:11434/api", ("OLLAMA_API_KEY",), "OLLAMA_HOST")),
    "deepseek": (Chat(), Place("https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",))),
    "groq": (Chat(), Place("https://api.groq.com/openai/v1", ("GROQ_API_KEY",))),
    "mistral": (Mistral(), Place("https://api.mistral.ai/v1", ("MISTRAL_API_KEY",))),
    "openrouter": (Chat(), Place("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",))),
}
"""By the word before the colon in the name of a model."""
