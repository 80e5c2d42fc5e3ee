// A request takes a link, waits for one, or tries another one.
import { untilAbort } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import { type Link, type OpenHead, resetCodes, type StreamAcceptor } from "@fairlead/protocol";
import { describe, expect, it } from "vitest";
import { spyOn } from "./ports.fixture.ts";
import { authorized, openProxyHarness, type ProxyHarness, sendRaw } from "./proxy-harness.fixture.ts";
import { upgradeText } from "./upgrades.fixture.ts";

describe("a request for a cluster whose link is about to return", () => {
  it("waits for it, body and all", async () => {
    const usable = Promise.withResolvers<boolean>();
    let isUp = false;
    await using harness: ProxyHarness = await openProxyHarness({
      upstream: (req, res) => void req.pipe(res),
      ports: {
        connections: () => (isUp ? [spyOn(harness.hubLink, [])] : []),
        whenUsable: () => usable.promise,
      },
    });
    const answer = fetch(`${harness.url}/api`, { method: "POST", body: "hello", headers: authorized });
    await until(() => harness.proxy.counters.active === 1, "a request that waits");
    isUp = true;
    usable.resolve(true);
    expect(await (await answer).text()).toBe("hello");
  });

  it("is told to try again when it doesn't return in time", async () => {
    const asked: number[] = [];
    await using harness = await openProxyHarness({
      returnMs: 4_321,
      ports: {
        connections: () => [],
        whenUsable: async (_, { timeoutMs }) => {
          asked.push(timeoutMs);
          return false;
        },
      },
    });
    const answer = await fetch(`${harness.url}/api`, { headers: authorized });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(asked).toEqual([4_321]);
  });

  it("is told to try again when its link is still cut after the wait, whatever else is connected", async () => {
    await using harness = await openProxyHarness({
      returnMs: 100,
      ports: {
        connections: () => [],
        absence: () => ({ state: "connected", sinceMs: 0, lostMs: undefined }),
        whenUsable: (_, { timeoutMs }) => new Promise((resolve) => setTimeout(() => resolve(false), timeoutMs)),
      },
    });
    const answer = await fetch(`${harness.url}/api`, { headers: authorized });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining("isn't back yet") });
  });

  it("waits only so long for a link that never introduces itself", async () => {
    await using harness: ProxyHarness = await openProxyHarness({
      returnMs: 200,
      ports: { connections: () => [{ link: harness.hubLink }], whenUsable: async () => true },
    });
    expect((await fetch(`${harness.url}/api`, { headers: authorized })).status).toBe(503);
  });

  it("stops waiting when its client hangs up", async () => {
    let signal: AbortSignal | undefined;
    await using harness = await openProxyHarness({
      ports: {
        connections: () => [],
        whenUsable: (_, options) => {
          signal = options.signal;
          return untilAbort(options.signal).then(() => false);
        },
      },
    });
    const stop = new AbortController();
    const asked = fetch(`${harness.url}/api`, { headers: authorized, signal: stop.signal });
    await until(() => signal !== undefined, "the wait");
    stop.abort();
    await expect(asked).rejects.toThrow();
    await until(() => signal?.aborted === true && harness.proxy.counters.active === 0, "its end");
  });

  it.each(["new", "revoked"])("doesn't wait when the cluster is %s", async (cluster) => {
    let asked = 0;
    await using harness = await openProxyHarness({
      ports: {
        whenUsable: async () => {
          asked += 1;
          return false;
        },
      },
    });
    const url = `http://127.0.0.1:${harness.port}/k8s/clusters/${cluster}/api`;
    expect((await fetch(url, { headers: authorized })).status).toBe(503);
    expect(asked).toBe(0);
  });
});

