// An agent has to show a proof where its certificate doesn't arrive with its connection.

import { createPrivateKey, sign, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createMovableClock, type MovableClock } from "@fairlead/kernel/testing";
import {
  formatLinkProof,
  linkCertificateHeader,
  linkChallengePath,
  linkPath,
  linkProofBytes,
  linkProofHeader,
  linkSocketOptions,
  linkSubprotocol,
} from "@fairlead/protocol";
import { createAuthority, createCsr } from "@fairlead/protocol/x509";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { call, enroll, openTestHub, readRefusal, type TestHub, type TestIdentity } from "../../hub.fixture.ts";
import { createLinkProofs } from "./proofs.ts";

let clock: MovableClock;
let hub: TestHub;
let plain: TestHub;
let east: Required<TestIdentity>;
let west: Required<TestIdentity>;
/** An agent of another hub. */
let stranger: Required<TestIdentity>;

beforeAll(async () => {
  clock = createMovableClock(Date.now());
  const args = ["--agent-trust", "challenge"];
  [hub, plain] = await Promise.all([openTestHub({ args, clock }), openTestHub()]);
  const authority = await createAuthority({ commonName: "another hub", days: 1 });
  const { csrDer, keyPem } = await createCsr();
  const names = { trustDomain: "fairlead.local", cluster: "east", roles: ["proxy" as const] };
  const { certPem } = await authority.issueAgentCertificate({ csrDer, ...names, ttlMs: 3_600_000 });
  stranger = { cert: certPem, key: keyPem };
  east = (await enroll("east", hub)) as Required<TestIdentity>;
  west = (await enroll("west", hub)) as Required<TestIdentity>;
}, 60_000);
afterAll(() => Promise.all([hub, plain].map((harness) => harness[Symbol.asyncDispose]())));

test("a proof by the certificate's key opens a link without a certificate in the connection", async () => {
  const socket = dialWith(await prove(east), hub);
  await once(socket, "open");
  socket.terminate();
});

test("without certificate and proof the hub asks for the proof", async () => {
  expect(await refusalOf({})).toMatchObject({ status: 401, json: { code: "LINK_PROOF_REQUIRED" } });
});

test("a certificate that the hub doesn't know may be a balancer's, and a proof says who is behind it", async () => {
  expect(await refusalOf({}, hub, stranger)).toMatchObject({ status: 401, json: { code: "LINK_PROOF_REQUIRED" } });
  const socket = dialWith(await prove(east), hub, stranger);
  await once(socket, "open");
  socket.terminate();
});

test("a proof is taken once, also when it comes twice at the same time", async () => {
  const headers = await prove(east);
  const outcomes = await Promise.all(
    [0, 1, 2].map(async () => {
      const socket = dialWith(headers, hub);
      const opened = once(socket, "open").then(() => "open");
      const outcome = await Promise.race([opened, readRefusal(socket).then(({ json }) => (json as Coded).code)]);
      socket.terminate();
      return outcome;
    }),
  );
  expect(outcomes.sort()).toEqual(["LINK_PROOF_REPLAYED", "LINK_PROOF_REPLAYED", "open"]);
  expect(await refusalOf(headers)).toMatchObject({ json: { code: "LINK_PROOF_REPLAYED" } });
});

test("another cluster's certificate isn't proven by one's own key", async () => {
  const headers = await prove({ cert: west.cert, key: east.key });
  expect(await refusalOf(headers)).toMatchObject({ status: 401, json: { code: "LINK_PROOF_INVALID" } });
  const swapped = { ...(await prove(east)), [linkCertificateHeader]: certificateHeader(west.cert) };
  expect(await refusalOf(swapped)).toMatchObject({ json: { code: "LINK_PROOF_INVALID" } });
});

test("a key that no certificate of the hub names proves nothing", async () => {
  const { keyPem } = await createCsr();
  expect(await refusalOf(await prove({ ...east, key: keyPem }))).toMatchObject({
    json: { code: "LINK_PROOF_INVALID" },
  });
});

test("a certificate of another hub is unknown, though its key signed right", async () => {
  expect(await refusalOf(await prove(stranger))).toMatchObject({ json: { code: "IDENTITY_UNKNOWN" } });
});

