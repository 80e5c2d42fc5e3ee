import { createMovableClock } from "@fairlead/kernel/testing";
import { expect, it } from "vitest";
import type { CopyStore, KindRow } from "./copy-store.ts";
import { createFreshness } from "./freshness.ts";
import { loadCopies } from "./load-copies.ts";

it("what is known of clusters stays until all is read again, and then nothing else is", async () => {
  const freshness = createFreshness({ clock: createMovableClock() });
  await loadCopies(storeOf(["pods", "secrets"]), freshness);
  const counted = Promise.withResolvers<void>();
  const loading = loadCopies(storeOf(["pods", "nodes"], counted.promise), freshness);
  // The first of two reads has been answered.
  await new Promise((resolve) => setImmediate(resolve));
  expect(kindsOf()).toEqual([
    ["pods", 4],
    ["secrets", 7],
  ]);
  counted.resolve();
  await loading;
  expect(kindsOf()).toEqual([
    ["pods", 4],
    ["nodes", 5],
  ]);

  function kindsOf(): [string, number][] {
    return [...(freshness.of("east")?.kinds ?? [])].map(([kind, { objects }]) => [kind, objects]);
  }
});

/** The number of a kind's objects is the length of its name. */
function storeOf(
  kinds: readonly string[],
  counted: Promise<void> = Promise.resolve(),
): Parameters<typeof loadCopies>[0] {
  return {
    clusters: {
      load: async () =>
        ({ clusters: [], kinds: kinds.map((kind) => ({ cluster: "east", kind }) as KindRow) }) satisfies Awaited<
          ReturnType<CopyStore["load"]>
        >,
    },
    objects: {
      async countObjects() {
        await counted;
        return kinds.map((kind) => ({ cluster: "east", kind, objects: kind.length }));
      },
    },
  };
}
