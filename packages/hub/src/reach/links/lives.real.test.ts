// Links that the hub ends by itself, on a clock that is moved by hand.

import { createClient } from "@connectrpc/connect";
import type { Clock } from "@fairlead/kernel";
import { createMovableClock, type MovableClock } from "@fairlead/kernel/testing";
import { createLinkTransport, IdentityService, type LinkLimits } from "@fairlead/protocol";
import { createCsr } from "@fairlead/protocol/x509";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, call, dial, enroll, openTestHub, sayHello, type TestHub } from "../../hub.fixture.ts";

const minuteMs = 60_000;
// Moved by hours, a clock would find every link dead.
const linkLimits: Partial<LinkLimits> = { pingMs: 1e9, deadMs: 1e10 };
let clock: MovableClock;
let harness: TestHub;
let setBackMs = 0;

// A hub for each, because TLS itself looks at the real clock when an agent dials.
beforeEach(async () => {
  clock = createMovableClock(Date.now());
  setBackMs = 0;
  const wallClock: Clock = { ...clock, now: () => clock.now() - setBackMs };
  harness = await openTestHub({ clock: wallClock, linkLimits, config: { certificateTtlMs: 60 * minuteMs } });
}, 60_000);
afterEach(() => harness[Symbol.asyncDispose]());

describe("a link that never says Hello", () => {
  it("is closed after a while, with the reason, and another one that did goes on", async () => {
    const polite = await dial(await enroll("polite", harness), harness, answer("polite"));
    const silent = await dial(await enroll("silent", harness), harness, answer("silent"));
    await sayHello(polite, "polite");
    expect(await ask("silent")).toContain("PROXY_NOT_CONNECTED");
    clock.move(15_000);
    expect(await silent.closed).toEqual({ reason: "closed-by-peer", code: 1000, text: "no hello in time" });
    expect(await ask("polite")).toBe("polite");
    expect(await ask("silent")).toContain("PROXY_NOT_CONNECTED");
    polite.close("done");
  });
});

describe("a link whose certificate isn't renewed", () => {
  it("is cut when the certificate ends, and not before", async () => {
    const link = await dial(await enroll("careless", harness), harness, answer("careless"));
    await sayHello(link, "careless");
    clock.move(59 * minuteMs);
    expect(await ask("careless")).toBe("careless");
    clock.move(minuteMs);
    expect(await link.closed).toMatchObject({ reason: "closed-by-peer", text: "certificate expired" });
    expect(await ask("careless")).toContain("PROXY_NOT_CONNECTED");
  });
});

describe("a link whose certificate is renewed", () => {
  it("goes on for as long as that goes on, although the certificate it began with has ended", async () => {
    const identity = await enroll("careful", harness);
    const link = await dial(identity, harness, answer("careful"));
    await sayHello(link, "careful");
    const client = createClient(IdentityService, createLinkTransport({ link }));
    for (let round = 0; round < 4; round++) {
      clock.move(40 * minuteMs);
      expect(await ask("careful")).toBe("careful");
      const { csrDer } = await createCsr({ keyPem: identity.key ?? "" });
      await client.renew({ csrDer: Uint8Array.from(csrDer) });
    }
    clock.move(60 * minuteMs);
    expect(await link.closed).toMatchObject({ reason: "closed-by-peer", text: "certificate expired" });
  });
});

describe("a link that has closed", () => {
  it("leaves no timer behind that would keep it alive for as long as its certificate is good", async () => {
    const identity = await enroll("flapping", harness);
    const before = clock.pendingCount;
    for (let round = 0; round < 3; round++) {
      const link = await dial(identity, harness, answer("flapping"));
      await sayHello(link, "flapping");
      expect(clock.pendingCount).toBeGreaterThan(before);
      link.close("gone");
      // Other hubs are told soon that the agent was there, and that is over after a moment.
      const settle = (): number => {
        clock.move(1_000);
        return clock.pendingCount;
      };
      await expect.poll(settle).toBeLessThanOrEqual(before);
    }
  });
});

describe("a link whose hub's clock is set back", () => {
  it("is cut all the same when the certificate ends by that clock", async () => {
    const link = await dial(await enroll("timeless", harness), harness, answer("timeless"));
    await sayHello(link, "timeless");
    setBackMs = 5_000;
    clock.move(60 * minuteMs);
    expect(await ask("timeless")).toBe("timeless");
    clock.move(5_000);
    expect(await link.closed).toMatchObject({ reason: "closed-by-peer", text: "certificate expired" });
  });
});

async function ask(cluster: string): Promise<string> {
  return (await call(harness.hub.peopleUrl, `/k8s/clusters/${cluster}/api`, { headers: harness.admin })).text;
}
