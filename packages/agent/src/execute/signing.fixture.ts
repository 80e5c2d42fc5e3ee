// A hub's signing key, and envelopes signed by it.
import { type CommandEnvelope, envelopeType } from "@fairlead/protocol";
import { CompactSign, calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";

export interface TestSigner {
  readonly jwk: string;
  sign(envelope: object, header?: object): Promise<string>;
}

export async function createTestSigner(): Promise<TestSigner> {
  const { privateKey, publicKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    jwk: JSON.stringify({ ...jwk, kid, alg: "EdDSA", use: "sig" }),
    sign: (envelope, header = {}) =>
      new CompactSign(Buffer.from(JSON.stringify(envelope)))
        .setProtectedHeader({ alg: "EdDSA", kid, typ: envelopeType, ...header })
        .sign(privateKey),
  };
}

export function testEnvelope(changes: Partial<CommandEnvelope> | Record<string, unknown> = {}): CommandEnvelope {
  return {
    id: "cmd_0001",
    cluster: "east",
    kind: "manifests",
    spec: {},
    dryRun: false,
    requester: "ann@example.com",
    issuedAtMs: 1_000_000,
    expiresAtMs: 2_000_000,
    ...changes,
  };
}
