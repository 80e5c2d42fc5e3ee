import type { FairleadError } from "@fairlead/kernel";
import { fieldConflicts } from "@fairlead/kube";
import { manifestsErrors } from "./errors.ts";
import { describeName } from "./object-name.ts";
import type { ObjectName, Outcome } from "./types.ts";

/** `where` is for what people see in their own file. */
export function failed(name: ObjectName, error: FairleadError, where?: string): Outcome {
  const { code, message } = explain(error);
  return { ...name, did: "failed", code, message: cut(where === undefined ? message : `${where}: ${message}`) };
}

/** As a line of the log. */
export function describeOutcome(outcome: Outcome): string {
  const { did, message } = outcome;
  return `${did} ${describeName(outcome)}${message === undefined ? "" : `: ${message}`}`;
}

/** Two managers that want different things of a field are the usual reason why applying fails: they are named. */
function explain(error: FairleadError): FairleadError {
  const conflicts = fieldConflicts(error);
  if (conflicts.length === 0) return error;
  const texts = conflicts.slice(0, maxConflicts).map(({ manager, field }) => `${manager} owns ${field}`);
  const more = conflicts.length > maxConflicts ? `, and ${conflicts.length - maxConflicts} more` : "";
  return manifestsErrors.MANIFESTS_CONFLICT({ conflicts: texts.join(", ") + more, cause: error });
}

/** An API server repeats what it refuses. */
function cut(message: string): string {
  return message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message;
}

const maxConflicts = 10;
const maxMessage = 1_000;
