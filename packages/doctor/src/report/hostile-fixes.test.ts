// The commands that `fairlead doctor --fix` prints contain names from objects, which anyone who writes objects chooses.
import { listStandIns } from "@fairlead/testkit/stand-ins";
import { expect, test } from "vitest";
import type { Fix } from "../checks/index.ts";
import { fairlead } from "../profiles/index.ts";
import { type ClusterObject, snapshotOfObjects } from "../snapshot/index.ts";
import { fixesOf, hostileVariants, runFixes, smuggledOptions } from "../testing/hostile-words.fixture.ts";
import { readStandIn } from "../testing/stand-ins.fixture.ts";
import { examineCluster } from "./examine.ts";
import { allChecks } from "./fitness.ts";
import type { CheckReport } from "./report.ts";

test("no name, namespace, label or host of any known installation becomes a command or an option", () => {
  const fixes = new Map<string, Fix>();
  for (const standIn of listStandIns()) {
    for (const objects of hostileVariants(readStandIn(standIn))) {
      for (const fix of fixesOf(examine(objects))) fixes.set(JSON.stringify(fix), fix);
    }
  }
  const hostile = [...fixes.values()].filter((fix) => JSON.stringify(fix).includes("touch stolen"));
  expect(new Set(hostile.map(({ is }) => is))).toEqual(new Set(["patch", "manifest", "helm-values"]));
  const { wasStolen, commands } = runFixes(hostile);
  expect(wasStolen).toBe(false);
  expect(commands.length).toBeGreaterThanOrEqual(hostile.length);
  expect(commands.flatMap(smuggledOptions)).toEqual([]);
}, 120_000);

function examine(objects: readonly ClusterObject[]): { readonly checks: readonly CheckReport[] } {
  const snapshot = snapshotOfObjects({ objects, isComplete: true });
  const at = { profile: fairlead, clusterType: "eks", now: new Date("2026-03-01T00:00:00Z") } as const;
  return { checks: allChecks(examineCluster({ snapshot, ...at })) };
}
