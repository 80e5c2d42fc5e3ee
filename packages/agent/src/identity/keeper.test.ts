import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecret, FairleadError, formatJoinToken } from "@fairlead/kernel";
import { createAuthority, describeCertificate } from "@fairlead/protocol/x509";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFileStorage } from "./file-storage.ts";
import { type FakeHub, issue, refusal, startFakeHub } from "./hub.fixture.ts";
import { createIdentityKeeper, type IdentityKeeper } from "./keeper.ts";
import type { IdentityStorage } from "./storage.ts";
import { createTokenSource } from "./token.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-agent-"));
});
afterEach(() => rm(folder, { recursive: true }));

const log = { info: () => undefined, warn: vi.fn(), error: vi.fn() };

function keeperOf(
  hub: FakeHub,
  options: { token?: string; path?: string; storage?: IdentityStorage; url?: URL; roles?: string[] } = {},
): IdentityKeeper {
  const { token, path, storage = createFileStorage({ folder: join(folder, "state") }), url = hub.url } = options;
  return createIdentityKeeper({
    route: { hub: url },
    roles: options.roles ?? ["proxy"],
    agentVersion: "1",
    storage,
    token: createTokenSource({ token, path }),
    log,
  });
}

test("a join token becomes an identity that only its owner can read and that a restart finds", async () => {
  await using hub = await startFakeHub();
  const issued = await keeperOf(hub, { token: hub.token() }).ensure();
  expect(issued).toMatchObject({ cluster: "east", roles: ["proxy"], tokenId: "token123", caPem: hub.authority.caPem });
  expect(new X509Certificate(issued.certificateChainPem).checkPrivateKey(createPrivateKey(issued.keyPem))).toBe(true);
  const path = join(folder, "state", "identity.json");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, "state"))).mode & 0o777).toBe(0o700);
  expect(hub.bodies[0]).toMatchObject({ roles: ["proxy"], agentVersion: "1" });

  expect(await keeperOf(hub).ensure()).toEqual(issued);
  expect(hub.bodies.length).toBe(1);
});

test("a hub with another CA never sees the token", async () => {
  await using hub = await startFakeHub();
  const token = formatJoinToken({ id: "token123", secret: createSecret(), caFingerprint: "0".repeat(64) });
  await expect(keeperOf(hub, { token }).ensure()).rejects.toMatchObject({
    code: "ENROLL_CA_MISMATCH",
    retryable: false,
  });
  expect(hub.connections()).toBe(1);
  expect(hub.bodies).toEqual([]);
});

test("a hub whose certificate is for another host never sees the token", async () => {
  await using hub = await startFakeHub({ names: ["hub.example"] });
  await expect(keeperOf(hub, { token: hub.token() }).ensure()).rejects.toMatchObject({ code: "LINK_HOST_MISMATCH" });
  expect(hub.bodies).toEqual([]);
});

test("a hub that isn't there is retryable", async () => {
  const hub = await startFakeHub();
  await hub[Symbol.asyncDispose]();
  await expect(keeperOf(hub, { token: hub.token() }).ensure()).rejects.toMatchObject({
    code: "LINK_UNREACHABLE",
    retryable: true,
  });
});

test("no token and a malformed one are told apart, and neither is printed", async () => {
  await using hub = await startFakeHub();
  await expect(keeperOf(hub).ensure()).rejects.toMatchObject({ code: "ENROLL_TOKEN_MISSING" });
  const error = await keeperOf(hub, { token: "flj_abc_s3cret" })
    .ensure()
    .catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: "ENROLL_TOKEN_MALFORMED" });
  expect(String(error)).not.toContain("s3cret");
});

test("the hub's refusal keeps its code, sentence and hint", async () => {
  await using hub = await startFakeHub();
  hub.answer = async () => refusal(401, "ENROLL_TOKEN_EXPIRED");
  await expect(keeperOf(hub, { token: hub.token() }).ensure()).rejects.toMatchObject({
    code: "ENROLL_TOKEN_EXPIRED",
    message: "The hub says no.",
    hint: "Ask again.",
    retryable: false,
  });
});

test("a lost answer is asked for again with the same key, even after a restart", async () => {
  await using hub = await startFakeHub();
  const answer = hub.answer;
  const token = hub.token();
  hub.answer = async () => refusal(503, "STORE_FULL");
  await expect(keeperOf(hub, { token }).ensure()).rejects.toMatchObject({ code: "STORE_FULL", retryable: true });
  hub.answer = answer;
  const issued = await keeperOf(hub, { token }).ensure();
  const [first, second] = hub.bodies.map(({ csrDer }) => csrKey(csrDer));
  expect(first).toBe(second);
  expect(describeCertificate(issued.certificateChainPem).keyThumbprint).toBeTruthy();
  expect(JSON.parse(await readFile(join(folder, "state", "identity.json"), "utf8")).pending).toBeUndefined();
});

