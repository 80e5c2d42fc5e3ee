// Fewer rights may make a report say less, and never make it better. Clusters of stand-ins with some values taken away
// are examined with all rights and with fewer.
import { listStandIns } from "@fairlead/testkit/stand-ins";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fairlead } from "../profiles/index.ts";
import { type ClusterObject, type Snapshot, snapshotOfObjects } from "../snapshot/index.ts";
import { type MissingRights, readWithout, resourcesOf } from "../testing/rights.fixture.ts";
import { readStandIn } from "../testing/stand-ins.fixture.ts";
import { examineCluster } from "./examine.ts";
import type { Report } from "./report.ts";

const standIns = listStandIns().map(readStandIn);

test("with fewer rights nothing passes that doesn't pass, and no addon seems absent or healthy that isn't", () => {
  fc.assert(
    fc.property(clusterAndRights(), ({ objects, rights }) => {
      const before = summarize(examine(snapshotOfObjects({ objects, isComplete: true })));
      const after = summarize(examine(readWithout(objects, rights)));
      expect(improvements(before, after)).toEqual([]);
    }),
    { numRuns: 150 },
  );
}, 120_000);

test("the order of objects changes nothing", () => {
  const clusters = cluster().chain((objects) =>
    fc.record({
      objects: fc.constant(objects),
      others: fc.shuffledSubarray([...objects], { minLength: objects.length }),
    }),
  );
  fc.assert(
    fc.property(clusters, ({ objects, others }) => {
      const [report, other] = [objects, others].map((each) =>
        examine(snapshotOfObjects({ objects: each, isComplete: true })),
      );
      expect(JSON.stringify(other)).toBe(JSON.stringify(report));
    }),
    { numRuns: 50 },
  );
}, 120_000);

function examine(snapshot: Snapshot): Report {
  return examineCluster({ snapshot, profile: fairlead, clusterType: "eks", now: new Date("2026-03-01T00:00:00Z") });
}

/** Up to four stand-ins beside each other, of which some values are taken away. */
function cluster(): fc.Arbitrary<ClusterObject[]> {
  return fc
    .record({
      parts: fc.subarray(standIns, { minLength: 1, maxLength: 4 }),
      cuts: fc.array(fc.record({ object: fc.nat(), steps: fc.array(fc.nat(), { minLength: 1, maxLength: 8 }) }), {
        maxLength: 3,
      }),
    })
    .map(({ parts, cuts }) => {
      const objects = structuredClone(withoutTwins(parts.flat()));
      for (const { object, steps } of cuts) cut(objects[object % objects.length], steps);
      return objects;
    });
}

function clusterAndRights(): fc.Arbitrary<{ readonly objects: ClusterObject[]; readonly rights: MissingRights }> {
  return cluster().chain((objects) => {
    const resources = resourcesOf(objects);
    const namespaces = [...new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []))];
    const groups = [...new Set(resources.map((resource) => resource.split(".").slice(1).join(".")))].filter(Boolean);
    return fc.record({
      objects: fc.constant(objects),
      rights: fc.record({
        hidden: fc.subarray(resources).map((each) => new Set(each)),
        limited: fc.subarray(resources, { maxLength: 5 }).map((each) => new Set(each)),
        namespaces: fc.subarray(namespaces),
        undiscovered: fc.oneof(fc.constant([]), fc.subarray(groups, { maxLength: 2 })),
      }),
    });
  });
}

/** Shapes of one addon name the same definitions; a cluster has each once. */
function withoutTwins(objects: readonly ClusterObject[]): ClusterObject[] {
  return [
    ...new Map(
      objects.map((object) => [`${object.kind} ${object.metadata.namespace} ${object.metadata.name}`, object]),
    ).values(),
  ];
}

/** Walks down by the steps and takes away what it comes to. Names stay, since no object is without one. */
function cut(object: ClusterObject | undefined, steps: readonly number[]): void {
  let at = (object ?? {}) as Record<string, unknown>;
  for (const [index, step] of steps.entries()) {
    const keys = Object.keys(at).filter((key) => !["apiVersion", "kind", "metadata", "name"].includes(key));
    const key = keys[step % keys.length];
    if (key === undefined) return;
    const value = at[key];
    if (index === steps.length - 1 || typeof value !== "object" || value === null) {
      if (Array.isArray(at)) at.splice(Number(key), 1);
      else delete at[key];
      return;
    }
    at = value as Record<string, unknown>;
  }
}

/** `addon`, `check` or `feature`, with what is said of it. */
function summarize({ addons, checks, features }: Report): Map<string, string> {
  return new Map([
    ...addons.map(({ id, state }) => [`addon ${id}`, state] as const),
    ...[...addons.flatMap((addon) => addon.checks), ...checks].map(
      ({ check, verdict }) => [`check ${check.id}`, verdict.is] as const,
    ),
    ...features.map(({ feature, state }) => [`feature ${feature}`, state] as const),
  ]);
}

/** Answers that may stand only where they stood before. */
const certain = ["pass", "absent", "crds-only", "healthy", "provider-managed"];

function improvements(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...after].flatMap(([name, said]) => {
    const earlier = before.get(name);
    const isBetter = certain.includes(said) && earlier !== said;
    const isUnblocked = said === "available" && earlier !== "available" && earlier !== "degraded";
    return isBetter || isUnblocked ? [`${name} is ${said}, and was ${earlier}`] : [];
  });
}
