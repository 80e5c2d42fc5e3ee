import type { GitSource } from "../../git/index.ts";
import type { SourceNeeds } from "./prepare/judge-source.ts";

export interface TofuSpec {
  /** With namespace and workspace it says which state is meant. */
  readonly name: string;
  /** State, lock and outputs lie there. */
  readonly namespace: string;
  readonly workspace: string;
  readonly source: TofuSource;
  /** The source's own backend is ignored. */
  readonly replaceBackend: boolean;
  /** Texts in them may hold references. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Texts that are JSON objects of variables once their references are replaced; later ones win, `variables` last. */
  readonly variablesFrom: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly action: TofuAction;
  /** `NAMESPACE/NAME` of Secrets that the configuration reads, beside those that its state manages. */
  readonly readableSecrets: readonly string[];
  readonly targets: readonly string[];
  readonly outputs: { readonly secret: string; readonly names?: readonly string[] | undefined } | undefined;
  /** A folder of the agent's machine, or https://…/; where providers come from otherwise is up to OpenTofu. */
  readonly mirror: string | undefined;
  readonly parallelism: number | undefined;
  readonly lockTimeoutSeconds: number;
}

export type TofuAction = "apply" | "destroy" | "refresh" | "drift";

export type TofuSource =
  | { readonly is: "files"; readonly files: Readonly<Record<string, string>> }
  | { readonly is: "git"; readonly git: GitSource; readonly path: string };

/** Tells a run that goes on about the one that died. */
export interface TofuState {
  /** The id of our lock; written before the lock is taken. */
  readonly lockId?: string | undefined;
  readonly plan?: KeptPlan | undefined;
  readonly phase?: "planned" | "applying" | undefined;
  /** The result of a run that came to its end; the hub may not have heard of it. */
  readonly result?: unknown;
}

/** A plan file in the cluster. Its key is here alone. */
export interface KeptPlan {
  /** SHA-256 of the file. */
  readonly digest: string;
  readonly base: string;
  readonly key: string;
  readonly expiresAtMs: number;
  /** The commit of the source that it was made from. */
  readonly commit?: string | undefined;
  /** Of the configuration in it, with its modules: by now they may say something else. */
  readonly needs?: SourceNeeds | undefined;
}
