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
  "test/e2e/argo-managed.real.test.ts",
  "test/packaging/images.real.test.ts",
  "packages/agent/src/execute/changes-after-approval.real.test.ts",
  "test/e2e/argo-fitness.real.test.ts",
  "test/e2e/commands-helm.real.test.ts",
  "test/faults/commands-underway.real.test.ts",
  "test/packaging/packages.real.test.ts",
  "test/e2e/python-client.real.test.ts",
  "test/e2e/commands.real.test.ts",
  "packages/cli/src/kubectl.real.test.ts",
  "test/e2e/renewal.real.test.ts",
  "packages/kube/src/reflector/faults.real.test.ts",
  "test/faults/argo-applications.real.test.ts",
  "packages/agent/src/execute/tofu/modules.real.test.ts",
  "test/packaging/images-run.real.test.ts",
  "test/faults/failover.real.test.ts",
  "test/faults/inventory-api-server.real.test.ts",
  "test/e2e/cluster-attach.real.test.ts",
  "packages/agent/src/execute/helm/chart/archives.real.test.ts",
  "test/faults/power-cut.real.test.ts",
  "test/e2e/hubs.real.test.ts",
  "test/faults/commands.real.test.ts",
  "test/faults/slow-clients.real.test.ts",
  "test/faults/restarts.real.test.ts",
  "test/faults/broken-streams.real.test.ts",
  "test/e2e/charts-install.real.test.ts",
  "test/e2e/kubectl-matrix.real.test.ts",
  "test/faults/hubs.real.test.ts",
  "test/packaging/single-file.real.test.ts",
  "test/faults/inventory-outage.real.test.ts",
  "test/packaging/hub-image.real.test.ts",
  "test/e2e/get.real.test.ts",
  "test/e2e/ca-rollover.real.test.ts",
  "test/faults/inventory-store-full.real.test.ts",
  "test/hardening/12-more-roles.real.test.ts",
  "test/faults/inventory-history.real.test.ts",
  "test/e2e/proxies.real.test.ts",
  "test/faults/inventory-events.real.test.ts",
  "test/hardening/13-old-node.real.test.ts",
  "test/e2e/argo-autonomous.real.test.ts",
  "test/faults/inventory-cuts.real.test.ts",
  "test/e2e/argo-stored.real.test.ts",
  "test/faults/resume.real.test.ts",
  "test/e2e/drain.real.test.ts",
  "test/e2e/readme.real.test.ts",
  "test/e2e/charts.real.test.ts",
  "packages/kube/src/reflector/many.real.test.ts",
  "test/faults/api-server-leg.real.test.ts",
  "test/e2e/argocd-agent-move.real.test.ts",
  "test/e2e/versions.real.test.ts",
  "test/hardening/14-nothing-there-cli.real.test.ts",
  "test/faults/inventory-leaders.real.test.ts",
  "test/hardening/11-another-cluster.real.test.ts",
  "test/e2e/load-balancer.real.test.ts",
  "packages/agent/src/execute/helm/failures.real.test.ts",
  "test/hardening/24-most-talkative.real.test.ts",
  "packages/hub/src/platform/server/slow-connections.real.test.ts",
  "test/packaging/execute-pod.real.test.ts",
  "test/e2e/argo-applications.real.test.ts",
  "test/e2e/charts-observe.real.test.ts",
  "test/hardening/12-helm-upgrade.real.test.ts",
  "packages/agent/src/observe/feed.real.test.ts",
  "test/faults/broken-disk.real.test.ts",
  "test/faults/inventory-replaced.real.test.ts",
  "test/e2e/audit.real.test.ts",
  "test/e2e/argo-autonomous-cli.real.test.ts",
  "packages/testkit/src/processes/start-process.real.test.ts",
  "test/hardening/02-one-cluster-takes-all.real.test.ts",
  "test/faults/argo-sides.real.test.ts",
  "packages/agent/src/execute/tofu/faults.real.test.ts",
  "test/hardening/22-runner.real.test.ts",
  "packages/hub/src/platform/store/folder/other-major.real.test.ts",
  "packages/hub/src/reach/links/lives.real.test.ts",
  "packages/hub/src/reach/links/hostile-peers.real.test.ts",
  "packages/hub/src/platform/store/transfer/transfer.real.test.ts",
  "packages/hub/src/reach/hubs/hubs.real.test.ts",
  "packages/hub/src/admin-token-command.real.test.ts",
  "packages/hub/src/platform/store/store.real.test.ts",
  "packages/hub/src/platform/store/database/faults.real.test.ts",
  "packages/hub/src/platform/store/folder/accounts.real.test.ts",
  "packages/hub/src/picture/live/several-hubs.real.test.ts",
  "packages/hub/src/platform/store/folder/left-over.real.test.ts",
  "packages/hub/src/delivery/gitops/hostile-cluster.real.test.ts",
  "packages/hub/src/store-command.real.test.ts",
  "packages/hub/src/reach/links/which-cluster.real.test.ts",
  "packages/agent/src/execute/log/huge-logs.test.ts",
  "packages/agent/src/execute/owed-logs.test.ts",
  "packages/agent/src/execute/executing.test.ts",
  "packages/cli/src/commands/watch-list.test.ts",
  "packages/agent/src/execute/hostile-hub.test.ts",
  "packages/agent/src/execute/plan-rounds.test.ts",
  "packages/hub/src/people/access/end-first-token.test.ts",
  "packages/cli/src/commands/argo/wait.test.ts",
  "packages/hub/src/platform/leases/leases.test.ts",
];
