import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CompactSign, exportJWK, generateKeyPair, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommandKeys, openCommandKeys } from "./command-keys.ts";
import { createTestSigner, type TestSigner, testEnvelope } from "./signing.fixture.ts";
import { checkTime, verifyEnvelope } from "./verify-envelope.ts";

let signer: TestSigner;
let keys: CommandKeys;
let folder = "";
beforeAll(async () => {
  signer = await createTestSigner();
  keys = await openCommandKeys({ file: undefined });
  await keys.learn([signer.jwk]);
  folder = await mkdtemp(join(tmpdir(), "fairlead-keys-"));
});
afterAll(() => rm(folder, { recursive: true }));

const verify = (jws: string, more: object = {}): ReturnType<typeof verifyEnvelope> =>
  verifyEnvelope({ jws, id: "cmd_0001", cluster: "east", keys, ...more });

test("what the hub signed for this cluster is taken", async () => {
  const envelope = testEnvelope();
  await expect(verify(await signer.sign(envelope))).resolves.toMatchObject(envelope);
});

test.each([
  ["no text of that form", () => "a.b", "COMMAND_UNSIGNED"],
  ["nothing", () => "", "COMMAND_UNSIGNED"],
  ["something unsigned", () => new UnsecuredJWT({ ...testEnvelope() }).encode(), "COMMAND_UNSIGNED"],
  ["another type", () => signer.sign(testEnvelope(), { typ: "JWT" }), "COMMAND_UNSIGNED"],
  ["no type", () => signer.sign(testEnvelope(), { typ: undefined }), "COMMAND_UNSIGNED"],
  ["a foreign key", async () => (await createTestSigner()).sign(testEnvelope()), "COMMAND_KEY_UNKNOWN"],
  ["a foreign key under the hub's id", () => forge(), "COMMAND_UNSIGNED"],
  ["another algorithm", () => signByRsa(), "COMMAND_UNSIGNED"],
  ["another text under the signature", () => swapPayload(), "COMMAND_UNSIGNED"],
  ["another cluster", () => signer.sign(testEnvelope({ cluster: "west" })), "COMMAND_RETARGETED"],
  ["another id", () => signer.sign(testEnvelope({ id: "cmd_0002" })), "COMMAND_RETARGETED"],
  ["an unknown kind", () => signer.sign(testEnvelope({ kind: "shell" })), "COMMAND_ENVELOPE_INVALID"],
  ["no spec", () => signer.sign(testEnvelope({ spec: undefined })), "COMMAND_ENVELOPE_INVALID"],
])("scenario 30: %s is refused", async (_what, make, code) => {
  await expect(verify(await make())).rejects.toMatchObject({ code });
});

test("an id that is no id of a command is refused, as files and Secrets are named by it", async () => {
  const id = "../cmd_0001";
  await expect(verify(await signer.sign(testEnvelope({ id })), { id })).rejects.toMatchObject({
    code: "COMMAND_ENVELOPE_INVALID",
  });
});

test.each([
  [1_000_000, undefined],
  [2_000_000 + 300_000, undefined],
  [2_000_000 + 300_001, "COMMAND_EXPIRED"],
  [1_000_000 - 300_001, "COMMAND_NOT_YET"],
])("scenario 7: at %i its time is judged", (nowMs, code) => {
  const judge = (): void => checkTime(testEnvelope() as never, nowMs);
  if (code === undefined) expect(judge).not.toThrow();
  else expect(judge).toThrow(expect.objectContaining({ code }));
});

test("keys follow each other as the hub says, and nothing said changes nothing", async () => {
  const next = await createTestSigner();
  const own = await openCommandKeys({ file: undefined });
  expect(own.isEmpty).toBe(true);
  await own.learn([signer.jwk, next.jwk, "{}", "no json"]);
  await own.learn([]);
  const both = await Promise.all(
    [signer, next].map(async (one) => verify(await one.sign(testEnvelope()), { keys: own })),
  );
  expect(both).toHaveLength(2);
  await own.learn([next.jwk]);
  await expect(verify(await signer.sign(testEnvelope()), { keys: own })).rejects.toMatchObject({
    code: "COMMAND_KEY_UNKNOWN",
  });
});

test("pinned keys are the only ones, whatever a hub says", async () => {
  const file = join(folder, "keys.json");
  await writeFile(file, JSON.stringify({ keys: [JSON.parse(signer.jwk)] }));
  const pinned = await openCommandKeys({ file });
  const other = await createTestSigner();
  await pinned.learn([other.jwk]);
  await expect(verify(await signer.sign(testEnvelope()), { keys: pinned })).resolves.toBeDefined();
  await expect(verify(await other.sign(testEnvelope()), { keys: pinned })).rejects.toMatchObject({
    code: "COMMAND_KEY_UNKNOWN",
  });
  await writeFile(file, `${signer.jwk}\n${other.jwk}\n`);
  await pinned.reread();
  await expect(verify(await other.sign(testEnvelope()), { keys: pinned })).resolves.toBeDefined();
});

test("a file with a private key, with another kind of key or with nothing is refused", async () => {
  const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const file = join(folder, "bad.json");
  for (const text of ["", "{}", '{"keys":[]}', JSON.stringify(await exportJWK(privateKey)), '{"kty":"RSA"}']) {
    await writeFile(file, text);
    await expect(openCommandKeys({ file }), text).rejects.toMatchObject({ code: "COMMAND_KEYS_FILE_INVALID" });
  }
  await expect(openCommandKeys({ file: join(folder, "none") })).rejects.toMatchObject({
    code: "COMMAND_KEYS_FILE_INVALID",
  });
});

async function forge(): Promise<string> {
  const { kid } = JSON.parse(signer.jwk);
  return (await createTestSigner()).sign(testEnvelope(), { kid });
}

async function signByRsa(): Promise<string> {
  const { privateKey } = await generateKeyPair("RS256");
  const { kid } = JSON.parse(signer.jwk);
  return new CompactSign(Buffer.from("{}"))
    .setProtectedHeader({ alg: "RS256", kid, typ: "fairlead-command" })
    .sign(privateKey);
}

async function swapPayload(): Promise<string> {
  const [header, , signature] = (await signer.sign(testEnvelope())).split(".");
  const payload = Buffer.from(JSON.stringify(testEnvelope({ requester: "mallory" }))).toString("base64url");
  return [header, payload, signature].join(".");
}
