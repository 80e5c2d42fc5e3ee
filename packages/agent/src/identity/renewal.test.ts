import type { Clock } from "@fairlead/kernel";
import { createSkippingClock } from "@fairlead/kernel/testing";
import { createAuthority, createCsr, describeCertificate } from "@fairlead/protocol/x509";
import { expect, test, vi } from "vitest";
import type { IdentityKeeper } from "./keeper.ts";
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
    ...{ csrDer, trustDomain: "test", cluster: "east", roles: ["proxy"], ttlMs: lifeMs },
  });
  const current: IssuedIdentity = {
    ...{
      keyPem,
      tokenId: "t",
      cluster: "east",
      roles: ["proxy"],
      certificateChainPem: certPem,
      caPem: authority.caPem,
    },
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
  await keepRenewed({ keeper, issuer, clock, log, signal: stop.signal, random: () => random });
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
  await keepRenewed({ keeper, issuer, clock, log, signal: stop.signal, random: () => 0 });
  expect(log.warn).toHaveBeenCalledTimes(3);
  expect(log.info).toHaveBeenCalledTimes(1);
});
