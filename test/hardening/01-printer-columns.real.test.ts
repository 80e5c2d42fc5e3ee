// A cluster whose CRD has 1,300 columns that each show a whole object of 200 kB.
import type { KindInventory, ObjectList } from "@fairlead/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestHub, type TestHub } from "../../packages/hub/src/hub.fixture.ts";
import { ask, reportKinds } from "../../packages/hub/src/report.fixture.ts";

let harness: TestHub;
const kibibyte = 1024;
const columns = Array.from({ length: 1_300 }, (_, index) => ({ name: `c${index}`, jsonPath: ".spec" }));
const text = "\u0007".repeat(100 * kibibyte);
const objects = Array.from({ length: 12 }, (_, index) => ({
  name: `bomb-${index}`,
  namespace: "default",
  spec: { text, items: Array.from({ length: 20_000 }, () => [1]) },
}));
const wild = [".spec.items[*][*][*].absent", ".spec.items[?(@.a.b.c==1)].x", ".*.*.*.*.*", ".spec..items"];

beforeAll(async () => {
  harness = await openTestHub();
  const bombs = { group: "example.com", resource: "bombs", kind: "Bomb", printerColumns: columns, objects };
  const paths = wild.map((jsonPath, index) => ({ name: `w${index}`, type: "string", jsonPath }));
  const long = [
    { name: "n".repeat(5_000), type: "string", description: "d".repeat(5_000), jsonPath: ".metadata.name" },
  ];
  const mazes = { ...bombs, resource: "mazes", kind: "Maze", printerColumns: [...paths, ...long] };
  await reportKinds(harness, "east", [bombs, mazes]);
}, 300_000);
afterAll(() => harness?.[Symbol.asyncDispose]());

describe("01: a kind with more columns than anyone reads", () => {
  test("is shown with 32 of them, in cells of at most 1 KiB that say that they are cut", async () => {
    const { status, text: sent, json } = await ask(harness, "/api/v1/objects?kind=bombs&limit=500");
    const { items, tables } = json as ObjectList;

    expect(status).toBe(200);
    expect(items).toHaveLength(objects.length);
    expect(tables[0]?.columns).toHaveLength(33);
    const cells = items.flatMap((item) => item.cells.slice(1));
    for (const cell of cells) {
      expect(Buffer.byteLength(JSON.stringify(cell))).toBeLessThanOrEqual(kibibyte + 2);
      expect(String(cell)).toMatch(/…$/);
    }
    expect(sent.length).toBeLessThan(1024 * kibibyte);
  });

  test("costs no more work than a row is worth, whatever its paths lead through", async () => {
    const startedMs = performance.now();
    const { json } = await ask(harness, "/api/v1/objects?kind=mazes&limit=500");
    const { items, tables } = json as ObjectList;

    expect(performance.now() - startedMs).toBeLessThan(20_000);
    expect(items[0]?.cells.slice(1, 4)).toContain("…");
    const [name, description] = [tables[0]?.columns.at(-1)?.name ?? "", tables[0]?.columns.at(-1)?.description ?? ""];
    expect([name.length, description.length].every((length) => length <= 256)).toBe(true);
    expect(name).toMatch(/^n+…$/);
  });

  test("leaves the hub alive and its copy readable", async () => {
    const { status, json } = await ask(harness, "/api/v1/clusters/east/inventory");

    expect(status).toBe(200);
    expect((json as { kinds: KindInventory[] }).kinds).toHaveLength(2);
  });
});
