import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { loadChanged, loadDeclarations } from "./load.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-load-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const head = "apiVersion: fairlead.dev/v1\n";

async function refusal(text: string): Promise<{ code: string; message: string }> {
  await writeFile(join(folder, "a.yaml"), text);
  return await loadDeclarations(folder).then(
    () => ({ code: "none", message: "" }),
    ({ code, message }) => ({ code, message }),
  );
}

describe("a folder", () => {
  it("as a ConfigMap's mount has it is read through its links, and again when it is swapped", async () => {
    await mkdir(join(folder, "..one"));
    await writeFile(join(folder, "..one", "all.yaml"), `${head}kind: Cluster\nname: east\n`);
    await symlink("..one", join(folder, "..data"));
    await symlink("..data/all.yaml", join(folder, "all.yaml"));
    const first = await loadDeclarations(folder);
    expect(first.wanted.clusters).toMatchObject([
      { name: "east", roles: ["proxy"], identityEpoch: 0, file: "all.yaml" },
    ]);
    expect(await loadChanged(folder, first.digest)).toBeUndefined();

    await mkdir(join(folder, "..two"));
    await writeFile(join(folder, "..two", "all.yaml"), "# nothing on purpose\n");
    await symlink("..two", join(folder, "..data.new"));
    await rename(join(folder, "..data.new"), join(folder, "..data"));
    expect((await loadChanged(folder, first.digest))?.wanted.clusters).toEqual([]);
  });

  it("without any file, or that isn't there, is refused: it may be the wrong one", async () => {
    await writeFile(join(folder, "notes.txt"), "not read");
    await expect(loadDeclarations(folder)).rejects.toMatchObject({ code: "DECLARATIONS_NONE" });
    await expect(loadDeclarations(join(folder, "gone"))).rejects.toMatchObject({
      code: "DECLARATIONS_UNREADABLE",
      message: expect.stringContaining("ENOENT"),
    });
  });

  it("is bounded in files and in bytes", async () => {
    await writeFile(join(folder, "big.yaml"), `#${"x".repeat(8 * 1024 * 1024)}`);
    await expect(loadDeclarations(folder)).rejects.toMatchObject({ code: "DECLARATIONS_TOO_MANY" });
    await rm(join(folder, "big.yaml"));
    await Promise.all(Array.from({ length: 257 }, (_, at) => writeFile(join(folder, `${at}.yaml`), "")));
    await expect(loadDeclarations(folder)).rejects.toThrow("more than 256 files");
  });

  it("with something else than a file is refused without waiting for it", async () => {
    await mkdir(join(folder, "folder.yaml"));
    await expect(loadDeclarations(folder)).rejects.toMatchObject({ code: "DECLARATIONS_UNREADABLE" });
  });
});

const binding = (more: string): string =>
  `${head}kind: Binding\nname: b\nclusters: { all: true }\nsubject: { kind: group, name: g }\n${more}`;
const sha256 = "a".repeat(64);
const robot = (name: string, token = `{ sha256: ${sha256}, expiresAt: 2030-01-01T00:00:00Z }`): string =>
  `${head}kind: Robot\nname: ${name}\ntokens: [${token}]\n`;

test.each([
  ["broken YAML", "kind: [", /^a\.yaml, line 1: the YAML is invalid: /],
  ["a key twice", `${head}kind: Cluster\nname: a\nname: b\n`, /^a\.yaml, line 4: the YAML is invalid: /],
  ["a list", "- a\n", /it isn't a mapping/],
  ["an alias", `${head}kind: &k Cluster\nname: *k\n`, /aliases aren't taken/],
  ["another version", "apiVersion: v1\nkind: Cluster\nname: a\n", /apiVersion isn't fairlead\.dev\/v1/],
  ["another kind", `${head}kind: ConfigMap\nname: a\n`, /its kind isn't one of Cluster/],
  ["no name", `${head}kind: Cluster\n`, /Cluster: name: is missing/],
  ["a name that is none", `${head}kind: Cluster\nname: A/B\n`, /name: isn't a DNS label/],
  [
    "a misspelt member",
    `${head}kind: Cluster\nname: a\nrols: [proxy]\n`,
    /line 1: Cluster a: Unrecognized key: "rols"/,
  ],
  [
    "a label that is none",
    `${head}kind: Cluster\nname: a\nlabels:\n  env: "a b"\n`,
    /line 5: Cluster a: labels\.env: /,
  ],
  ["a role that is none", `${head}kind: Cluster\nname: a\nroles: [king]\n`, /Cluster a: roles\.0: /],
  ["an epoch below 0", `${head}kind: Cluster\nname: a\nidentityEpoch: -1\n`, /identityEpoch: /],
  [
    "a cluster twice",
    `${head}kind: Cluster\nname: a\n---\n${head}kind: Cluster\nname: a\n`,
    /line 5: Cluster a: it is already in a\.yaml, line 1/,
  ],
  ["a built-in role", `${head}kind: Role\nname: admin\n`, /built in/],
  ["a system group", `${head}kind: Role\nname: r\ngroups: ["system:masters"]\n`, /under system:/],
  ["a role of nobody's", binding("role: unknown\n"), /Binding b: the role unknown is neither declared nor built in/],
  [
    "a robot of nobody's",
    binding("role: viewer\n").replace("group, name: g", "robot, name: r"),
    /the robot r isn't declared/,
  ],
  ["an admin token", binding("role: admin\n").replace("group, name: g", "admin-token, name: admin"), /can't be bound/],
  [
    "a token and not its hash",
    robot("r", `{ sha256: flb_${"0".repeat(52)}, expiresAt: 2030-01-01T00:00:00Z }`),
    /isn't a SHA-256/,
  ],
  ["a token without end", robot("r", `{ sha256: ${sha256} }`), /expiresAt: isn't a time/],
  ["one token of two robots", `${robot("r")}---\n${robot("s")}`, /one of its tokens also belongs to the robot r/],
  ["a limit of 0", `${head}kind: Limits\nuserRequests: 0\n`, /Limits: userRequests: /],
  ["limits twice", `${head}kind: Limits\n---\n${head}kind: Limits\n`, /they are already in a\.yaml, line 1/],
])("%s is refused by file, line and member", async (_what, text, message) => {
  const found = await refusal(text);
  expect(found.code).toMatch(/^DECLARATION_(SYNTAX|INVALID)$/);
  expect(found.message).toMatch(message);
  expect(found.message).not.toContain("0".repeat(20));
});
