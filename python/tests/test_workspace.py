"""This workspace has the lints and the profiles of the main one."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import ROOT

tomllib: Any = pytest.importorskip("tomllib", reason="SKIPPED: tomllib is of Python 3.11")


def manifest(path: str) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / path).read_text(encoding="utf-8"))
    return found


@pytest.fixture(autouse=True)
def before_a_release(is_full: bool) -> None:
    """A change of the main workspace goes in without one of this; before a release both are the same again."""
    if not is_full:
        pytest.skip("SKIPPED: the manifests are compared with --full")


def test_lints_and_profiles_are_those_of_the_main_workspace() -> None:
    main, own = manifest("Cargo.toml"), manifest("python/Cargo.toml")
    assert own["lints"] == main["workspace"]["lints"]
    assert own["profile"] == main["profile"]
    shared = ("version", "edition", "rust-version", "license", "repository", "homepage")
    assert {key: own["package"][key] for key in shared} == {key: main["workspace"]["package"][key] for key in shared}


def test_versions_are_those_of_the_main_lock() -> None:
    main, own = manifest("Cargo.lock"), manifest("python/Cargo.lock")
    versions: dict[str, set[str]] = {}
    for package in main["package"]:
        versions.setdefault(package["name"], set()).add(package["version"])
    others = {
        package["name"]: package["version"]
        for package in own["package"]
        if package["name"] in versions and package["version"] not in versions[package["name"]]
    }
    assert others == {}, "copy the main Cargo.lock, and let cargo add what is missing"
