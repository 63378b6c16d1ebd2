import http.cookies
import json
import socket
import time

import httpx
import pytest

from lowbid.service import _guard, _hashed_secrets, _sessions, create_app
from lowbid.service.api_keys import list_keys, make_key, revoke_key
from lowbid.shared.stores import store_at
from service.conftest import running

PLACES = [
    ("GET", "/v1/experiments"),
    ("POST", "/v1/experiments"),
    ("GET", "/v1/experiments/checkout"),
    ("PATCH", "/v1/experiments/checkout"),
    ("POST", "/v1/experiments/checkout/arms"),
    ("POST", "/v1/experiments/checkout/decisions"),
    ("POST", "/v1/experiments/checkout/outcomes"),
    ("GET", "/v1/experiments/checkout/overview"),
    ("GET", "/v1/experiments/checkout/log"),
    ("GET", "/v1/experiments/checkout/snapshot"),
    ("GET", "/v1/session"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
]
BODIES = {
    "/v1/experiments": {"name": "new", "arms": ["a"]},
    "/v1/experiments/checkout": {"archived": True},
    "/v1/experiments/checkout/arms": {"arm": "green", "change": "pause"},
    "/v1/experiments/checkout/outcomes": {"decision": "a-1", "reward": 1},
}


def ask(client, method, path):
    body = None if method == "GET" else BODIES.get(path, {})
    return client.request(method, path, json=body)


@pytest.mark.parametrize(("method", "path"), PLACES)
def test_without_a_key_nothing_is_answered_but_health(shop, method, path):
    for headers in ({}, {"Authorization": "Bearer lowbid_0_x"}, {"Authorization": "Basic eA=="}):
        with httpx.Client(base_url=shop.address, headers=headers) as client:
            answer = ask(client, method, path)
        assert answer.status_code == 401
        assert answer.headers["content-type"] == "application/problem+json"
    assert shop.nobody.get("/healthz").status_code == 200
    assert shop.nobody.get("/readyz").status_code == 200


def test_roles(shop):
    allowed = {"decide": {"decisions", "outcomes"}, "read": {"overview", "log", "snapshot"}}
    for method, path in PLACES:
        last = path.rpartition("/")[2]
        if last in ("session", "openapi.json"):
            continue
        for role in ("decide", "read"):
            status = ask(getattr(shop, role), method, path).status_code
            reading = method == "GET" and role == "read"
            assert (status != 403) == (last in allowed[role] or reading), (role, path)


def test_a_key_for_one_experiment(shop):
    shop.make("basket")
    key = make_key(store_at(shop.url), "scoped", ["admin"], ["basket"])
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=shop.address, headers=headers) as scoped:
        seen = scoped.get("/v1/experiments").json()["experiments"]
        assert [each["name"] for each in seen] == ["basket"]
        assert scoped.get("/v1/experiments/basket").status_code == 200
        assert scoped.get("/v1/experiments/checkout").status_code == 403
        assert scoped.get("/metrics").status_code == 403
        body = {"name": "third", "arms": ["a"]}
        assert scoped.post("/v1/experiments", json=body).status_code == 403


def test_a_revoked_key_opens_nothing(shop, monkeypatch):
    monkeypatch.setattr(_guard, "KEYS_ARE_GOOD_FOR", -1.0)
    monkeypatch.setattr(_guard, "_PAUSE", 0.0)
    assert shop.read.get("/v1/experiments").status_code == 200
    revoke_key(store_at(shop.url), "read")
    assert shop.read.get("/v1/experiments").status_code == 401


def test_keys_are_kept_as_salted_hashes(url):
    store = store_at(url)
    first, second = make_key(store, "a", ["read"]), make_key(store, "b", ["read"])
    with store.transaction(write=False) as transaction:
        kept = "".join(transaction.documents("keys").values())
    assert first.split("_", 2)[2] not in kept  # a secret may have underscores of its own
    keys = list_keys(store)
    assert keys[0].salt != keys[1].salt
    assert keys[0].fits(first.split("_", 2)[2])
    assert not keys[0].fits(second.split("_", 2)[2])


