import type { GitSource } from "../../git/index.ts";

/** The state that a command asks for a release. */
export interface HelmSpec {
  readonly release: string;
  /** The namespace of the release, and of objects that name none. */
  readonly namespace: string;
  readonly wait: WaitRule;
  readonly skipHooks: boolean;
  /** `NAMESPACE/NAME` of Secrets that charts look up, beside those of the release. */
  readonly readableSecrets: readonly string[];
  readonly action: HelmAction;
}

export type HelmAction = UpgradeAction | UninstallAction | RollbackAction | { readonly type: "test" };

export interface UpgradeAction {
  readonly type: "upgrade";
  readonly chart: ChartSource;
  readonly values: ValuesRule;
  readonly atomic: boolean;
  readonly createNamespace: boolean;
  readonly forceConflicts: boolean;
  readonly skipCrds: boolean;
  readonly historyMax: number;
  readonly notes: boolean;
}

export interface UninstallAction {
  readonly type: "uninstall";
  readonly keepHistory: boolean;
}

export interface RollbackAction {
  readonly type: "rollback";
  /** The one before the last unless told. */
  readonly revision: number | undefined;
  readonly forceConflicts: boolean;
  readonly historyMax: number;
}

export interface WaitRule {
  /** Hooks are waited for in any case. */
  readonly forObjects: boolean;
  readonly forJobs: boolean;
  readonly timeoutSeconds: number;
}

export type ChartSource =
  | ({ readonly type: "repository"; readonly url: string; readonly name: string; readonly version: string } & Fetched)
  | ({
      readonly type: "oci";
      /** Without `oci://`. */
      readonly path: string;
      readonly version: string | undefined;
      readonly isPlainHttp: boolean;
    } & Fetched)
  | GitChart
  | { readonly type: "inline"; readonly files: Readonly<Record<string, string>> };

export interface GitChart {
  readonly type: "git";
  readonly git: GitSource;
  /** The path of its folder; undefined for the root of the repository. */
  readonly path: string | undefined;
}

/** Helm itself fetches these. */
export type FetchedSource = Exclude<ChartSource, { readonly type: "inline" | "git" }>;

interface Fetched {
  /** `sha256:…` */
  readonly digest: string | undefined;
  readonly credentials: ObjectRef | undefined;
}

export interface ObjectRef {
  readonly namespace: string;
  readonly name: string;
}

export interface ValuesRule {
  /** Those of the revision that is deployed come first. */
  readonly isReusing: boolean;
  readonly inline: Readonly<Record<string, unknown>>;
  /** Paths in the chart's folder or, of one in git, in the repository. */
  readonly files: readonly string[];
  readonly from: readonly ValuesFrom[];
}

export interface ValuesFrom {
  readonly kind: "secret" | "configmap";
  readonly object: ObjectRef;
  readonly key: string;
  readonly isOptional: boolean;
  readonly target: readonly PathStep[] | undefined;
}

/** The name of a member, or the index of an item. */
export type PathStep = string | number;
