import { type FairleadError, toFairleadError } from "@fairlead/kernel";
import { Fields, fieldConflicts, kubeErrors, statusOf } from "@fairlead/kube";
import { cutText } from "../cut-text.ts";
import type { SecretValues, Task } from "../types.ts";
import { manifestsErrors } from "./errors.ts";
import { describeName } from "./object-name.ts";
import { type Cause, describeCause } from "./refusals.ts";
import type { ObjectName, Outcome } from "./types.ts";

export function failed(options: {
  readonly task: Pick<Task<unknown>, "secrets">;
  readonly name: ObjectName;
  readonly error: unknown;
  /** For what people see in their own file. */
  readonly where?: string | undefined;
}): Outcome {
  const { task, name, error, where } = options;
  const { code, message } = explainRefusal(toFairleadError(error), task.secrets);
  const text = where === undefined ? message : `${where}: ${message}`;
  // An API server repeats what it refuses.
  return { ...name, did: "failed", code, message: cutText(task.secrets, text, maxMessage) };
}

/** As a line of the log. */
export function describeOutcome(outcome: Outcome): string {
  const { did, message } = outcome;
  return `${did} ${describeName(outcome)}${message === undefined ? "" : `: ${message}`}`;
}

/** In words that name the field or the namespace at their beginning: an API server repeats what it refuses first. */
function explainRefusal(error: FairleadError, secrets: Secrets): FairleadError {
  const causes = causesOf(error, secrets);
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

/** Masked before values are cut out of them. */
function causesOf(error: FairleadError, secrets: Secrets): readonly (Cause & { readonly reason: string })[] {
  return new Fields(statusOf(error)?.details)
    .at("causes")
    .list()
    .map((cause) => ({
      reason: cause.at("reason").text() ?? "",
      field: cause.at("field").text() ?? "",
      message: String(secrets.redact(cause.at("message").text() ?? "")),
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

type Secrets = Pick<SecretValues, "redact">;

const maxCauses = 10;
const maxConflicts = 10;
const maxMessage = 1_000;