describe("a request whose stream ends before its answer", () => {
  it.each([resetCodes.linkLost, resetCodes.goingAway, resetCodes.refused])(
    "by reset %d is sent once more over another link when it only reads",
    async (code) => {
      const { harness, opened } = await openFailing(code, 1);
      await using _ = harness;
      const answer = await fetch(`${harness.url}/api`, { headers: authorized });
      expect([answer.status, await answer.text()]).toEqual([200, "ok"]);
      expect(opened.map(({ path }) => path)).toEqual(["/api", "/api"]);
    },
  );

  it("is sent twice at most", async () => {
    const { harness, opened } = await openFailing(resetCodes.linkLost, 5);
    await using _ = harness;
    expect((await fetch(`${harness.url}/api`, { headers: authorized })).status).toBe(503);
    expect(opened).toHaveLength(2);
  });

  it.each([
    ["POST", resetCodes.linkLost],
    ["DELETE", resetCodes.refused],
    ["GET", resetCodes.upstreamBroken],
    ["GET", resetCodes.deadline],
  ] as const)("isn't sent again for %s by reset %d", async (method, code) => {
    const { harness, opened } = await openFailing(code, 1);
    await using _ = harness;
    expect((await fetch(`${harness.url}/api`, { method, headers: authorized })).status).toBeGreaterThanOrEqual(500);
    expect(opened).toHaveLength(1);
  });

  it.each(["DELETE", "GET"] as const)("is sent again for %s when the other side was leaving", async (method) => {
    const { harness, opened } = await openFailing(resetCodes.goingAway, 2);
    await using _ = harness;
    expect((await fetch(`${harness.url}/api`, { method, headers: authorized })).status).toBe(200);
    expect(opened).toHaveLength(3);
  });

  it.each([
    [resetCodes.goingAway, 101, 2],
    [resetCodes.linkLost, 503, 1],
    [resetCodes.refused, 502, 1],
  ])("as an upgrade, by reset %d, is answered with %d after %d tries", async (code, status, tries) => {
    const { harness, opened } = await openFailing(code, 1);
    await using _ = harness;
    expect((await sendRaw(harness.port, `${upgradeText("websocket")}\r\n`)).status).toBe(status);
    expect(opened.map(({ upgrade }) => upgrade)).toEqual(Array.from({ length: tries }, () => true));
    await until(() => harness.proxy.counters.activeUpgrades === 0, "its end");
  });

  it("isn't sent again when its body is gone", async () => {
    const { harness, opened } = await openFailing(resetCodes.goingAway, 1);
    await using _ = harness;
    const answer = await fetch(`${harness.url}/api`, { method: "POST", body: "{}", headers: authorized });
    expect([answer.status, opened.length]).toEqual([503, 1]);
  });

  it("isn't sent again once something of the answer has come", async () => {
    const opened: OpenHead[] = [];
    const accept: StreamAcceptor = (stream) => {
      stream.respond({ status: 200, headers: [] });
      stream.write(Buffer.from("half"));
      setTimeout(() => stream.reset(resetCodes.linkLost), 20);
      return { onData() {}, onEnd() {}, onReset() {} };
    };
    await using harness: ProxyHarness = await openProxyHarness({
      accept,
      ports: { connections: () => [spyOn(harness.hubLink, opened)] },
    });
    const answer = await fetch(`${harness.url}/api`, { headers: authorized });
    await expect(answer.text()).rejects.toThrow();
    expect(opened).toHaveLength(1);
  });
});

/** The first so many streams end in a reset; later ones are answered. */
async function openFailing(code: (typeof resetCodes)[keyof typeof resetCodes], failures: number) {
  const opened: OpenHead[] = [];
  let left = failures;
  const accept: StreamAcceptor = (stream) => {
    if (left > 0) {
      left -= 1;
      queueMicrotask(() => stream.reset(code));
    } else {
      if (stream.open.upgrade) stream.respond({ status: 101, headers: ["Connection", "Upgrade"] });
      else stream.respond({ status: 200, headers: ["Content-Length", "2"] });
      stream.write(Buffer.from("ok"));
      stream.end();
    }
    return { onData() {}, onEnd() {}, onReset() {} };
  };
  const links: { hub?: Link } = {};
  const harness = await openProxyHarness({
    accept,
    ports: { connections: () => (links.hub ? [spyOn(links.hub, opened)] : []) },
  });
  links.hub = harness.hubLink;
  return { harness, opened };
}
