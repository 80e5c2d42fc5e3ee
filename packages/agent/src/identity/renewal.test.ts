import type { Clock } from "@fairlead/kernel";
import { createMovableClock, createSkippingClock } from "@fairlead/kernel/testing";
import { createAuthority, createCsr, describeCertificate } from "@fairlead/protocol/x509";
import { expect, test, vi } from "vitest";
import type { IdentityKeeper } from "./keeper.ts";
import { createRenewSoon } from "./renew-soon.ts";
import { keepRenewed } from "./renewal.ts";
import type { IssuedIdentity } from "./storage.ts";

/** A keeper with a real certificate, and a clock that runs through waits at once. */
async function setUp(lifeMs: number): Promise<{
  clock: Clock;
  keeper: IdentityKeeper;
  notAfter: number;
}> {
  const authority = await createAuthority({ commonName: "hub", days: 1 });
  const { keyPem, csrDer } = await createCsr();
  const { certPem } = await authority.issueAgentCertificate({
    csrDer,
    trustDomain: "test",
    cluster: "east",
    roles: ["proxy"],
    ttlMs: lifeMs,
  });
  const current: IssuedIdentity = {
    keyPem,
    tokenId: "t",
    cluster: "east",
    roles: ["proxy"],
    certificateChainPem: certPem,
    caPem: authority.caPem,
  };
  const clock = createSkippingClock({ startMs: describeCertificate(certPem).notBefore });
  const keeper = { current, flush: async () => undefined, renew: vi.fn() } as unknown as IdentityKeeper;
  return { clock, keeper, notAfter: describeCertificate(certPem).notAfter };
}

// Certificates begin before they are issued, for clocks that are behind; a short one would be due at once by that.
test.each([
  [3_600_000, 0],
  [3_600_000, 0.5],
  [3_600_000, 0.99],
  [120_000, 0],
])("a certificate of %d ms is renewed after half of its life and a tenth times %d of it", async (lifeMs, random) => {
  const { clock, keeper, notAfter } = await setUp(lifeMs);
  const stop = new AbortController();
  let renewedAt = 0;
  vi.mocked(keeper.renew).mockImplementation(async () => {
    renewedAt = clock.now();
    stop.abort();
  });
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const issuer = () => async () => ({ certificateChainPem: "", caPem: "" });
  await keepRenewed({ keeper, hubNowMs: clock.now, issuer, clock, log, signal: stop.signal, random: () => random });
  const issuedAt = notAfter - lifeMs;
  const dueAt = issuedAt + lifeMs * (0.5 + random * 0.1);
  expect(renewedAt).toBeGreaterThanOrEqual(dueAt);
  expect(renewedAt).toBeLessThan(dueAt + 20_000);
});

test("a renewal that fails is tried again, and without a link it waits for one", async () => {
  const { clock, keeper } = await setUp(3_600_000);
  const stop = new AbortController();
  let fails = 0;
  vi.mocked(keeper.renew).mockImplementation(async () => {
    if (++fails < 4) throw new Error("no");
    stop.abort();
  });
  let asked = 0;
  const issue = async () => ({ certificateChainPem: "", caPem: "" });
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const issuer = () => (++asked < 200 ? undefined : issue);
  await keepRenewed({ keeper, hubNowMs: clock.now, issuer, clock, log, signal: stop.signal, random: () => 0 });
  expect(log.warn).toHaveBeenCalledTimes(3);
  expect(log.info).toHaveBeenCalledTimes(1);
});

test.each([0, 0.5, 0.99])("asked to, it renews within the time given, at %d of it, and once", async (random) => {
  const { clock, keeper } = await setUp(3_600_000);
  const stop = new AbortController();
  const renewSoon = createRenewSoon({ clock, random: () => random });
  const askedAt = clock.now();
  const renewedAt: number[] = [];
  vi.mocked(keeper.renew).mockImplementation(async () => {
    renewedAt.push(clock.now());
    // The certificate stays the same, so the next renewal is due by its life.
    if (renewedAt.length === 2) stop.abort();
  });
  renewSoon.ask(600_000);
  renewSoon.ask(10);
  const issuer = () => async () => ({ certificateChainPem: "", caPem: "" });
  await keepRenewed({
    keeper,
    hubNowMs: clock.now,
    issuer,
    renewSoon,
    clock,
    log,
    signal: stop.signal,
    random: () => 0,
  });
  const [first = 0, second = 0] = renewedAt;
  expect(first - askedAt).toBeGreaterThanOrEqual(600_000 * random);
  expect(first - askedAt).toBeLessThan(600_000 * random + 20_000);
  expect(second - askedAt).toBeGreaterThanOrEqual(1_800_000);
});

test.each([25, -25])("a clock that is %i hours off renews neither again and again nor too late", async (hours) => {
  const { clock: hub, keeper, notAfter } = await setUp(3_600_000);
  const clock = { ...hub, now: () => hub.now() + hours * 3_600_000 };
  const stop = new AbortController();
  const renewedAt: number[] = [];
  vi.mocked(keeper.renew).mockImplementation(async () => {
    renewedAt.push(hub.now());
    stop.abort();
  });
  const issuer = () => async () => ({ certificateChainPem: "", caPem: "" });
  await keepRenewed({ keeper, hubNowMs: hub.now, issuer, clock, log, signal: stop.signal, random: () => 0 });
  expect(renewedAt).toEqual([expect.closeTo(notAfter - 1_800_000, -5)]);
});

test("a question that comes while it waits is heard at once", async () => {
  const { keeper } = await setUp(3_600_000);
  const stop = new AbortController();
  const clock = createMovableClock(describeCertificate(keeper.current?.certificateChainPem ?? "").notBefore);
  const renewSoon = createRenewSoon({ clock, random: () => 0 });
  vi.mocked(keeper.renew).mockImplementation(async () => stop.abort());
  const issuer = () => async () => ({ certificateChainPem: "", caPem: "" });
  const kept = keepRenewed({
    keeper,
    hubNowMs: clock.now,
    issuer,
    renewSoon,
    clock,
    log,
    signal: stop.signal,
    random: () => 0,
  });
  await vi.waitFor(() => expect(clock.pendingCount).toBe(1));
  renewSoon.ask(60_000);
  await vi.waitFor(() => {
    clock.move(500);
    expect(keeper.renew).toHaveBeenCalled();
  });
  await kept;
});

test("a stored certificate is confirmed once; what isn't stored, or wasn't heard, is confirmed later", async () => {
  const { clock, keeper } = await setUp(3_600_000);
  const stop = new AbortController();
  let hops = 0;
  Object.defineProperty(keeper, "isSaved", { get: () => ++hops > 3 });
  const told: string[] = [];
  const tell = async (serial: string): Promise<void> => {
    told.push(serial);
    if (told.length === 1) throw new Error("the link broke");
  };
  vi.mocked(keeper.renew).mockImplementation(async () => stop.abort());
  const issuer = () => async () => ({ certificateChainPem: "", caPem: "" });
  await keepRenewed({
    keeper,
    hubNowMs: clock.now,
    issuer,
    confirmer: () => tell,
    clock,
    log,
    signal: stop.signal,
    random: () => 0,
  });
  const { serial } = describeCertificate(keeper.current?.certificateChainPem ?? "");
  expect(told).toEqual([serial, serial]);
  expect(hops).toBeGreaterThan(3);
});

const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
