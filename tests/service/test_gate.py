import socket
import time

import pytest


def test_a_body_that_is_too_large(shop):
    path = "/v1/experiments/checkout/outcomes"
    answer = shop.decide.post(path, content=b"[" + b" " * 200_000 + b"]")
    assert answer.status_code == 413
    chunks = (b" " * 10_000 for _ in range(20))
    assert shop.decide.post(path, content=chunks).status_code == 413


def test_a_half_sent_body_is_given_up_and_stops_nobody(shop):
    host, port = shop.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as slow:
        head = (
            f"POST /v1/experiments/checkout/decisions HTTP/1.1\r\nHost: {host}\r\n"
            f"Authorization: Bearer {shop.keys['decide']}\r\n"
            "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        )
        slow.sendall(head.encode())
        began = time.monotonic()
        assert shop.decide.post("/v1/experiments/checkout/decisions", json={}).status_code == 200
        assert time.monotonic() - began < 1.0
        slow.settimeout(10)
        assert b"408" in slow.recv(4096).split(b"\r\n")[0]


def test_browsers_are_told_to_load_nothing_from_elsewhere(shop):
    headers = shop.nobody.get("/healthz").headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/experiments"),
        ("PATCH", "/v1/experiments/checkout"),
        ("POST", "/v1/experiments/checkout/arms"),
        ("POST", "/v1/experiments/checkout/decisions"),
        ("POST", "/v1/experiments/checkout/outcomes"),
        ("GET", "/v1/experiments/checkout/recommend?confidence=7"),
        ("GET", "/no/such/address"),
        ("PUT", "/v1/experiments"),
        ("OPTIONS", "/v1/experiments"),
        ("DELETE", "/healthz"),
    ],
)
def test_without_a_key_nothing_is_said_of_a_wrong_request(shop, method, path):
    headers = {"Content-Type": "application/json"}
    answer = shop.nobody.request(method, path, content='{"n": "wrong"', headers=headers)
    assert answer.status_code == 401
    assert answer.json()["type"] == "urn:lowbid:problem:key-needed"


def test_without_a_key_no_body_is_waited_for(shop):
    host, port = shop.address.removeprefix("http://").split(":")
    head = "POST /v1/experiments HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"
    with socket.create_connection((host, int(port))) as sender:
        sender.sendall(head.encode())
        sender.settimeout(0.8)  # a body has 1 s to arrive
        assert b"401" in sender.recv(4096).split(b"\r\n")[0]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "json", ""])
@pytest.mark.parametrize("place", ["", "/checkout/decisions", "/checkout/outcomes"])
def test_a_body_that_is_not_json_is_told_so(shop, kind, place):
    headers = {"Content-Type": kind} if kind else {}
    answer = shop.admin.post(f"/v1/experiments{place}", content="{}", headers=headers)
    assert answer.status_code == 415
    assert "application/json" in answer.json()["detail"]


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/LD+JSON"])
def test_json_by_other_names(shop, kind):
    path, headers = "/v1/experiments/checkout/decisions", {"Content-Type": kind}
    assert shop.decide.post(path, content="{}", headers=headers).status_code == 200


BODIES = [
    "", "{}", '{"n": 2}', '{"n": 0}', '{"n": 1001}', '{"n": 1e3}', "null", "[]", '{"x": 1}', "{",
    '{"decision": "0-1", "reward": 1}', '[{"decision": "0-1", "reward": 1}]', '{"unit": "\\u0000"}',
    '[{"decision": "0-1", "loss": 1, "reward": 1}]', '{"decision": "0-1", "reward": 7}',
    '{"decision": "0-1", "reward": NaN}', '{"unit": "\\ud800"}', "[" * 5000, '{"n": ' + "9" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("place", ["checkout/decisions", "checkout/outcomes", "nope/decisions"])
def test_whatever_is_sent_is_answered_or_refused_in_words(shop, place):
    headers = {"Content-Type": "application/json"}
    for body in BODIES:
        answer = shop.decide.post(f"/v1/experiments/{place}", content=body, headers=headers)
        assert answer.status_code in (200, 404, 422)
        assert answer.status_code != 200 or place.startswith("checkout")
        if answer.status_code != 200:
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["detail"]
