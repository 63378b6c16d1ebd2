from prometheus_client.parser import text_string_to_metric_families as parsed


def test_metrics_tell_of_decisions_outcomes_and_commits(shop):
    path = "/v1/experiments/checkout"
    made = shop.decide.post(f"{path}/decisions", json={"n": 3}).json()["decisions"]
    outcomes = [{"decision": each["id"], "reward": 1.0} for each in made[:2]]
    shop.decide.post(f"{path}/outcomes", json=outcomes)
    shop.decide.post(f"{path}/outcomes", json=outcomes[:1])
    text = shop.read.get("/metrics").text
    for line in (
        'lowbid_decisions_total{experiment="checkout"} 3.0',
        'lowbid_outcomes_total{answer="taken",experiment="checkout"} 2.0',
        'lowbid_outcomes_total{answer="repeated",experiment="checkout"} 1.0',
        'lowbid_pending{experiment="checkout"} 1.0',
        'lowbid_request_seconds_count{route="/v1/experiments/{name}/decisions",status="200"} 1.0',
    ):
        assert line in text
    assert "lowbid_commit_calls_count" in text
    assert "lowbid_arm_share" in text


def test_metrics_are_what_prometheus_reads(shop):
    name = "home page"
    shop.make(name, arms=['<script>"\\\n', "ok"])
    shop.decide.post(f"/v1/experiments/{name}/decisions", json={})
    for _ in range(5):
        shop.read.get("/v1/experiments/checkout")
    families = {each.name: each for each in parsed(shop.read.get("/metrics").text)}
    assert {"lowbid_decisions", "lowbid_outcomes", "lowbid_pending", "lowbid_request_seconds"} <= {
        *families
    }
    arms = {each.labels["arm"] for each in families["lowbid_arm_share"].samples}
    assert '<script>"\\\n' in arms
    for family in ("lowbid_request_seconds", "lowbid_commit_calls"):
        buckets = {}
        for sample in families[family].samples:
            labels = {**sample.labels}
            edge = labels.pop("le", None)
            kind = buckets.setdefault(frozenset(labels.items()), {"le": []})
            if edge is None:
                kind[sample.name.rpartition("_")[2]] = sample.value
            else:
                kind["le"].append((float(edge), sample.value))
        for kind in buckets.values():
            assert kind["le"] == sorted(kind["le"])
            assert [count for _, count in kind["le"]] == sorted(count for _, count in kind["le"])
            assert kind["le"][-1] == (float("inf"), kind["count"])
            assert kind["sum"] > 0
    read = frozenset({("route", "/v1/experiments/{name}"), ("status", "200")})
    [seconds] = [
        sample.value
        for sample in families["lowbid_request_seconds"].samples
        if sample.name.endswith("_count") and frozenset(sample.labels.items()) == read
    ]
    assert seconds == 5


def test_made_up_names_and_addresses_make_no_series(shop):
    def ask(word):
        for client in (shop.nobody, shop.read, shop.decide, shop.admin):
            for path in (f"/{word}", f"/v1/experiments/{word}", f"/v1/experiments/{word}/log",
                         f"/v1/experiments/checkout/{word}", f"/static/{word}.js",
                         f"/v1/experiments/checkout?{word}=1"):  # fmt: skip
                client.get(path, headers={"X-Word": word, "User-Agent": word})
            client.request(word.upper(), "/v1/experiments")
            for place in ("decisions", "outcomes", "forget"):
                for body in ({"decision": word, "reward": 1}, {"unit": word}, {word: 1}):
                    for name in (word, "checkout"):
                        client.post(f"/v1/experiments/{name}/{place}", json=body)

    def series():
        shop.read.get("/metrics")  # which has a series of its own once it was asked for
        samples = (
            each for family in parsed(shop.read.get("/metrics").text) for each in family.samples
        )
        return {(each.name, *sorted(each.labels.items())) for each in samples}

    ask("some")
    before = series()
    for number in range(5):
        ask(f"word{number}")
    assert series() == before
