// Helm's arguments, by its major version. Anybody on the machine can read them, so no values and no credentials are
// among them. Pure.
import type { HelmSpec, RollbackAction, UninstallAction, UpgradeAction } from "./types.ts";

export type HelmMajor = 3 | 4;

export interface Told {
  readonly major: HelmMajor;
  readonly spec: HelmSpec;
  /** In the release's history. */
  readonly description: string;
}

/** Values come by standard input. Those of the revision before count for nothing. */
export function upgradeArguments(
  told: Told & {
    readonly action: UpgradeAction;
    readonly chartPath: string;
    /** The release was made by a Helm that didn't apply on the server. */
    readonly isClientSide: boolean;
    readonly isDryRun?: boolean;
  },
): readonly string[] {
  const { spec, action, chartPath, description, isClientSide, isDryRun = false } = told;
  return [
    "upgrade",
    spec.release,
    chartPath,
    "--install",
    ...common(told),
    "--values",
    "-",
    "--reset-values",
    "--history-max",
    String(action.historyMax),
    "--description",
    description,
    ...waiting(told),
    ...(action.createNamespace ? ["--create-namespace"] : []),
    ...(action.skipCrds ? ["--skip-crds"] : []),
    ...(spec.skipHooks ? ["--no-hooks"] : []),
    ...forcing(told, { isForced: action.forceConflicts, isClientSide }),
    ...(isDryRun ? ["--dry-run=server", "--output", "json"] : []),
  ];
}

export function rollbackArguments(
  told: Told & {
    readonly action: Pick<RollbackAction, "forceConflicts" | "historyMax">;
    readonly revision: number;
    readonly isClientSide: boolean;
  },
): readonly string[] {
  const { major, spec, action, revision, description, isClientSide } = told;
  return [
    "rollback",
    spec.release,
    String(revision),
    ...common(told),
    "--history-max",
    String(action.historyMax),
    // Helm 3 writes its own.
    ...(major === 4 ? ["--description", description] : []),
    ...waiting(told),
    ...(spec.skipHooks ? ["--no-hooks"] : []),
    ...forcing(told, { isForced: action.forceConflicts, isClientSide }),
  ];
}

export function uninstallArguments(
  told: Told & { readonly action: Pick<UninstallAction, "keepHistory"> },
): readonly string[] {
  const { major, spec, action, description } = told;
  return [
    "uninstall",
    spec.release,
    ...common(told),
    "--description",
    description,
    ...(major === 4 || spec.wait.forObjects ? [major === 3 ? "--wait" : `--wait=${strategy(spec)}`] : []),
    ...(action.keepHistory ? ["--keep-history"] : []),
    ...(spec.skipHooks ? ["--no-hooks"] : []),
  ];
}

export function testArguments(told: Told): readonly string[] {
  return ["test", told.spec.release, ...common(told)];
}

function common({ spec }: Told): readonly string[] {
  return ["--namespace", spec.namespace, "--timeout", `${spec.wait.timeoutSeconds}s`];
}

function waiting({ major, spec }: Told): readonly string[] {
  const { forObjects, forJobs } = spec.wait;
  const jobs = forObjects && forJobs ? ["--wait-for-jobs"] : [];
  if (major === 4) return [`--wait=${strategy(spec)}`, ...jobs];
  return forObjects ? ["--wait", ...jobs] : [];
}

function strategy({ wait }: HelmSpec): string {
  return wait.forObjects ? "watcher" : "hookOnly";
}

/** Helm 3 knows no conflicts: it changes what others have set. */
function forcing(
  { major }: Told,
  { isForced, isClientSide }: { readonly isForced: boolean; readonly isClientSide: boolean },
): readonly string[] {
  if (major === 3) return [];
  // Fields are only taken over on the server; by itself Helm stays with the way in which the release was made.
  return [`--server-side=${isForced && isClientSide ? "true" : "auto"}`, ...(isForced ? ["--force-conflicts"] : [])];
}
