// A client for lowbid's service, for Node 18+ and for servers of other kinds that have `fetch`.
// Requests can be repeated, so an answer that was lost on its way costs nothing but time.
export class Lowbid {
  constructor(url, key, retries = 4) {
    Object.assign(this, { url, key, retries });
  }

  async send(path, body) {
    for (let attempt = 0; ; attempt++) {
      const wait = () => new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
      try {
        const answer = await fetch(`${this.url}/v1/experiments/${path}`, {
          method: "POST",
          headers: { Authorization: `Bearer ${this.key}`, "Content-Type": "application/json" },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(10_000),
        });
        const found = await answer.json();
        if (answer.ok) return found;
        if (answer.status !== 503 || attempt >= this.retries) throw new Error(found.detail, { cause: answer.status });
      } catch (error) {
        if (error.cause >= 400 || attempt >= this.retries) throw error;
      }
      await wait();
    }
  }

  async decide(experiment, unit) {
    const found = await this.send(`${encodeURIComponent(experiment)}/decisions`, { unit, request_id: crypto.randomUUID() });
    return found.decisions[0]; // { id, arm, propensity, ... }
  }

  async report(experiment, decision, reward) {
    const found = await this.send(`${encodeURIComponent(experiment)}/outcomes`, { decision: decision.id, reward });
    return found.answers[0]; // null if it was recorded; "repeated", "conflict", "late", "removed" or "unknown"
  }
}
