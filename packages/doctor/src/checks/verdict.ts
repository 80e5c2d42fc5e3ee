import type { Evidence, ObjectRef } from "../snapshot/index.ts";
import type { Script } from "./script.ts";

/** The answer of a check for a cluster. */
export type Verdict =
  | { readonly is: "pass"; readonly message: string; readonly evidence: readonly Evidence[] }
  | {
      readonly is: "warn" | "fail";
      readonly message: string;
      readonly evidence: readonly Evidence[];
      readonly fix?: Fix;
    }
  /** Nobody may say pass or fail: something could not be read. A fix here is what lets the reader see it. */
  | {
      readonly is: "unknown";
      readonly message: string;
      readonly evidence: readonly Evidence[];
      readonly fix?: Fix;
      /** Only a running cluster could tell: the object is planned. */
      readonly isNotRunning?: true;
    };

/** Something that a person can apply as it stands. */
export type Fix = Way & { readonly risk: Risk };

/** A fix that takes protection, service or data from anybody says what it costs, and is never applied unasked. */
export type Risk = { readonly is: "safe" } | { readonly is: "destructive"; readonly cost: string };

export const safe: Risk = { is: "safe" };

export const destructive = (cost: string): Risk => ({ is: "destructive", cost });

type Way =
  | {
      readonly is: "patch";
      readonly object: ObjectRef;
      readonly type: "merge" | "json" | "strategic";
      readonly patch: unknown;
    }
  | { readonly is: "manifest"; readonly objects: readonly unknown[] }
  | { readonly is: "helm-values"; readonly chart: string; readonly release?: HelmRelease; readonly values: unknown }
  | { readonly is: "command"; readonly command: Script };

export interface HelmRelease {
  readonly namespace: string;
  readonly name: string;
}

export const pass = (message: string, evidence: readonly Evidence[] = []): Verdict => ({
  is: "pass",
  message,
  evidence,
});

export const warn = (message: string, evidence: readonly Evidence[], fix?: Fix): Verdict => ({
  is: "warn",
  message,
  evidence,
  ...(fix && { fix }),
});

export const fail = (message: string, evidence: readonly Evidence[], fix?: Fix): Verdict => ({
  is: "fail",
  message,
  evidence,
  ...(fix && { fix }),
});

export const unknown = (message: string, fix?: Fix): Verdict => ({
  is: "unknown",
  message,
  evidence: [],
  ...(fix && { fix }),
});

export const notRunning = (message: string): Verdict => ({ is: "unknown", message, evidence: [], isNotRunning: true });
