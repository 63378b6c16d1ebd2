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
