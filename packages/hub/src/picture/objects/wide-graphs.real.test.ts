// Owners and searches as a cluster or a caller would have them who wants to keep the hub busy.
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { caller, nowMs, type ObjectsHarness, setObjectsHarness } from "./objects-harness.fixture.ts";

let harness: ObjectsHarness;
const asking = { principal: caller("everything", { clusters: ["east"] }), nowMs };

beforeAll(async () => {
  harness = await setObjectsHarness(["east"]);
  await harness.add("east", "pods", { name: "plain", namespace: "plain" });
}, 60_000);
afterAll(() => harness?.[Symbol.asyncDispose]());

describe("an object's owners", () => {
  it("of which each has 64 more, some of them in circles, are a hundred at most", async () => {
    const levels: string[][] = [];
    for (const level of ["a", "b", "c", "d"]) {
      const uids: string[] = [];
      for (let index = 0; index < 64; index++)
        uids.push(await harness.add("east", "pods", { name: `${level}-${index}`, namespace: "wide" }));
      levels.push(uids);
    }
    // The last level is owned by the first one again.
    for (const [index, uids] of levels.entries()) await own(uids, levels[(index + 1) % levels.length] ?? []);
    const [first = ""] = levels[0] ?? [];
    const { owners } = await harness.objects.get({ cluster: "east", uid: first }, asking);
    expect(owners).toHaveLength(100);
    expect(owners.slice(0, 64).map(({ name }) => name)).toEqual(expect.arrayContaining(["b-0", "b-63"]));
  });

  it("that are a long chain are told for eight levels", async () => {
    const uids: string[] = [];
    for (let index = 0; index < 20; index++)
      uids.push(
        await harness.add("east", "pods", { name: `deep-${index}`, namespace: "deep", owner: uids.at(-1) ?? "none" }),
      );
    const { owners } = await harness.objects.get({ cluster: "east", uid: uids.at(-1) ?? "" }, asking);
    expect(owners.map(({ name }) => name)).toEqual(Array.from({ length: 8 }, (_, index) => `deep-${18 - index}`));
  });
});

describe("a search", () => {
  it.each(["%", "_", "\\", "%".repeat(256), "(a+)+$", ".*", "' or true --", "[a-z]"])(
    "for %j looks for just this text",
    async (search) => {
      const { items } = await harness.objects.list({ kind: "pods", namespace: "plain", search }, asking);
      expect(items).toEqual([]);
    },
  );
});

async function own(uids: readonly string[], owners: readonly string[]): Promise<void> {
  await sql`update inventory_object set owners = ${[...owners]}::text[] where uid = any(${[...uids]}::text[])`.execute(
    harness.db,
  );
}
