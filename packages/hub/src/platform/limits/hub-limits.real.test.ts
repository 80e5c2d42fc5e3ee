// The limits in a whole hub: what a client sees, and that others don't see it.
import type { Link, LinkStream, StreamAcceptor } from "@fairlead/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, dial, enroll, openTestHub, sayHello, type TestHub } from "../../hub.fixture.ts";

let harness: TestHub;
const links: Link[] = [];
/** Requests that the agents haven't answered. */
const held: LinkStream[] = [];
const hold: StreamAcceptor = (stream) => {
  held.push(stream);
  return { onData() {}, onEnd() {}, onReset() {} };
};

beforeAll(async () => {
  harness = await openTestHub({ args: ["--limit-cluster-requests", "2", "--limit-cluster-streams", "1"] });
  for (const cluster of ["busy", "quiet"]) {
    const link = await dial(await enroll(cluster, harness), harness, hold);
    await sayHello(link, cluster);
    links.push(link);
  }
}, 60_000);
afterAll(async () => {
  for (const link of links) link.close("over");
  await harness[Symbol.asyncDispose]();
});

const ask = (path: string): ReturnType<typeof call> => call(harness.hub.peopleUrl, path, { headers: harness.admin });

async function answerAll(): Promise<void> {
  for (const stream of held.splice(0)) {
    stream.respond({ status: 200, headers: ["Content-Length", "2"] });
    stream.write(Buffer.from("ok"));
    stream.end();
  }
}

describe("a cluster that has as much in flight as it may", () => {
  it("answers 429 as a Status with Retry-After, while others go on, and takes more as soon as it has room", async () => {
    const first = [ask("/k8s/clusters/busy/api/v1/pods"), ask("/k8s/clusters/busy/api/v1/nodes")];
    await expect.poll(() => held.length).toBe(2);

    const refused = await ask("/k8s/clusters/busy/api/v1/pods");
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "1"]);
    expect(refused.json).toMatchObject({
      kind: "Status",
      reason: "TooManyRequests",
      code: 429,
      details: { causes: [{ reason: "LIMIT_CLUSTER_REQUESTS" }], retryAfterSeconds: 1 },
    });

    const quiet = ask("/k8s/clusters/quiet/api/v1/pods");
    await expect.poll(() => held.length).toBe(3);
    await answerAll();
    expect((await Promise.all([...first, quiet])).map(({ status }) => status)).toEqual([200, 200, 200]);
    const again = ask("/k8s/clusters/busy/api/v1/pods");
    await expect.poll(() => held.length).toBe(1);
    await answerAll();
    expect((await again).text).toBe("ok");
  });

  it("counts watches apart", async () => {
    const watch = ask("/k8s/clusters/busy/api/v1/pods?watch=1");
    await expect.poll(() => held.length).toBe(1);
    const refused = await ask("/k8s/clusters/busy/api/v1/pods?watch=1");
    expect(refused.json).toMatchObject({ code: 429, details: { causes: [{ reason: "LIMIT_CLUSTER_STREAMS" }] } });
    const list = ask("/k8s/clusters/busy/api/v1/pods");
    await expect.poll(() => held.length).toBe(2);
    await answerAll();
    expect((await Promise.all([watch, list])).map(({ status }) => status)).toEqual([200, 200]);
  });

  it("shows in the metrics and in the audit records", async () => {
    const { text } = await ask("/metrics");
    expect(text).toContain('fairlead_limits_refused_total{code="LIMIT_CLUSTER_REQUESTS"} 1');
    expect(text).toMatch(/^fairlead_limits_active 0$/m);
    const { items } = (await ask("/api/v1/audit?cluster=busy")).json as { items: { code?: string; phase: string }[] };
    expect(items.map(({ code }) => code)).toEqual(
      expect.arrayContaining(["LIMIT_CLUSTER_REQUESTS", "LIMIT_CLUSTER_STREAMS"]),
    );
  });
});
