import socket
import time


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
