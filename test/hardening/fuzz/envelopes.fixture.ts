// What is signed: commands of the hub for agents, and logout tokens of a provider for the hub.
import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { type CommandEnvelope, formatLinkProof, parseCommandEnvelope, parseLinkProof } from "@fairlead/protocol";
import fc from "fast-check";
import { openCommandKeys } from "../../../packages/agent/src/execute/command-keys.ts";
import { createTestSigner, testEnvelope } from "../../../packages/agent/src/execute/signing.fixture.ts";
import { verifyEnvelope } from "../../../packages/agent/src/execute/verify-envelope.ts";
import { createLogoutReader } from "../../../packages/hub/src/people/access/oidc/logout-token.ts";
import { changed, hostileText } from "./hostile.ts";
import { type Fuzzer, hasCode, rule } from "./rule.ts";

const signer = await createTestSigner();
const keys = await openCommandKeys({ file: undefined });
await keys.learn([signer.jwk]);
const publicKey = createPublicKey({ key: JSON.parse(signer.jwk), format: "jwk" });
const approval = { is: "given", digest: "d", by: ["bob"], untilMs: 5, keptMs: 6 };
const valid = [
  await signer.sign(testEnvelope()),
  await signer.sign(testEnvelope({ approval }), { typ: "fairlead-command-approval" }),
  await signer.sign(testEnvelope({ proposal: { isVouched: true, planApprovedBy: [] } }), {
    typ: "fairlead-command-proposal",
  }),
];
const headers = [
  '{"alg":"none"}',
  '{"alg":"HS256"}',
  '{"alg":"EdDSA","b64":false,"crit":["b64"]}',
  '{"alg":["EdDSA"],"kid":{}}',
].map((text) => Buffer.from(text).toString("base64url"));

const provider = generateKeyPairSync("ec", { namedCurve: "P-256" });
const issuer = "https://idp.test";
const nowMs = 1_900_000_000_000;
const readLogout = createLogoutReader({
  issuer,
  clientId: "fairlead",
  keysUrl: `${issuer}/keys`,
  algorithms: ["ES256"],
  fetch: async () => Response.json({ keys: [{ ...provider.publicKey.export({ format: "jwk" }), alg: "ES256" }] }),
  clock: { now: () => nowMs, steadyMs: () => 0, after: () => () => undefined },
});
const claims = {
  iss: issuer,
  aud: "fairlead",
  sub: "alice",
  jti: "once",
  iat: nowMs / 1_000,
  exp: nowMs / 1_000 + 60,
  events: { "http://schemas.openid.net/event/backchannel-logout": {} },
};
const logout = signToken(claims, provider.privateKey);
const oddClaim = fc.tuple(
  fc.constantFrom(...Object.keys(claims), "nonce", "sid", "azp", "nbf", "__proto__"),
  fc.jsonValue({ maxDepth: 2 }),
);

export const envelopes: Fuzzer = {
  parser: "signed texts",
  rules: [
    rule("a command that was changed on its way is refused by a code, or says what was signed", {
      input: changed(fc.constantFrom(...valid), [...headers, "."]),
      async check(jws) {
        const envelope = await orCode(() => verifyEnvelope({ jws, id: "cmd_0001", cluster: "east", keys }));
        if (envelope === undefined) return;
        const [head = "", payload = "", signature = ""] = jws.split(".");
        // Node's own reading of the signature, which knows nothing of ours.
        assert.ok(verify(null, Buffer.from(`${head}.${payload}`), publicKey, Buffer.from(signature, "base64url")));
        assert.ok(
          valid.some((one) => one.split(".")[1] === payload),
          "its payload was never signed",
        );
      },
    }),
    rule("what the hub signs is a whole envelope, or refused by a code", {
      input: fc.record(
        {
          id: fc.oneof(fc.constant("cmd_0001"), fc.string()),
          cluster: fc.constantFrom("east", "west"),
          approval: fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 2 }), fc.constant(approval)),
          spec: fc.jsonValue(),
          issuedAtMs: fc.oneof(fc.nat(), fc.double(), fc.constant(null)),
          serviceAccount: fc.oneof(fc.constant(undefined), fc.string(), fc.constant({})),
        },
        { requiredKeys: [] },
      ),
      cases: 150,
      async check(changes) {
        const jws = await signer.sign(testEnvelope(changes));
        const envelope = await orCode(() => verifyEnvelope({ jws, id: "cmd_0001", cluster: "east", keys }));
        if (envelope === undefined) return;
        const signed = JSON.parse(JSON.stringify(testEnvelope(changes))) as CommandEnvelope;
        assert.deepEqual(JSON.parse(JSON.stringify(envelope)), signed);
        assert.equal(envelope.approval, undefined, "an approval under the type of commands that have none");
      },
    }),
    rule("any text is an envelope that reads the same when it is written again, or none", {
      input: hostileText([JSON.stringify(testEnvelope()), JSON.stringify(testEnvelope({ approval }))]),
      check(text) {
        const envelope = parseCommandEnvelope(text);
        if (envelope) assert.deepEqual(parseCommandEnvelope(JSON.stringify(envelope)), envelope);
      },
    }),
    rule("a logout token that was changed on its way is refused by a code, or says what was signed", {
      input: changed(fc.constant(logout), [...headers, "."]),
      async check(token) {
        const read = await orCode(() => readLogout(token));
        if (read) assert.deepEqual([read.subject, read.id], ["alice", "once"]);
      },
    }),
    rule("a logout token of any claims is one with a subject or a sign-in, or refused by a code", {
      input: fc.array(oddClaim, { maxLength: 3 }),
      cases: 150,
      async check(changes) {
        const token = signToken({ ...claims, ...Object.fromEntries(changes) }, provider.privateKey);
        const read = await orCode(() => readLogout(token));
        if (read) assert.ok([read.subject, read.sid].some((one) => typeof one === "string" && one !== ""));
      },
    }),
    rule("any text is a proof of a link that reads the same when it is written again, or none", {
      input: hostileText([
        formatLinkProof({ nonce: "n".repeat(40), host: "hub.example", signature: Buffer.alloc(64, 7) }),
      ]),
      check(text) {
        const proof = parseLinkProof(text);
        if (proof) assert.deepEqual(parseLinkProof(formatLinkProof(proof)), proof);
      },
    }),
  ],
};

async function orCode<Read>(read: () => Promise<Read>): Promise<Read | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!hasCode(error)) throw error;
    return undefined;
  }
}

function signToken(payload: object, key: KeyObject): string {
  const parts = [{ alg: "ES256" }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const signature = sign("sha256", Buffer.from(parts.join(".")), { key, dsaEncoding: "ieee-p1363" });
  return `${parts.join(".")}.${signature.toString("base64url")}`;
}
