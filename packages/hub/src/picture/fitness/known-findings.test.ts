import { expect, test } from "vitest";
import { createKnownFindings } from "./known-findings.ts";
import type { FitnessStore } from "./store.ts";

test("only examinations that changed are read again", async () => {
  const { store, revisions, reads } = fakeStore({ east: 1, west: 2 });
  const findings = createKnownFindings({ store, history });
  const first = await findings.read(["east", "west"]);
  revisions.set("west", 3);
  const second = await findings.read(["east", "west"]);
  expect(reads).toEqual([["east", "west"], ["west"]]);
  expect(JSON.parse(first.get("west") ?? "")).toMatchObject({ fitness: "at 2" });
  expect(JSON.parse(second.get("west") ?? "")).toMatchObject({ fitness: "at 3" });
  expect(second.get("east")).toBe(first.get("east"));
});

test("an examination that is gone, or too large, is no longer shown", async () => {
  const { store, revisions } = fakeStore({ east: 1, west: 2 });
  const findings = createKnownFindings({ store, history });
  await findings.read(["east", "west"]);
  revisions.delete("east");
  revisions.set("west", tooLarge);
  expect((await findings.read(["east", "west"])).size).toBe(0);
});

test("a database that lost changes may mean another content by the same revision", async () => {
  const { store, reads } = fakeStore({ east: 1 });
  let mark = "one";
  const findings = createKnownFindings({ store, history: () => mark });
  await findings.read(["east"]);
  mark = "other";
  await findings.read(["east"]);
  await findings.read(["east"]);
  expect(reads).toEqual([["east"], ["east"]]);
});

test("what is kept is bounded, and what isn't kept is read again", async () => {
  const clusters = Array.from({ length: 250 }, (_, index) => `c${index}`);
  const { store, reads } = fakeStore(Object.fromEntries(clusters.map((name) => [name, 1])));
  const findings = createKnownFindings({ store, history, maxBytes: 10_000 });
  await findings.read(clusters);
  expect(reads.map(({ length }) => length)).toEqual([100, 100, 50]);
  reads.length = 0;
  expect((await findings.read(clusters)).size).toBe(250);
  expect(reads.flat().length).toBeGreaterThan(150);
  expect(reads.flat()).not.toContain("c249");
});

const tooLarge = -1;
const history = () => "one";

function fakeStore(given: Readonly<Record<string, number>>) {
  const revisions = new Map(Object.entries(given));
  const reads: (readonly string[])[] = [];
  const find = (clusters: readonly string[]) =>
    clusters.flatMap((cluster) => {
      const revision = revisions.get(cluster);
      return revision === undefined ? [] : [{ cluster, revision: String(revision) }];
    });
  const store: FitnessStore = {
    revisions: async (clusters) => find(clusters),
    async statuses(clusters) {
      reads.push(clusters);
      return find(clusters).map(({ cluster, revision }) => ({
        cluster,
        revision,
        status: revision === String(tooLarge) ? null : { fitness: `at ${revision}` },
      }));
    },
  };
  return { store, revisions, reads };
}
