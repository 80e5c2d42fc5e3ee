import { randomBytes } from "node:crypto";
import { chmod, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type KeySealFiles, openPki, type Pki } from "./index.ts";

let folder: string;
let dataDir: string;
let one: string;
let two: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-seal-"));
  dataDir = join(folder, "data");
  [one, two] = [await makeKey("one", "base64"), await makeKey("two", "hex")];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function makeKey(name: string, encoding: "base64" | "hex"): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `${randomBytes(32).toString(encoding)}\n`, { mode: 0o600 });
  return path;
}

const open = (keySeal?: KeySealFiles): Promise<Pki> => openPki({ dataDir, trustDomain: "fairlead.test", keySeal });
const at = (name: string): string => join(dataDir, "pki", name);
const readKeys = (): Promise<string[]> =>
  Promise.all(["ca.key", "next/ca.key"].map((name) => readFile(at(name), "utf8").catch(() => "")));

describe("with a key encryption key", () => {
  it("no key of an authority is on disk in plain, while one follows another, and after", async () => {
    const pki = await open({ file: one });
    await pki.rotate();
    for (const text of await readKeys()) {
      expect(text).toContain("aes-256-gcm");
      expect(text).not.toContain("PRIVATE KEY");
    }
    const { caPem } = await open({ file: one });
    expect(caPem).toBe(pki.caPem);
    await pki.retire();
    expect((await open({ file: one })).caPem).toBe(pki.caPem);
    expect((await readKeys()).join("")).not.toContain("PRIVATE KEY");
  });

  it("keys that are there in plain are encrypted at the next start, for their owner alone", async () => {
    const pki = await open();
    await pki.rotate();
    expect((await readKeys()).every((text) => text.includes("PRIVATE KEY"))).toBe(true);
    expect((await open({ file: one })).caPem).toBe(pki.caPem);
    expect((await readKeys()).join("")).not.toContain("PRIVATE KEY");
    expect((await stat(at("ca.key"))).mode & 0o777).toBe(0o600);
    expect((await readdir(at(""))).sort()).toEqual(["ca.key", "ca.pem", "next"]);
  });

  it("that changes, keys are encrypted anew by the new one alone, also after a start that was cut off between two", async () => {
    const pki = await open({ file: one });
    await pki.rotate();
    const [, nextByOne = ""] = await readKeys();
    expect((await open({ file: two, previousFile: one })).caPem).toBe(pki.caPem);
    await writeFile(at("next/ca.key"), nextByOne);
    await expect(open({ file: two })).rejects.toMatchObject({ code: "PKI_KEY_ENCRYPTION_KEY_WRONG" });
    await open({ file: two, previousFile: one });
    expect((await open({ file: two })).caPem).toBe(pki.caPem);
    await expect(open({ file: one })).rejects.toMatchObject({ code: "PKI_KEY_ENCRYPTION_KEY_WRONG" });
  });

  it("each writing has a nonce of its own", async () => {
    await (await open({ file: one })).rotate();
    const nonces = (await readKeys()).map((text) => JSON.parse(text).nonce);
    expect(new Set(nonces).size).toBe(2);
  });
});

describe("an encrypted key", () => {
  const changed = (member: string) => async (): Promise<void> => {
    const sealed = JSON.parse(await readFile(at("ca.key"), "utf8"));
    const bytes = Buffer.from(sealed[member], "base64");
    bytes.writeUInt8(bytes.readUInt8(0) ^ 1);
    await writeFile(at("ca.key"), JSON.stringify({ ...sealed, [member]: bytes.toString("base64") }));
  };
  const halved = async (): Promise<void> =>
    writeFile(at("ca.key"), (await readFile(at("ca.key"), "utf8")).slice(0, 80));
  const shortTag = async (): Promise<void> => {
    const sealed = JSON.parse(await readFile(at("ca.key"), "utf8"));
    const tag = Buffer.from(sealed.tag, "base64").subarray(0, 4).toString("base64");
    await writeFile(at("ca.key"), JSON.stringify({ ...sealed, tag }));
  };
  const ofNext = (): Promise<void> => cp(at("next/ca.key"), at("ca.key"));

  it.each([
    ["without its key", async () => undefined, () => ({}), "PKI_KEY_ENCRYPTION_KEY_MISSING"],
    ["with another key", async () => undefined, () => ({ file: two }), "PKI_KEY_ENCRYPTION_KEY_WRONG"],
    ["with changed data", changed("data"), () => ({ file: one }), "PKI_SEALED_KEY_DAMAGED"],
    ["with a changed nonce", changed("nonce"), () => ({ file: one }), "PKI_SEALED_KEY_DAMAGED"],
    ["with a changed tag", changed("tag"), () => ({ file: one }), "PKI_SEALED_KEY_DAMAGED"],
    ["with a shortened tag", shortTag, () => ({ file: one }), "PKI_SEALED_KEY_DAMAGED"],
    ["cut in half", halved, () => ({ file: one }), "PKI_SEALED_KEY_DAMAGED"],
    ["of the other authority", ofNext, () => ({ file: one }), "PKI_SEALED_KEY_DAMAGED"],
  ])("%s is an error, and nothing is written", async (_what, damage, files, code) => {
    await (await open({ file: one })).rotate();
    await damage();
    const before = await readKeys();
    await expect(open(files())).rejects.toMatchObject({ code });
    expect(await readKeys()).toEqual(before);
  });
});

describe("a key file", () => {
  it.each([
    ["isn't there", () => rm(one)],
    ["is empty", () => writeFile(one, "")],
    ["is too short", () => writeFile(one, randomBytes(16).toString("base64"))],
    ["is too long", () => writeFile(one, randomBytes(33).toString("hex"))],
    ["holds something else", () => writeFile(one, "correct horse battery staple")],
    ["is open to everyone", () => chmod(one, 0o644)],
    ["can be written by its group", () => chmod(one, 0o660)],
  ])("that %s is refused, and no authority is made", async (_what, spoil) => {
    await spoil();
    await expect(open({ file: one })).rejects.toMatchObject({ code: "PKI_KEY_ENCRYPTION_KEY_INVALID" });
    await expect(stat(dataDir)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("that its group may read is taken, as Kubernetes mounts Secrets so", async () => {
    await chmod(one, 0o440);
    await open({ file: one });
  });
});
