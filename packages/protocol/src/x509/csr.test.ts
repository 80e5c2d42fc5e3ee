import { createPrivateKey, createPublicKey } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostileCsrs } from "./hostile-csrs.fixture.ts";
import { createCsr, keyThumbprint, readCsr } from "./index.ts";

describe("createCsr", () => {
  it("makes a request that proves a new P-256 key", async () => {
    const { keyPem, csrDer } = await createCsr();
    const proven = await readCsr(csrDer);
    expect(createPrivateKey(keyPem).asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
    expect(proven.keyThumbprint).toBe(keyThumbprint(createPublicKey(keyPem)));
  });

  it("proves the key that it is given", async () => {
    const first = await createCsr();
    const second = await createCsr({ keyPem: first.keyPem });
    expect(second.keyPem).toBe(first.keyPem);
    expect((await readCsr(second.csrDer)).keyThumbprint).toBe((await readCsr(first.csrDer)).keyThumbprint);
  });

  it("refuses a key file that holds no P-256 key", async () => {
    await expect(
      createCsr({ keyPem: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n" }),
    ).rejects.toThrow(expect.objectContaining({ code: "PKI_AUTHORITY_BROKEN" }));
  });
});

describe("readCsr", () => {
  const weakKeys = ["rsa512", "rsa2048", "secp256k1", "p384", "ed25519", "explicitCurve", "compressedPoint"] as const;
  it.each(weakKeys)("refuses the key of %s", async (name) => {
    await expect(readCsr(hostileCsrs[name])).rejects.toMatchObject({ code: "ENROLL_CSR_KEY", httpStatus: 400 });
  });

  it("refuses a signature over SHA-1", async () => {
    await expect(readCsr(hostileCsrs.sha1)).rejects.toMatchObject({ code: "ENROLL_CSR_SIGNATURE" });
  });

  it("refuses a signature that another key made", async () => {
    const [mine, other] = [await createCsr(), await createCsr()];
    const forged = replaceBytes(
      mine.csrDer,
      (await readCsr(mine.csrDer)).publicKey,
      (await readCsr(other.csrDer)).publicKey,
    );
    await expect(readCsr(forged)).rejects.toMatchObject({ code: "ENROLL_CSR_SIGNATURE" });
  });

  it("refuses a point that isn't on the curve", async () => {
    const { csrDer } = await createCsr();
    const { publicKey } = await readCsr(csrDer);
    const offCurve = publicKey.slice();
    offCurve[90] = (offCurve[90] ?? 0) ^ 1;
    await expect(readCsr(replaceBytes(csrDer, publicKey, offCurve))).rejects.toMatchObject({ code: "ENROLL_CSR_KEY" });
  });

  it("refuses more than 16 KiB before it parses", async () => {
    await expect(readCsr(new Uint8Array(1024 * 1024).fill(0x30))).rejects.toMatchObject({
      code: "ENROLL_CSR_TOO_LARGE",
      httpStatus: 413,
    });
  });

  it("refuses bytes after the request", async () => {
    const { csrDer } = await createCsr();
    await expect(readCsr(Buffer.concat([csrDer, Buffer.of(0)]))).rejects.toMatchObject({
      code: "ENROLL_CSR_MALFORMED",
    });
  });

  it("answers any bytes with a coded error", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        const code = await readCsr(bytes).then(
          () => "none",
          (error: { code?: string }) => error.code,
        );
        expect(code).toMatch(/^ENROLL_CSR_/);
      }),
    );
  });

  it("answers a request with any one byte changed with a coded error, or still proves the same key", async () => {
    const { csrDer } = await createCsr();
    const { keyThumbprint: original } = await readCsr(csrDer);
    await fc.assert(
      fc.asyncProperty(fc.nat(csrDer.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = csrDer.slice();
        changed[at] = (changed[at] ?? 0) ^ flip;
        const outcome = await readCsr(changed).then(
          (proven) => proven.keyThumbprint,
          (error: { code?: string }) => error.code ?? String(error),
        );
        expect(outcome === original || /^ENROLL_CSR_/.test(outcome)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

function replaceBytes(within: Uint8Array, from: Uint8Array, to: Uint8Array): Uint8Array {
  const at = Buffer.from(within).indexOf(from);
  expect(at).toBeGreaterThan(0);
  const changed = Buffer.from(within);
  changed.set(to, at);
  return changed;
}