def test_secrets_are_found_by_their_ids_and_compared_in_constant_time(shop, monkeypatch):
    compared, compare = [], _hashed_secrets.hmac.compare_digest

    def noting(first, second):
        compared.append((first, second))
        return compare(first, second)

    monkeypatch.setattr(_hashed_secrets.hmac, "compare_digest", noting)
    assert shop.read.get("/v1/experiments").status_code == 200
    # One comparison with the hash of this key alone, whatever other keys there are.
    [key] = [key for key in list_keys(store_at(shop.url)) if key.name == "read"]
    assert compared == [(key.digest, key.digest)]
    compared.clear()
    wrong = shop.keys["read"][:-1] + ("A" if shop.keys["read"][-1] != "A" else "B")
    with httpx.Client(base_url=shop.address, headers={"Authorization": f"Bearer {wrong}"}) as other:
        assert other.get("/v1/experiments").status_code == 401
    assert {second for _, second in compared} == {key.digest}
    assert all(len(first) == len(second) == 64 for first, second in compared)


def sign_in(shop, role="admin"):
    answer = shop.nobody.post("/v1/session", json={"key": shop.keys[role]})
    assert answer.status_code == 200
    return answer


def test_the_session_of_the_page(shop):
    answer = sign_in(shop)
    [cookie] = http.cookies.SimpleCookie(answer.headers["set-cookie"]).values()
    assert cookie["httponly"]
    assert cookie["samesite"].lower() == "strict"
    assert shop.keys["admin"].rpartition("_")[2] not in cookie.value
    path, change = "/v1/experiments/checkout/arms", {"arm": "green", "change": "pause"}
    assert shop.nobody.get("/v1/experiments").status_code == 200
    assert shop.nobody.post(path, json=change).status_code == 403  # a forged form
    for token in ("", "0" * 64):
        headers = {"X-Lowbid-Token": token}
        assert shop.nobody.post(path, json=change, headers=headers).status_code == 403
    headers = {"X-Lowbid-Token": answer.json()["token"]}
    assert shop.nobody.post(path, json=change, headers=headers).status_code == 200
    shop.nobody.request("DELETE", "/v1/session")
    assert shop.nobody.get("/v1/experiments").status_code == 401


def with_cookie(shop, cookie):
    return httpx.Client(base_url=shop.address, cookies={"lowbid_session": cookie})


def test_a_session_ends_with_its_key_and_cannot_be_made_up(shop, monkeypatch):
    monkeypatch.setattr(_guard, "KEYS_ARE_GOOD_FOR", -1.0)
    monkeypatch.setattr(_guard, "_PAUSE", 0.0)
    sign_in(shop)
    good = shop.nobody.cookies["lowbid_session"]
    other = "A" if good[-1] != "A" else "B"
    for bad in (good[:-1], good[:-1] + other, good + other, "x", "", shop.keys["admin"]):
        with with_cookie(shop, bad) as client:
            assert client.get("/v1/experiments").status_code == 401
    with httpx.Client(base_url=shop.address, headers={"Authorization": f"Bearer {good}"}) as client:
        assert client.get("/v1/experiments").status_code == 401
    assert shop.nobody.get("/v1/experiments").status_code == 200
    revoke_key(store_at(shop.url), "admin")
    assert shop.nobody.get("/v1/experiments").status_code == 401


def test_a_session_that_was_signed_out_is_over_for_whoever_has_its_cookie(shop):
    sign_in(shop)
    cookie = shop.nobody.cookies["lowbid_session"]
    with with_cookie(shop, cookie) as thief:
        assert thief.get("/v1/experiments").status_code == 200
        assert shop.nobody.request("DELETE", "/v1/session").status_code == 204
        assert thief.get("/v1/experiments").status_code == 401
        assert thief.request("DELETE", "/v1/session").status_code == 204  # nothing to end


