import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { findPinnedCertificate } from "./pinned-certificate.ts";

const root = { raw: Buffer.from("root certificate, DER") };
const leaf = { raw: Buffer.from("leaf certificate, DER"), issuerCertificate: root };
const fingerprint = createHash("sha256").update(root.raw).digest("hex");

test("the pinned certificate is found anywhere in the chain, whatever the fingerprint's case", async () => {
  const found = await findPinnedCertificate(leaf, fingerprint.toUpperCase());
  expect(found?.der).toEqual(root.raw);
  expect(found?.pem).toContain(root.raw.toString("base64"));
});

test("a chain without it, even one that loops, gives nothing", async () => {
  const loop: { raw: Buffer; issuerCertificate?: unknown } = { raw: Buffer.from("self-signed") };
  loop.issuerCertificate = loop;
  expect(await findPinnedCertificate(loop as typeof leaf, fingerprint)).toBeUndefined();
});
