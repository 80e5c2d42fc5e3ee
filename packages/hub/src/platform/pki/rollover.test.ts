import { X509Certificate } from "node:crypto";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMovableClock } from "@fairlead/kernel/testing";
import { createCsr, loadAuthority } from "@fairlead/protocol/x509";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPki, type Pki } from "./index.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "fairlead-pki-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const open = (): Promise<Pki> => openPki({ dataDir, trustDomain: "fairlead.test" });
const at = (name: string): string => join(dataDir, "pki", name);

async function issueAgent(pki: Pki): Promise<X509Certificate> {
  const { csrDer } = await createCsr();
  const { certPem } = await pki.issueAgent({ csrDer, cluster: "east", roles: ["proxy"], ttlMs: 60_000 });
  return new X509Certificate(certPem);
}

const fingerprints = ({ rollover }: Pki): string[] =>
  (rollover.is === "single" ? [rollover.current] : [rollover.leaving, rollover.coming]).map((one) => one.fingerprint);

/** The authorities that a start finds, whatever became of the files. */
async function found(): Promise<string[]> {
  return fingerprints(await open());
}

describe("a rollover on disk", () => {
  it("is found again by the next start, in each of its states", async () => {
    const pki = await open();
    const [old = ""] = fingerprints(pki);
    await pki.rotate();
    const both = fingerprints(pki);
    expect(both).toEqual([old, expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(await found()).toEqual(both);
    await pki.retire();
    expect(fingerprints(pki)).toEqual([both[1]]);
    expect(await found()).toEqual([both[1]]);
    expect((await readdir(at(""))).sort()).toEqual(["ca.key", "ca.pem"]);
  });

  it("keeps the new key for its owner's eyes only", async () => {
    await (await open()).rotate();
    const modes = await Promise.all(["next", "next/ca.key"].map(async (name) => (await stat(at(name))).mode & 0o777));
    expect(modes).toEqual([0o700, 0o600]);
  });

  it("is closed to others again by the next start, whoever opened it meanwhile", async () => {
    await (await open()).rotate();
    for (const name of ["", "next"]) await chmod(at(name), 0o755);
    for (const name of ["ca.key", "next/ca.key"]) await chmod(at(name), 0o664);
    await open();
    const names = ["", "next", "ca.key", "next/ca.key"];
    const modes = await Promise.all(names.map(async (name) => (await stat(at(name))).mode & 0o777));
    expect(modes).toEqual([0o700, 0o700, 0o600, 0o600]);
  });

  it("is for its owner's eyes only, though the umask of the hub is none", async () => {
    const umask = process.umask(0);
    try {
      const pki = await open();
      await pki.rotate();
      await pki.retire();
      await pki.rotate();
    } finally {
      process.umask(umask);
    }
    const found = await readdir(at(""), { recursive: true, withFileTypes: true });
    const exposed = await Promise.all(
      found.map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        return ((await stat(path)).mode & 0o077) === 0 ? [] : [path];
      }),
    );
    expect([exposed.flat(), found.length]).toEqual([[], 5]);
  });

  it("isn't taken back by an old authority's files: what they signed later is refused, and agents that renewed are known", async () => {
    const pki = await open();
    const old = await Promise.all(["ca.pem", "ca.key"].map((name) => readFile(at(name), "utf8")));
    await pki.rotate();
    const renewed = await issueAgent(pki);
    await pki.retire();
    // Only one of the two was put back: a certificate without its key makes no authority.
    const now = await readFile(at("ca.key"), "utf8");
    await writeFile(at("ca.pem"), old[0] ?? "");
    await expect(open()).rejects.toMatchObject({ code: "PKI_AUTHORITY_BROKEN" });
    expect(await readFile(at("ca.key"), "utf8")).toBe(now);
    // A hub that runs doesn't read them again.
    const thief = await loadAuthority({ certPem: old[0] ?? "", keyPem: old[1] ?? "" });
    const { csrDer } = await createCsr();
    const wanted = { csrDer, trustDomain: "fairlead.test", cluster: "east", roles: ["proxy"] as const, ttlMs: 60_000 };
    const { certPem } = await thief.issueAgentCertificate(wanted);
    expect([new X509Certificate(certPem), renewed].map((certificate) => pki.issuerOf(certificate))).toEqual([
      undefined,
      pki.caFingerprint,
    ]);
  });

  it("hasn't begun when the hub was killed before the new authority was whole", async () => {
    const before = await found();
    await mkdir(at("next.new"));
    await writeFile(at("next.new/ca.key"), "half a k");
    expect(await found()).toEqual(before);
    const pki = await open();
    await pki.rotate();
    expect(await found()).toEqual(fingerprints(pki));
  });

  it.each([
    ["before a file was moved", []],
    ["between the two", ["ca.key"]],
    ["after both", ["ca.key", "ca.pem"]],
  ])("goes on to its end when the hub was killed while the new one took over, %s", async (_when, moved) => {
    const pki = await open();
    await pki.rotate();
    const [, coming] = fingerprints(pki);
    await rename(at("next"), at("next-takes-over"));
    for (const name of moved) await rename(at(`next-takes-over/${name}`), at(name));
    expect(await found()).toEqual([coming]);
    expect((await readdir(at(""))).sort()).toEqual(["ca.key", "ca.pem"]);
  });

  it.each([
    ["the new key is gone", () => rm(at("next/ca.key")), "PKI_UNREADABLE"],
    ["the new certificate is gone", () => rm(at("next/ca.pem")), "PKI_UNREADABLE"],
    ["both are gone, and their folder isn't", emptyNext, "PKI_UNREADABLE"],
    ["the new key is another's", () => cp(at("ca.key"), at("next/ca.key")), "PKI_AUTHORITY_BROKEN"],
    ["the new certificate is no certificate", () => writeFile(at("next/ca.pem"), "x"), "PKI_AUTHORITY_BROKEN"],
    ["the old key is gone", () => rm(at("ca.key")), "PKI_UNREADABLE"],
    ["the old authority is gone", loseOld, "PKI_UNREADABLE"],
  ])("is an error and never a new authority when %s", async (_what, damage, code) => {
    await (await open()).rotate();
    await damage();
    const files = await readAll();
    await expect(open()).rejects.toMatchObject({ code });
    expect(await readAll()).toEqual(files);
  });

  it("leaves everything as it was when the new authority can't be written", async () => {
    const pki = await open();
    const before = fingerprints(pki);
    await rm(at(""), { recursive: true });
    await writeFile(at("").replace(/\/$/, ""), "in the way");
    await expect(pki.rotate()).rejects.toMatchObject({ code: "PKI_UNWRITABLE" });
    expect(fingerprints(pki)).toEqual(before);
  });

  async function emptyNext(): Promise<void> {
    await rm(at("next/ca.key"));
    await rm(at("next/ca.pem"));
  }

  async function loseOld(): Promise<void> {
    await rm(at("ca.key"));
    await rm(at("ca.pem"));
  }

  async function readAll(): Promise<string[]> {
    const entries = await readdir(at(""), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return Promise.all(files.sort().map(async (path) => `${path}: ${await readFile(path, "utf8")}`));
  }
});

describe("while two authorities overlap", () => {
  it("certificates of both are known, and of nobody else", async () => {
    const pki = await openPki({ trustDomain: "fairlead.test" });
    const stranger = await openPki({ trustDomain: "fairlead.test" });
    const before = await issueAgent(pki);
    await pki.rotate();
    const after = await issueAgent(pki);
    const [old, coming] = fingerprints(pki);
    const issuers = [before, after, await issueAgent(stranger)].map((certificate) => pki.issuerOf(certificate));
    expect(issuers).toEqual([old, coming, undefined]);
    await pki.retire();
    expect([before, after].map((certificate) => pki.issuerOf(certificate))).toEqual([undefined, coming]);
  });

  it("a second change waits for the first, and is refused", async () => {
    const pki = await open();
    const both = await Promise.allSettled([pki.rotate(), pki.rotate()]);
    expect(both).toMatchObject([{ status: "fulfilled" }, { reason: { code: "PKI_ROLLOVER_UNDER_WAY" } }]);
    const retired = await Promise.allSettled([pki.retire(), pki.retire()]);
    expect(retired).toMatchObject([{ status: "fulfilled" }, { reason: { code: "PKI_NOTHING_TO_RETIRE" } }]);
  });

  it("a hub whose old authority has ended starts with the new one", async () => {
    const pki = await open();
    const clock = createMovableClock(Date.now() + 2000 * 86_400_000);
    const later = await openPki({ dataDir, trustDomain: "fairlead.test", clock });
    await later.rotate();
    clock.move(2000 * 86_400_000);
    const last = await openPki({ dataDir, trustDomain: "fairlead.test", clock });
    expect(last.caFingerprint).toBe(fingerprints(last)[1]);
    expect(last.caFingerprint).not.toBe(pki.caFingerprint);
  });
});
