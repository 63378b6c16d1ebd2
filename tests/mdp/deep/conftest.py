import jax
import pytest


@pytest.fixture(autouse=True)
def compile_quickly(request):
    """Tests compile much and run little, except for the slow ones."""
    jax.config.update("jax_disable_most_optimizations", "slow" not in request.keywords)
    yield
    jax.config.update("jax_disable_most_optimizations", False)
