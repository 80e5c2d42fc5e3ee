import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createId } from "@fairlead/kernel";
import { createMovableClock } from "@fairlead/kernel/testing";
import { describeCertificate } from "@fairlead/protocol/x509";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keepServerCertificate, openPki } from "./index.ts";

const dayMs = 24 * 60 * 60_000;
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "fairlead-pki-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const open = () => openPki({ dataDir, trustDomain: "fairlead.test" });

describe("the hub's certificate authority", () => {
  it("is made once and found again", async () => {
    const [first, second] = [await open(), await open()];
    expect(second.caPem).toBe(first.caPem);
    expect(first.caFingerprint).toBe(describeCertificate(first.caPem).fingerprint);
    expect(new X509Certificate(first.caPem).publicKey.asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
  });

  it("keeps its key for its owner's eyes only", async () => {
    await open();
    const modes = await Promise.all(
      ["pki", "pki/ca.key"].map(async (name) => (await stat(join(dataDir, name))).mode & 0o777),
    );
    expect(modes).toEqual([0o700, 0o600]);
  });

  it("isn't replaced when half of it is missing", async () => {
    await open();
    await rm(join(dataDir, "pki/ca.key"));
    await expect(open()).rejects.toMatchObject({ code: "PKI_UNREADABLE" });
  });

  it("isn't used when certificate and key don't fit or can't be read", async () => {
    await open();
    const key = join(dataDir, "pki/ca.key");
    const other = await openPki({ trustDomain: "fairlead.test" }).then((pki) => pki.issueServer({ names: [] }));
    await writeFile(key, other.keyPem);
    await expect(open()).rejects.toMatchObject({ code: "PKI_AUTHORITY_BROKEN" });
    await writeFile(key, "");
    await expect(open()).rejects.toMatchObject({ code: "PKI_AUTHORITY_BROKEN" });
    expect(await readFile(join(dataDir, "pki/ca.pem"), "utf8")).toContain("BEGIN CERTIFICATE");
  });

  it("says so when its folder can't be written", async () => {
    await writeFile(join(dataDir, "file"), "");
    await expect(openPki({ dataDir: join(dataDir, "file"), trustDomain: "fairlead.test" })).rejects.toMatchObject({
      code: expect.stringMatching(/^PKI_UN(READ|WRIT)ABLE$/),
    });
  });

  it("starts over from a creation that was cut off halfway", async () => {
    await open();
    await rename(join(dataDir, "pki"), join(dataDir, "pki.new"));
    expect((await open()).caPem).toContain("BEGIN CERTIFICATE");
  });

  it.each(["", "Fairlead.Local", "a b", "a/b", ".x", "x".repeat(300)])(
    "refuses the trust domain %j",
    async (trustDomain) => {
      await expect(openPki({ trustDomain })).rejects.toMatchObject({ code: "PKI_TRUST_DOMAIN_INVALID" });
    },
  );

  it("refuses to go on when its time is over", async () => {
    await open();
    const clock = createMovableClock(Date.now() + 4000 * dayMs);
    await expect(openPki({ dataDir, trustDomain: "fairlead.test", clock })).rejects.toMatchObject({
      code: "PKI_EXPIRED",
    });
  });
});

describe("a hub's own certificate", () => {
  const start = Date.UTC(2030, 0, 1);
  const id = createId("hub");

  it("says which hub it is, for a day", async () => {
    const clock = createMovableClock(start);
    const pki = await openPki({ trustDomain: "fairlead.test", clock });
    const issued = await pki.issueHub({ id });
    const certificate = new X509Certificate(issued.certPem);
    expect([pki.hubOf(certificate), issued.notAfter]).toEqual([id, start + dayMs]);
    expect(certificate.checkPrivateKey(createPrivateKey(issued.keyPem))).toBe(true);
    clock.move(dayMs + 1_000);
    expect(pki.hubOf(certificate)).toBeUndefined();
  });

  it("is good for its own authority and trust domain alone", async () => {
    const [pki, other] = [await open(), await openPki({ trustDomain: "fairlead.test" })];
    const renamed = await openPki({ dataDir, trustDomain: "other.test" });
    const certificate = new X509Certificate((await pki.issueHub({ id })).certPem);
    expect([pki, other, renamed].map((each) => each.hubOf(certificate))).toEqual([id, undefined, undefined]);
  });

  it("is signed by the authority that everybody knows, and ends with it", async () => {
    const pki = await open();
    await pki.rotate();
    const certificate = new X509Certificate((await pki.issueHub({ id })).certPem);
    expect([pki.issuerOf(certificate), pki.hubOf(certificate)]).toEqual([pki.caFingerprint, id]);
    await pki.retire();
    expect(pki.hubOf(certificate)).toBeUndefined();
  });

  it("is for the ids of hubs alone", async () => {
    await expect((await open()).issueHub({ id: "east" })).rejects.toMatchObject({ code: "PKI_NAME_INVALID" });
  });
});

describe("a listener's certificate", () => {
  it("is for loopback and for the names given", async () => {
    const pki = await openPki({ trustDomain: "fairlead.test" });
    const certificate = new X509Certificate((await pki.issueServer({ names: ["hub.test", "localhost"] })).certPem);
    expect([certificate.checkHost("hub.test"), certificate.checkHost("localhost")]).toEqual(["hub.test", "localhost"]);
    expect([certificate.checkIP("127.0.0.1"), certificate.checkIP("::1")]).toEqual(["127.0.0.1", "::1"]);
  });

  it("is replaced at two thirds of its life, again and again, until nobody wants it", async () => {
    const clock = createMovableClock(Date.UTC(2030, 0, 1));
    const pki = await openPki({ trustDomain: "fairlead.test", clock });
    const renewed: string[] = [];
    const kept = await keepServerCertificate({
      pki,
      clock,
      names: ["hub.test"],
      ttlMs: 30 * dayMs,
      onRenewed: ({ serial }) => renewed.push(serial),
    });
    const { serial: first } = kept.current();
    clock.move(19 * dayMs);
    expect(renewed).toEqual([]);
    clock.move(1.1 * dayMs);
    await expect.poll(() => renewed.length).toBe(1);
    expect(kept.current().serial).toBe(renewed[0]);
    expect(kept.current().serial).not.toBe(first);
    clock.move(20.1 * dayMs);
    await expect.poll(() => renewed.length).toBe(2);
    kept[Symbol.dispose]();
    clock.move(100 * dayMs);
    expect(renewed).toHaveLength(2);
  });

  it("is tried again when issuing failed", async () => {
    const clock = createMovableClock(Date.UTC(2030, 0, 1));
    const pki = await openPki({ trustDomain: "fairlead.test", clock });
    let failures = 0;
    let isBroken = false;
    const issueServer: typeof pki.issueServer = async (request) => {
      if (isBroken) throw new Error("no entropy");
      return await pki.issueServer(request);
    };
    using kept = await keepServerCertificate({
      pki: { ...pki, issueServer },
      clock,
      names: [],
      ttlMs: 30 * dayMs,
      onRenewed: () => {},
      onError: () => failures++,
    });
    const { serial } = kept.current();
    isBroken = true;
    clock.move(21 * dayMs);
    await expect.poll(() => failures).toBe(1);
    isBroken = false;
    await expect
      .poll(() => {
        clock.move(dayMs);
        return kept.current().serial;
      })
      .not.toBe(serial);
  });
});