test("an identity that can't be written is used all the same, written later, and asked for again after a restart", async () => {
  await using hub = await startFakeHub();
  const token = hub.token();
  const file = createFileStorage({ folder: join(folder, "state") });
  let isFull = false;
  const storage: IdentityStorage = {
    ...file,
    update: async (change) => {
      if (isFull) throw new FairleadError({ code: "IDENTITY_STORE_FAILED", message: "full" });
      const stored = await file.update(change);
      isFull = stored.pending !== undefined;
      return stored;
    },
  };
  const keeper = keeperOf(hub, { token, storage });
  const issued = await keeper.ensure();
  expect(log.warn).toHaveBeenCalled();
  const again = await keeperOf(hub, { token }).ensure();
  expect(again.keyPem).toBe(issued.keyPem);
  isFull = false;
  await keeper.flush();
  expect((await file.read()).issued).toEqual(issued);
});

test("a folder that can't be written is said before a token is spent", async () => {
  await using hub = await startFakeHub();
  await writeFile(join(folder, "file"), "");
  const storage = createFileStorage({ folder: join(folder, "file", "state") });
  await expect(keeperOf(hub, { token: hub.token(), storage }).ensure()).rejects.toMatchObject({
    code: "IDENTITY_STORE_FAILED",
    retryable: false,
  });
  expect(hub.bodies).toEqual([]);
});

test("a rejected identity waits for another token and then enrolls with a new key", async () => {
  await using hub = await startFakeHub();
  const path = join(folder, "token");
  await writeFile(path, `${hub.token("token111")}\n`);
  const keeper = keeperOf(hub, { path });
  const first = await keeper.ensure();
  keeper.reject(new FairleadError({ code: "IDENTITY_REVOKED", message: "The agent's identity was revoked." }));
  expect(await keeper.hasNewToken()).toBe(false);
  await expect(keeper.ensure()).rejects.toMatchObject({ code: "IDENTITY_REJECTED" });
  await writeFile(path, `${hub.token("token222")}\n`);
  expect(await keeper.hasNewToken()).toBe(true);
  const second = await keeper.ensure();
  expect(second.tokenId).toBe("token222");
  expect(second.keyPem).not.toBe(first.keyPem);
  expect(await keeper.ensure()).toEqual(second);
});

test("what another replica got for the new token is taken over, as the hub would be alarmed by a second key", async () => {
  await using hub = await startFakeHub();
  const path = join(folder, "token");
  await writeFile(path, hub.token("token111"));
  const replicas = [keeperOf(hub, { path }), keeperOf(hub, { path })] as const;
  for (const replica of replicas) await replica.ensure();
  const revoked = new FairleadError({ code: "IDENTITY_REVOKED", message: "The agent's identity was revoked." });
  for (const replica of replicas) replica.reject(revoked);
  await writeFile(path, hub.token("token222"));
  const first = await replicas[0].ensure();
  expect(await replicas[1].ensure()).toEqual(first);
  expect(first.tokenId).toBe("token222");
  expect(hub.bodies.length).toBe(2);
  replicas[1].reject(revoked);
  await expect(replicas[1].ensure()).rejects.toMatchObject({ code: "IDENTITY_REJECTED" });
});

test("a replica that looked before another one was through spends no key of its own", async () => {
  await using hub = await startFakeHub();
  const token = hub.token();
  const file = createFileStorage({ folder: join(folder, "state") });
  const first = keeperOf(hub, { token, storage: file });
  let looks = 0;
  const storage: IdentityStorage = {
    ...file,
    async read() {
      const found = await file.read();
      // Right behind the last look before the second replica writes.
      if (++looks === 2) await first.ensure();
      return found;
    },
  };
  const issued = await keeperOf(hub, { token, storage }).ensure();
  expect(issued).toEqual(first.current);
  expect(hub.bodies.length).toBe(1);
  expect(await file.read()).toEqual({ issued });
});

test("a token from another hub moves the agent there", async () => {
  await using hub = await startFakeHub();
  await using other = await startFakeHub();
  await keeperOf(hub, { token: hub.token() }).ensure();
  const moved = await keeperOf(other, { token: other.token("token999") }).ensure();
  expect(moved.caPem).toBe(other.authority.caPem);
});