test("a challenge of another hub isn't this one's", async () => {
  const authenticatePeer = () => Promise.reject(new Error("not asked"));
  const { db } = plain.store;
  const other = createLinkProofs({ db, authenticatePeer, trustDomain: "fairlead.local", hosts: ["127.0.0.1"], clock });
  const headers = await prove(east, { nonce: (await other.challenge()).nonce });
  expect(await refusalOf(headers)).toMatchObject({ json: { code: "LINK_PROOF_NONCE_UNKNOWN" } });
});

test("a challenge that is older than a minute is over", async () => {
  const headers = await prove(east);
  clock.move(61_000);
  expect(await refusalOf(headers)).toMatchObject({ json: { code: "LINK_PROOF_EXPIRED" } });
});

test("a proof made for another host can't be passed on", async () => {
  const headers = await prove(east, { host: "elsewhere.example" });
  expect(await refusalOf(headers)).toMatchObject({ json: { code: "LINK_PROOF_HOST_MISMATCH" } });
});

test("garbage is told as such", async () => {
  const good = await prove(east);
  for (const bad of ["", "v1", "v1 a b c", "x".repeat(4000)]) {
    const refusal = await refusalOf({ ...good, [linkProofHeader]: bad });
    expect(refusal).toMatchObject({ json: { code: expect.stringMatching(/^LINK_PROOF_(INVALID|REQUIRED)$/) } });
  }
  expect(await refusalOf({ ...good, [linkCertificateHeader]: "AAAA" })).toMatchObject({
    json: { code: "LINK_PROOF_INVALID" },
  });
});

test("a revoked agent's proof is refused", async () => {
  const gone = (await enroll("gone", hub)) as Required<TestIdentity>;
  await call(hub.hub.peopleUrl, "/api/v1/clusters/gone/revoke", { method: "POST", headers: hub.admin });
  expect(await refusalOf(await prove(gone))).toMatchObject({ status: 403, json: { code: "IDENTITY_REVOKED" } });
});

test("a hub that wasn't told to take proofs gives no challenge and takes none", async () => {
  expect((await call(plain.hub.agentUrl, linkChallengePath)).status).toBe(404);
  const refusal = await refusalOf(await prove(east), plain);
  expect(refusal).toMatchObject({ status: 401, json: { code: "LINK_CERTIFICATE_REQUIRED" } });
});

interface Coded {
  readonly code: string;
}

async function prove(
  { cert, key }: Required<TestIdentity>,
  options: { readonly nonce?: string; readonly host?: string } = {},
): Promise<Record<string, string>> {
  const { nonce = await fetchNonce(hub), host = "127.0.0.1" } = options;
  const certificateFingerprint = new X509Certificate(cert).fingerprint256.replaceAll(":", "").toLowerCase();
  const bytes = linkProofBytes({ nonce, host, trustDomain: "fairlead.local", certificateFingerprint });
  const signature = sign("sha256", bytes, { key: createPrivateKey(key), dsaEncoding: "ieee-p1363" });
  return {
    [linkCertificateHeader]: certificateHeader(cert),
    [linkProofHeader]: formatLinkProof({ nonce, host, signature }),
  };
}

function certificateHeader(cert: string): string {
  return new X509Certificate(cert).raw.toString("base64");
}

async function fetchNonce(on: TestHub): Promise<string> {
  const answer = await call(on.hub.agentUrl, linkChallengePath);
  expect(answer.headers["cache-control"]).toBe("no-store");
  return (answer.json as { nonce: string }).nonce;
}

function dialWith(headers: Record<string, string>, on: TestHub, shown: TestIdentity = {}): WebSocket {
  const url = on.hub.agentUrl.replace("https:", "wss:") + linkPath;
  return new WebSocket(url, linkSubprotocol, { ...linkSocketOptions, ...shown, headers, ca: on.hub.caPem });
}

function refusalOf(
  headers: Record<string, string>,
  on: TestHub = hub,
  shown: TestIdentity = {},
): ReturnType<typeof readRefusal> {
  return readRefusal(dialWith(headers, on, shown));
}