def test_sessions_are_those_of_all_servers_on_a_store(shop, monkeypatch):
    sign_in(shop)
    cookie = shop.nobody.cookies["lowbid_session"]
    with running(create_app(shop.url)) as address:
        with httpx.Client(base_url=address, cookies={"lowbid_session": cookie}) as elsewhere:
            assert elsewhere.get("/v1/experiments").status_code == 200
            sign_in(shop)  # a second session, of which the other server knows nothing yet
            second = {"lowbid_session": shop.nobody.cookies["lowbid_session"]}
            with httpx.Client(base_url=address, cookies=second) as client:
                assert client.get("/v1/experiments").status_code == 200
                assert client.request("DELETE", "/v1/session").status_code == 204
            assert elsewhere.get("/v1/experiments").status_code == 200
        monkeypatch.setattr(_guard, "KEYS_ARE_GOOD_FOR", -1.0)  # as if 2 seconds had passed
        assert shop.nobody.get("/v1/experiments").status_code == 401


def test_the_server_knows_when_a_session_ends(shop, monkeypatch):
    monkeypatch.setattr(_sessions, "SESSION_SECONDS", 1000)
    sign_in(shop)
    clock, later = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: clock() + later[0])
    cookie = shop.nobody.cookies["lowbid_session"]  # a browser would forget it, a thief would not
    for later[0], status in ((900.0, 200), (1100.0, 401)):
        with with_cookie(shop, cookie) as client:
            assert client.get("/v1/experiments").status_code == status
    sign_in(shop)  # drops what is over
    assert len(documents(shop.url, "sessions")) == 1


def test_a_key_has_a_limited_number_of_sessions(shop, monkeypatch):
    monkeypatch.setattr(_sessions, "SESSIONS_PER_KEY", 2)
    cookies = []
    for role in ("admin", "read", "read", "read"):
        sign_in(shop, role)
        cookies.append(shop.nobody.cookies["lowbid_session"])
    found = []
    for cookie in cookies:
        with with_cookie(shop, cookie) as client:
            found.append(client.get("/v1/experiments").status_code)
    assert found == [200, 401, 200, 200]


def documents(url, space):
    store = store_at(url)
    with store.transaction(write=False) as transaction:
        found = transaction.documents(space)
    store.close()
    return found


def test_who_reads_the_store_cannot_sign_in(shop, tmp_path):
    sign_in(shop)
    cookie = shop.nobody.cookies["lowbid_session"]
    files = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for text in (*shop.keys.values(), cookie, sign_in(shop).json()["token"]):
        identity, secret = text.removeprefix("lowbid_")[:12], text[-43:]
        assert (identity.encode() in files) == text.startswith("lowbid_")
        assert secret.encode() not in files
    assert documents(shop.url, "secrets") == {}
    [*records] = [json.loads(body) for body in documents(shop.url, "sessions").values()]
    assert {*records[0]} == {"id", "salt", "digest", "key", "until"}
    for record in records:
        for secret in (record["digest"], record["digest"][:43], record["salt"]):
            with with_cookie(shop, f"lowbid_{record['id']}_{secret}") as client:
                assert client.get("/v1/experiments").status_code == 401


def test_no_secret_is_in_an_error(shop):
    secret = "lowbid_0123456789ab_" + "s" * 43
    headers = {"Authorization": f"Bearer {secret}"}
    with httpx.Client(base_url=shop.address, headers=headers) as client:
        assert secret not in client.get("/v1/experiments").text
    assert secret not in shop.nobody.post("/v1/session", json={"key": secret}).text
    wrong = shop.nobody.post("/v1/session", json={"key": [secret]})
    assert wrong.status_code == 422
    assert secret not in wrong.text


