import type { FairleadError } from "@fairlead/kernel";
import { Fields, fieldConflicts, kubeErrors, statusOf } from "@fairlead/kube";
import { manifestsErrors } from "./errors.ts";
import { describeName } from "./object-name.ts";
import { type Cause, describeCause } from "./refusals.ts";
import type { ObjectName, Outcome } from "./types.ts";

/** `where` is for what people see in their own file. */
export function failed(name: ObjectName, error: FairleadError, where?: string): Outcome {
  const { code, message } = explainRefusal(error);
  return { ...name, did: "failed", code, message: cut(where === undefined ? message : `${where}: ${message}`) };
}

/** As a line of the log. */
export function describeOutcome(outcome: Outcome): string {
  const { did, message } = outcome;
  return `${did} ${describeName(outcome)}${message === undefined ? "" : `: ${message}`}`;
}

/** In words that name the field or the namespace at their beginning: an API server repeats what it refuses first. */
export function explainRefusal(error: FairleadError): FairleadError {
  const causes = causesOf(error);
  const terminating = causes.find(({ reason }) => reason === "NamespaceTerminating");
  if (terminating)
    return manifestsErrors.MANIFESTS_NAMESPACE_TERMINATING({ namespace: namespaceIn(error), cause: error });
  if (kubeErrors.is(error, "KUBE_INVALID") && causes.length > 0) {
    const told = [...new Set(causes.map(describeCause))];
    const more = told.length > maxCauses ? `; and ${told.length - maxCauses} more` : "";
    return kubeErrors.KUBE_INVALID({ message: `${told.slice(0, maxCauses).join("; ")}${more}.`, cause: error.cause });
  }
  return explainConflicts(error);
}

function causesOf(error: FairleadError): readonly (Cause & { readonly reason: string })[] {
  return new Fields(statusOf(error)?.details)
    .at("causes")
    .list()
    .map((cause) => ({
      reason: cause.at("reason").text() ?? "",
      field: cause.at("field").text() ?? "",
      message: cause.at("message").text() ?? "",
    }));
}

function namespaceIn({ message }: FairleadError): string {
  return /in namespace (\S+) because/.exec(message)?.[1] ?? "";
}

/** Two managers that want different things of a field are the usual reason why applying fails: they are named. */
function explainConflicts(error: FairleadError): FairleadError {
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

const maxCauses = 10;
const maxConflicts = 10;
const maxMessage = 1_000;
