// Enrollment where something on the way ends TLS and shows a certificate that isn't the hub's.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJoinToken } from "@fairlead/kernel";
import { createAuthority, createCsr } from "@fairlead/protocol/x509";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type EnrollAnswer, enroll } from "./enroll.ts";
import { type FakeHub, startFakeHub } from "./hub.fixture.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-enroll-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("behind a balancer whose CA was named, the answer brings the CA that the token names", async () => {
  const balancer = await createAuthority({ commonName: "balancer", days: 1 });
  await using hub = await startFakeHub({ behind: balancer });
  expect(await enrollAt(hub, balancer.caPem)).toMatchObject({ cluster: "east", caPem: hub.authority.caPem });
});

test("behind a balancer whose CA wasn't named, or is another, the token stays here", async () => {
  const balancer = await createAuthority({ commonName: "balancer", days: 1 });
  await using hub = await startFakeHub({ behind: balancer });
  const other = await createAuthority({ commonName: "other", days: 1 });
  await expect(enrollAt(hub)).rejects.toMatchObject({ code: "ENROLL_CA_MISMATCH" });
  await expect(enrollAt(hub, other.caPem)).rejects.toMatchObject({ code: "LINK_HUB_UNTRUSTED" });
  expect(hub.bodies).toEqual([]);
});

test("an answer with another CA than the token's isn't taken, though its sender is trusted", async () => {
  const balancer = await createAuthority({ commonName: "balancer", days: 1 });
  await using hub = await startFakeHub({ behind: balancer });
  await using impostor = await startFakeHub({ behind: balancer });
  await expect(enrollAt(impostor, balancer.caPem, hub.token())).rejects.toMatchObject({
    code: "ENROLL_ANSWER_FOREIGN",
    retryable: false,
  });
});

async function enrollAt(hub: FakeHub, caPem?: string, token = hub.token()): Promise<EnrollAnswer> {
  const caFile = caPem === undefined ? undefined : join(folder, "ca.pem");
  if (caFile !== undefined) await writeFile(caFile, caPem ?? "");
  const { csrDer } = await createCsr();
  const { caFingerprint = "" } = parseJoinToken(token) ?? {};
  const about = { csrDer, roles: ["proxy"], agentVersion: "1" };
  return enroll({ route: { hub: hub.url, caFile }, token, caFingerprint, ...about });
}