test("a renewed certificate is for the same key and survives a restart", async () => {
  await using hub = await startFakeHub();
  const keeper = keeperOf(hub, { token: hub.token() });
  const issued = await keeper.ensure();
  await keeper.renew(async (csrDer) => {
    const { certPem } = await hub.authority.issueAgentCertificate({
      csrDer,
      trustDomain: "test",
      cluster: "east",
      roles: ["proxy"],
      ttlMs: 600_000,
    });
    return { certificateChainPem: certPem, caPem: hub.authority.caPem };
  });
  const renewed = await keeperOf(hub).ensure();
  const [before, after] = [issued, renewed].map((each) => describeCertificate(each.certificateChainPem));
  expect(after?.keyThumbprint).toBe(before?.keyThumbprint);
  expect(after?.serial).not.toBe(before?.serial);
});

test("an agent that is to do more enrolls again with a new token, and goes on with what it has until then", async () => {
  await using hub = await startFakeHub();
  const path = join(folder, "token");
  await writeFile(path, hub.token("token111"));
  const first = await keeperOf(hub, { path }).ensure();
  const keeper = keeperOf(hub, { path, roles: ["proxy", "observe"] });
  const { signal } = new AbortController();
  expect(await keeper.ensure()).toEqual(first);
  expect(await keeper.widen({ signal })).toBe(false);
  expect(keeper.shortfall).toMatchObject({ code: "IDENTITY_ROLES_MISSING", hint: expect.stringContaining(path) });
  expect(log.error).toHaveBeenCalledTimes(1);

  const { answer } = hub;
  hub.answer = async () => refusal(403, "ENROLL_ROLE_NOT_ALLOWED");
  await writeFile(path, hub.token("token222"));
  expect(await keeper.widen({ signal })).toBe(false);
  expect(await keeper.ensure()).toEqual(first);
  expect(hub.bodies).toHaveLength(2);

  hub.answer = async (body) => {
    const given = await answer(body);
    return { ...given, body: { ...(given.body as object), roles: ["proxy", "observe"] } };
  };
  await writeFile(path, hub.token("token333"));
  expect(await keeper.widen({ signal })).toBe(true);
  expect(keeper.shortfall).toBeUndefined();
  const second = await keeper.ensure();
  expect(second).toMatchObject({ tokenId: "token333", roles: ["proxy", "observe"] });
  expect(second.keyPem).not.toBe(first.keyPem);
  expect(await keeperOf(hub, { path, roles: ["proxy", "observe"] }).ensure()).toEqual(second);
});

test("what isn't an identity is refused without quoting it, and a readable file is closed to others", async () => {
  await using hub = await startFakeHub();
  await keeperOf(hub, { token: hub.token() }).ensure();
  const path = join(folder, "state", "identity.json");
  await chmod(path, 0o644);
  await keeperOf(hub).ensure();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await writeFile(path, "{ s3cret");
  const error = await keeperOf(hub)
    .ensure()
    .catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: "IDENTITY_CORRUPT" });
  expect(String(error)).not.toContain("s3cret");
});

/** The public key within a request: all that the hub takes from it. */
function csrKey(csrDer: string): string {
  const der = Buffer.from(csrDer, "base64");
  // SubjectPublicKeyInfo of P-256 is 91 bytes and starts with this prefix.
  const at = der.indexOf(Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107034200", "hex"));
  const key = createPublicKey({ key: der.subarray(at, at + 91), format: "der", type: "spki" });
  return key.export({ format: "der", type: "spki" }).toString("hex");
}

test("while the hub's CA rolls over, a token that names either of its CAs is no other hub's", async () => {
  await using hub = await startFakeHub();
  const coming = await createAuthority({ commonName: "coming", days: 1 });
  hub.answer = async (body) => {
    const answer = (await issue(hub.authority, body)) as { caPem: string };
    return { status: 200, body: { ...answer, caPem: hub.authority.caPem + coming.caPem } };
  };
  const path = join(folder, "token");
  await writeFile(path, hub.token("tokenone"));
  const keeper = keeperOf(hub, { path });
  await keeper.ensure();
  for (const caFingerprint of [hub.authority.fingerprint, coming.fingerprint]) {
    await writeFile(path, formatJoinToken({ id: "tokentwo", secret: createSecret(), caFingerprint }));
    expect((await keeper.ensure()).tokenId).toBe("tokenone");
  }
  expect(hub.bodies.length).toBe(1);
});
