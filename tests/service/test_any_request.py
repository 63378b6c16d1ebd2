"""Requests of any kind, made from the OpenAPI document: none is answered with a server error."""

import json

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=True),
    st.text(max_size=20),
    st.sampled_from(["", "a", "checkout", "0-1", "1h", "<b>", "\x00", "blue", "ucb1", "\u202e"]),
)
VALUES = st.recursive(ODD, lambda inner: st.lists(inner, max_size=3), max_leaves=5)


def operations(openapi):
    """All addresses with their methods and the names of the fields that their bodies have."""
    schemas = openapi["components"]["schemas"]
    for path, methods in openapi["paths"].items():
        for method, what in methods.items():
            text = json.dumps(what.get("requestBody", {}))
            fields = [
                name
                for each, schema in schemas.items()
                if f"schemas/{each}" in text
                for name in schema.get("properties", {})
            ]
            yield path, method.upper(), fields


@pytest.fixture
def places(shop):
    return list(operations(shop.admin.get("/openapi.json").json()))


def test_the_document_describes_every_address(places):
    found = {(method, path) for path, method, _ in places}
    assert ("POST", "/v1/experiments/{name}/decisions") in found
    assert len(found) >= 15
    assert all(fields for path, method, fields in places if path.endswith("decisions"))


@pytest.mark.slow
def test_no_request_is_answered_with_a_server_error(shop, places):
    @settings(
        max_examples=300,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def ask(data):
        path, method, fields = data.draw(st.sampled_from(places))
        name = data.draw(st.sampled_from(["checkout", "checkout", "nope", "%00", "%F0", "a b"]))
        body = data.draw(st.dictionaries(st.sampled_from(fields), VALUES)) if fields else {}
        if path.endswith("/outcomes") and data.draw(st.booleans()):
            body = [body]
        text = data.draw(st.sampled_from([json.dumps(body), "", "[", '"x"']))
        kind = data.draw(st.sampled_from(["application/json", "application/json", "text/plain"]))
        query = data.draw(st.sampled_from(["", "?confidence=2", "?confidence=nan", "?after=-1"]))
        if path.startswith("/v1/session") and method == "DELETE":
            return
        address, headers = path.replace("{name}", name) + query, {"Content-Type": kind}
        answer = shop.admin.request(method, address, content=text, headers=headers)
        assert answer.status_code < 500, (method, path, text, answer.text)
        if answer.status_code >= 400:
            assert answer.json()["detail"]

    ask()
    assert shop.admin.get("/v1/experiments/checkout").status_code == 200