def test_without_keys_everybody_may_do_everything(url):
    with running(create_app(url, keys=False)) as address, httpx.Client(base_url=address) as client:
        assert client.post("/v1/experiments", json={"name": "a", "arms": ["x"]}).status_code == 201
        assert client.get("/v1/experiments/a/overview").status_code == 200
        refused = client.post("/v1/session", json={"key": "lowbid_x"})
        assert refused.status_code == 409
        assert "needs no keys" in refused.json()["detail"]


def test_without_keys_pages_of_other_sites_change_nothing(url):
    with running(create_app(url, keys=False)) as address, httpx.Client(base_url=address) as client:
        client.post("/v1/experiments", json={"name": "a", "arms": ["x"]})
        for site, status in [("cross-site", 403), ("same-site", 403), ("same-origin", 200)]:
            sent = client.post("/v1/experiments/a/decisions", headers={"Sec-Fetch-Site": site})
            assert sent.status_code == status, site
        assert client.get("/v1/experiments", headers={"Sec-Fetch-Site": "cross-site"}).is_success


def test_without_keys_pages_of_other_origins_change_nothing(url):
    with running(create_app(url, keys=False)) as address, httpx.Client(base_url=address) as client:
        client.post("/v1/experiments", json={"name": "a", "arms": ["x"]})
        port = address.rpartition(":")[2]
        elsewhere = ["https://evil.example", "null", "", f"http://localhost.evil.example:{port}",
                     "http://127.0.0.1:1", f"http://evil.example/{address}"]  # fmt: skip
        for origin, status in [(address, 200), *((origin, 403) for origin in elsewhere)]:
            headers = {"Origin": origin}
            sent = client.post("/v1/experiments/a/decisions", headers=headers)
            assert sent.status_code == status, origin
            assert client.get("/v1/experiments", headers=headers).is_success
        # A proxy may change Host; what the browser found out itself is what counts.
        proxied = {"Origin": "http://localhost:1", "Sec-Fetch-Site": "same-origin"}
        assert client.post("/v1/experiments/a/decisions", headers=proxied).is_success


OWN = ["localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.8.9.1", "[::1]", "localhost:8080",
       "127.0.0.1:80", "[::1]:8080"]  # fmt: skip
FOREIGN = ["evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
           "192.168.0.7", "0.0.0.0", "[::]", "[fe80::1]:8080", "", "[", ":8080",
           "evil.example:127.0.0.1", "[::1].evil.example", "localhost@evil.example"]  # fmt: skip


def test_without_keys_only_names_of_this_machine_are_answered(url):
    with running(create_app(url, keys=False)) as address, httpx.Client(base_url=address) as client:
        client.post("/v1/experiments", json={"name": "a", "arms": ["x"]})
        for path in ("/v1/experiments", "/", "/healthz", "/v1/session"):
            for host in OWN:
                assert client.get(path, headers={"Host": host}).status_code == 200, host
            for host in FOREIGN:
                answer = client.get(path, headers={"Host": host})
                assert answer.status_code == 421, host
                assert answer.json()["type"] == "urn:lowbid:problem:other-host"
        rebound = {"Host": "evil.example", "Sec-Fetch-Site": "same-origin"}
        assert client.post("/v1/experiments/a/decisions", headers=rebound).status_code == 421
    with running(create_app(url, keys=False)) as address:
        for hosts in ("Host: localhost\r\nHost: evil.example\r\n", ""):
            with socket.create_connection(address.removeprefix("http://").split(":")) as sender:
                sender.sendall(f"GET /v1/experiments HTTP/1.1\r\n{hosts}\r\n".encode())
                assert sender.recv(4096).split()[1] in (b"421", b"400")  # the parser may refuse it


def test_with_keys_any_name_is_answered(shop):
    assert shop.read.get("/v1/experiments", headers={"Host": "shop.example"}).status_code == 200
