import { expect, test } from "vitest";
import { formatLinkProof, linkProofBytes, parseLinkProof } from "./link-proof.ts";

const nonce = "n".repeat(43);

test("a proof is read as it was written", () => {
  for (const host of ["hub.example.com", "10.0.0.1", "[fd00::1]"]) {
    const proof = { nonce, host, signature: new Uint8Array(64).fill(7) };
    const read = parseLinkProof(formatLinkProof(proof));
    expect({ ...read, signature: new Uint8Array(read?.signature ?? []) }).toEqual(proof);
  }
});

test.each([
  "",
  "v1",
  "v2 a b c",
  `v1 ${nonce} hub`,
  `v1 ${nonce} hub ${"A".repeat(85)}`,
  `v1 ${nonce} h ub ${"A".repeat(86)}`,
])("%j is no proof", (text) => {
  expect(parseLinkProof(text)).toBeUndefined();
});

test("parts can't be moved from one to the next", () => {
  const rest = { trustDomain: "t", certificateFingerprint: "f" };
  const one = linkProofBytes({ nonce: "ab", host: "c", ...rest });
  const other = linkProofBytes({ nonce: "a", host: "bc", ...rest });
  expect(Buffer.from(one).equals(other)).toBe(false);
});
