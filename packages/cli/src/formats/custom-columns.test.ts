import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectItem } from "@fairlead/contract";
import { parseExactJson } from "@fairlead/kernel";
import { expect, test } from "vitest";
import { createCli } from "../testing/cli.fixture.ts";
import { startContractHub } from "../testing/hub.fixture.ts";
import { makeList, makePod } from "../testing/objects.fixture.ts";

const object = {
  metadata: { name: "web-0", labels: { "app.kubernetes.io/name": "web", b: "2" }, finalizers: ["x", "y"] },
  spec: { nodeName: "node-1", containers: [{ image: "a:1" }, { image: "b:2" }], priority: 0, hostNetwork: false },
};

async function list(items: readonly ObjectItem[], ...args: string[]) {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  await writeFile(join(cli.home, "columns"), "NAME          IMAGES\nmetadata.name {.spec.containers[*].image}\n");
  const body = makeList({ items: [...items] });
  for (const query of ["kind=pods&include=object&sort=cluster&limit=100", "kind=pods&sort=cluster&limit=500"]) {
    hub.routes.set(`GET /api/v1/objects?${query}`, () => ({ status: 200, body }));
  }
  return await cli.run(["get", "pods", ...args.map((arg) => arg.replace("HOME", cli.home))]);
}

async function columnsOf(spec: string, ...more: string[]): Promise<string> {
  const result = await list([makePod("east", "web-0", { object })], "-o", `custom-columns=${spec}`, ...more);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  return result.stdout;
}

test("columns are what their paths find, written in any of kubectl's ways", async () => {
  expect(await columnsOf("NAME:.metadata.name,Node:spec.nodeName,C:{.cluster},D:{metadata.name}")).toBe(
    "NAME   Node    C     D\nweb-0  node-1  east  web-0\n",
  );
});

test.each([
  [".spec.containers[*].image", "a:1,b:2"],
  [".spec.containers[-1:].image", "b:2"],
  [".spec.containers[5].image", "<none>"],
  [".spec.nothing.at.all", "<none>"],
  [".spec.priority", "0"],
  [".spec.hostNetwork", "false"],
  [".metadata.labels", "map[app.kubernetes.io/name:web b:2]"],
  [".metadata.labels.app\\.kubernetes\\.io/name", "web"],
  [".metadata.finalizers", "[x y]"],
  [".spec.containers", "[map[image:a:1] map[image:b:2]]"],
])("%s is %s", async (path, cell) => {
  expect(await columnsOf(`X:${path}`, "--no-headers")).toBe(`${cell}\n`);
});

test.each([
  ["json", /"big": 9007199254740993\b/],
  ["yaml", /^ +big: 9007199254740993$/m],
  ["jsonpath={.items[*].spec.big}", /^9007199254740993$/],
  ["custom-columns=X:.spec.big,Y:.spec", /^9007199254740993 +map\[big:9007199254740993\]$/m],
])("-o %s has all digits of whole numbers of 64 bits", async (format, printed) => {
  const item = makePod("east", "web-0", {
    object: parseExactJson('{"spec":{"big":9007199254740993}}') as Record<string, unknown>,
  });
  expect((await list([item], "-o", format)).stdout).toMatch(printed);
});

test("as with kubectl the headings stand over nothing too", async () => {
  const none = await list([], "-o", "custom-columns=NAME:.metadata.name,NODE:.spec.nodeName");
  expect(none).toEqual({ code: 0, stdout: "NAME  NODE\n", stderr: "No resources found.\n" });
});

test("columns can stand in a file", async () => {
  const { stdout } = await list([makePod("east", "web-0", { object })], "-o", "custom-columns-file=HOME/columns");
  expect(stdout).toBe("NAME   IMAGES\nweb-0  a:1,b:2\n");
});

test("a table is shown without its headings when asked", async () => {
  const { stdout } = await list([makePod("east", "web-0")], "--no-headers");
  expect(stdout).toBe("east  shop  web-0  1/1  0  5m30s  3s\n");
});

test.each([
  ["custom-columns=", "'' isn't a valid custom column"],
  ["custom-columns=NAME", "'NAME' isn't a valid custom column"],
  ["custom-columns=:.metadata.name", "isn't a valid custom column"],
  ["custom-columns=NAME:", "isn't a path to a field"],
  ["custom-columns=NAME:{.a}{.b}", "isn't a path to a field"],
  ["custom-columns-file=HOME/missing", "can't be read"],
  ["custom-columns-file=HOME/.config/fairlead/config.json", "doesn't define custom columns"],
])("%s is refused", async (format, why) => {
  const result = await list([], "-o", format);
  expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining(why) });
  expect([1, 2]).toContain(result.code);
});
