import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readDump } from "./read-dump.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-dump-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

const read = (isComplete = true) => readDump({ folder, isComplete, signal: new AbortController().signal });
const node = (name: string) => `apiVersion: v1\nkind: Node\nmetadata: {name: ${name}}\n`;

test("objects come from YAML and JSON, from documents, lists and folders", async () => {
  const items = [{ metadata: { name: "c", namespace: "x" } }, { metadata: { name: "d", namespace: "x" } }];
  await write({
    "nodes.yaml": `${node("a")}---\n---\n${node("b")}`,
    "deep/er/pods.json": JSON.stringify({ apiVersion: "v1", kind: "PodList", items }),
    "deep/all.yml": `apiVersion: v1\nkind: List\nitems:\n- ${node("e").trim().replaceAll("\n", "\n  ")}\n`,
    "readme.txt": "nothing",
    "empty.yaml": "",
  });
  const { snapshot, read: counted } = await read();
  expect(snapshot.list("nodes").map(({ metadata }) => metadata.name)).toEqual(["e", "a", "b"]);
  expect(snapshot.list("pods").map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(["Pod c", "Pod d"]);
  expect(counted).toEqual({ objects: 5, resources: ["nodes", "pods"] });
});

test("a folder that isn't said to be complete says nothing of what isn't in it", async () => {
  await write({ "nodes.yaml": node("a") });
  expect((await read(false)).snapshot.look("pods").is).toBe("hidden");
  expect((await read(true)).snapshot.look("pods").is).toBe("seen");
});

test("an object that two files have counts once, and its place is known", async () => {
  await write({ "a.yaml": node("a"), "b.yaml": `# again\n\n${node("a")}` });
  const { snapshot, placeOf } = await read();
  expect(snapshot.list("nodes")).toHaveLength(1);
  expect(placeOf({ resource: "nodes", name: "a" })).toEqual({ file: "b.yaml", line: 3 });
});

test("Secrets are left out", async () => {
  await write({ "a.yaml": `${node("a")}---\napiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: x}\n` });
  const { snapshot } = await read();
  expect(snapshot.listSeen("secrets")).toEqual([]);
});

test("symbolic links aren't followed, and are told of", async () => {
  await write({ "in/a.yaml": node("a") });
  await symlink("/etc", join(folder, "etc"));
  await symlink(join(folder, "in", "a.yaml"), join(folder, "z.yaml"));
  await symlink("..", join(folder, "in", "circle"));
  const { skippedLinks, read: counted } = await read();
  expect(counted.objects).toBe(1);
  expect(skippedLinks).toEqual(["etc", "in/circle", "z.yaml"]);
});

test.each([
  ["a key without a colon", `${node("a")}  odd\n`, /^bad\.yaml, line 4, column 1: /],
  ["a second document that isn't YAML", `${node("a")}---\na: [1\n`, /^bad\.yaml, line 6, column 1: /],
  ["something else", "just: text\n", /^bad\.yaml, line 1, column 1: this isn't an object with apiVersion and kind\.$/],
  [
    "no name",
    `${node("a")}---\n\napiVersion: v1\nkind: Pod\n`,
    /^bad\.yaml, line 6, column 1: this Pod has no metadata/,
  ],
  ["an item of a list", "apiVersion: v1\nkind: List\nitems: [1]\n", /: item 0 of this list: this isn't an object/],
  ["JSON that breaks off", '{"kind": "Pod",\n "apiVersion"', /^bad\.yaml, line 2, column /],
  ["aliases that multiply", `a: &a [x,x,x,x,x,x,x,x,x]\n${bomb()}`, /^bad\.yaml, line 1, column 1: Excessive alias/],
])("a mistake is named with file, line and column: %s", async (_, text, message) => {
  await write({ "bad.yaml": text });
  await expect(read()).rejects.toMatchObject({ code: "CLI_DUMP_INVALID", message: expect.stringMatching(message) });
});

function bomb(): string {
  const names = ["a", "b", "c", "d", "e", "f"];
  const line = (name: string, index: number) => `${name}: &${name} [${Array(9).fill(`*${names[index]}`).join(",")}]\n`;
  return names.slice(1).map(line).join("");
}

test("a file, and a folder that is too large, are refused before they are read", async () => {
  await write({ "big.yaml": "" });
  await truncate(join(folder, "big.yaml"), 17 * 1024 * 1024);
  await expect(read()).rejects.toMatchObject({
    code: "CLI_DUMP_TOO_LARGE",
    message: /big\.yaml is too large: the maximum is 16 MiB/,
  });
  await write({ [`${"d/".repeat(20)}a.yaml`]: node("a") });
  await expect(read()).rejects.toMatchObject({ code: "CLI_DUMP_TOO_LARGE" });
});

test("a folder without objects, or that isn't there, is an error", async () => {
  await expect(read()).rejects.toMatchObject({ code: "CLI_DUMP_EMPTY" });
  const gone = { folder: join(folder, "gone"), isComplete: true, signal: new AbortController().signal };
  await expect(readDump(gone)).rejects.toMatchObject({ code: "CLI_FILE_NOT_READ" });
});
