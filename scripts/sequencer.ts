import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Starts the files that last longest first, so that none of them runs alone at the end. A clone that has never run them
 * doesn't know which ones these are.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => compareProjects(one, other) || rankOf(one) - rankOf(other));
  }
}

/** A process serves one project. */
function compareProjects({ project: one }: TestSpecification, { project: other }: TestSpecification): number {
  if (one === other) return 0;
  return one.config.sequence.groupOrder - other.config.sequence.groupOrder || (one.name < other.name ? -1 : 1);
}

function rankOf({ moduleId }: TestSpecification): number {
  const index = longest.indexOf(relative(root, moduleId));
  return index === -1 ? longest.length : index;
}

const root: string = new URL("..", import.meta.url).pathname;

/** The table at the end of a run tells them. */
export const longest: readonly string[] = [
  "test/e2e/kubectl-matrix.real.test.ts",
  "test/faults/inventory-outage.real.test.ts",
  "test/faults/failover.real.test.ts",
  "test/e2e/hubs.real.test.ts",
  "test/e2e/renewal.real.test.ts",
  "test/packaging/packages.real.test.ts",
  "test/faults/inventory-events.real.test.ts",
  "test/e2e/versions.real.test.ts",
  "test/e2e/charts.real.test.ts",
  "packages/kube/src/reflector/faults.real.test.ts",
  "test/packaging/images.real.test.ts",
  "test/packaging/images-run.real.test.ts",
  "test/e2e/charts-install.real.test.ts",
  "test/faults/inventory-history.real.test.ts",
  "packages/cli/src/kubectl.real.test.ts",
  "test/faults/power-cut.real.test.ts",
  "test/e2e/cluster-attach.real.test.ts",
  "test/faults/inventory-api-server.real.test.ts",
  "test/faults/hubs.real.test.ts",
  "test/faults/slow-clients.real.test.ts",
  "test/faults/broken-streams.real.test.ts",
  "test/hardening/12-more-roles.real.test.ts",
  "test/e2e/ca-rollover.real.test.ts",
  "test/faults/inventory-leaders.real.test.ts",
  "test/e2e/drain.real.test.ts",
  "test/hardening/13-old-node.real.test.ts",
  "test/hardening/02-one-cluster-takes-all.real.test.ts",
  "test/e2e/get.real.test.ts",
  "test/hardening/11-another-cluster.real.test.ts",
  "test/faults/restarts.real.test.ts",
  "packages/hub/src/platform/server/slow-connections.real.test.ts",
  "packages/hub/src/platform/store/database/faults.real.test.ts",
  "packages/hub/src/reach/links/lives.real.test.ts",
  "packages/hub/src/reach/links/hostile-peers.real.test.ts",
  "packages/hub/src/reach/hubs/hubs.real.test.ts",
  "packages/hub/src/picture/live/several-hubs.real.test.ts",
  "packages/hub/src/admin-token-command.real.test.ts",
  "packages/hub/src/store-command.real.test.ts",
];
