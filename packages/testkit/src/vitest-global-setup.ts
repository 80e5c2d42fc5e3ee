// Vitest's configuration names this file as `globalSetup`. It makes sharedCluster() work in every worker, and sees to the
// binaries before the first test, since building Kubernetes takes longer than any test may.

import { randomUUID } from "node:crypto";
import { relative } from "node:path";
import { clusterTools } from "./cluster/index.ts";
import { processorsVariable } from "./collect-rarely.ts";
import { testRunVariable } from "./fairlead/index.ts";
import { repoRoot } from "./repo-root.ts";
import { startBroker } from "./shared/index.ts";
import { ensureTools, type ToolName, unavailableReason } from "./tools/index.ts";

let broker: AsyncDisposable | undefined;

export async function setup({ vitest }: TestRun): Promise<void> {
  process.env[testRunVariable] = randomUUID();
  process.env[processorsVariable] ??= "1";
  const files = vitest.state.getPaths().map((path) => relative(repoRoot, path));
  for (const names of neededTools(files)) {
    try {
      await ensureTools(names);
    } catch (error) {
      const reason = unavailableReason(error);
      if (reason === undefined) throw error;
      process.stderr.write(`tools: ${reason} Tests that need it are skipped.\n`);
    }
  }
  broker = await startBroker();
}

export async function teardown(): Promise<void> {
  await broker?.[Symbol.asyncDispose]();
}

/** The members of vitest's TestProject that are used here. */
interface TestRun {
  /** `getPaths` gives the files that were selected. */
  readonly vitest: { readonly state: { getPaths(): string[] } };
}

/**
 * Argo CD, OpenTofu, Prometheus and Helm 3 take minutes to build, so a run of a few files builds them when it comes to
 * them. A run of many builds them first: a compiler beside the tests makes them wait longer than they may.
 */
function neededTools(files: readonly string[]): (readonly ToolName[])[] {
  const isNeeded = (part: string): boolean => files.length > fewFiles || files.some((file) => file.includes(part));
  return [
    clusterTools,
    ["helm"],
    ...(isNeeded("execute/helm/") ? [["helm3"] as const] : []),
    ...(isNeeded("tofu") ? [["tofu"] as const] : []),
    ...(isNeeded("argo") ? [["argocd", "seclude"] as const] : []),
    ...(isNeeded("nats") ? [["nats-server"] as const] : []),
    ...(isNeeded("prometheus") ? [["prometheus"] as const] : []),
    ...(files.length > fewFiles ? [["runner", "leash", "gitssh", "forgetful"] as const] : []),
  ];
}

const fewFiles = 40;
