import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "@fairlead/protocol/x509";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openPki } from "./index.ts";

let folder: string;
const fingerprints = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-given-"));
  for (const name of ["one", "two"]) {
    const { caPem, keyPem, fingerprint } = await createAuthority({ commonName: name, days: 1 });
    await writeFile(join(folder, `${name}.pem`), caPem);
    await writeFile(join(folder, `${name}.key`), keyPem);
    fingerprints.set(name, fingerprint);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function open(current: string, next?: string, key = current) {
  const pair = (name: string, keyName = name) => ({
    certFile: join(folder, `${name}.pem`),
    keyFile: join(folder, `${keyName}.key`),
  });
  return openPki({
    trustDomain: "fairlead.test",
    given: { current: pair(current, key), next: next === undefined ? undefined : pair(next) },
  });
}

it("is the authority, and can't be changed by the hub", async () => {
  await using pki = await open("one");
  expect(pki.caFingerprints).toEqual([fingerprints.get("one")]);
  await expect(pki.rotate()).rejects.toMatchObject({ code: "PKI_GIVEN" });
});

it("overlaps with the one that follows it, which then takes its place", async () => {
  await using both = await open("one", "two");
  expect(both.caFingerprints).toEqual([fingerprints.get("one"), fingerprints.get("two")]);
  expect(both.rollover.is).toBe("overlapping");
  await expect(both.retire()).rejects.toMatchObject({ code: "PKI_GIVEN" });
  await using after = await open("two", "two");
  expect(after.rollover.is).toBe("single");
});

it.each([
  ["a key that is another's", "one", "two"],
  ["no file", "none", "none"],
])("%s is refused without a word of what is in it", async (_what, cert, key) => {
  await expect(open(cert, undefined, key)).rejects.toMatchObject({
    code: "PKI_GIVEN_UNUSABLE",
    message: expect.not.stringMatching(/BEGIN/),
  });
});
