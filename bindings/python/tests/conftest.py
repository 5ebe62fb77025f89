"""Fixtures that several tests use."""

from pathlib import Path

import numpy as np
import pytest

import sinew

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def mannequin() -> sinew.Character:
    return sinew.mannequin()


@pytest.fixture
def arm() -> sinew.Body:
    """Three bones of one metre each, straight up."""
    return sinew.Body.chain([(0, 0, 0), (0, 1, 0), (0, 1, 0), (0, 1, 0)])


@pytest.fixture
def targets() -> np.ndarray:
    """Targets in and out of reach of the arm."""
    return np.random.default_rng(3).uniform(-2.2, 2.2, size=(3000, 3))


@pytest.fixture(scope="session")
def assets() -> Path:
    """The characters of the repository."""
    return ROOT / "assets"
