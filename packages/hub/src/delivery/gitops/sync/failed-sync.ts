// A sync that somebody asked for and that the cluster didn't carry out is shown as one that failed. Otherwise the status of
// the run before would look like its result. Pure.
import type { Application, ApplicationStatus } from "@fairlead/protocol";

export interface FailedSync {
  readonly at: string;
  readonly message: string;
  /** What was asked for, without manifests. */
  readonly operation: Readonly<Record<string, unknown>>;
  /** Which run of the cluster's it is shown instead of, by its start. Undefined: the cluster hasn't told. */
  readonly instead?: string;
}

export function toFailedSync(options: {
  readonly operation: NonNullable<Application["operation"]>;
  readonly message: string;
  readonly now: Date;
}): FailedSync {
  const { operation, message, now } = options;
  const { manifests: _manifests, ...sync } = (operation["sync"] ?? {}) as Readonly<Record<string, unknown>>;
  const { initiatedBy } = operation;
  return {
    at: toTimestamp(now),
    message: message.slice(0, longestMessage),
    operation: { ...(initiatedBy !== undefined && { initiatedBy }), sync },
  };
}

/** What is left of a failure once the cluster has told this status: nothing, when it shows another run. */
export function settleFailure(failure: FailedSync, { operationState }: ApplicationStatus): FailedSync | undefined {
  const { phase, startedAt = "" } = operationState ?? {};
  if (phase === "Running" || phase === "Terminating") return undefined;
  if (failure.instead === undefined) return { ...failure, instead: startedAt };
  return failure.instead === startedAt ? failure : undefined;
}

/** Whoever waits for the end of a run waits for a reconciliation after it, too, and none is to come for this one. */
export function withFailedSync(status: ApplicationStatus, { at, message, operation }: FailedSync): ApplicationStatus {
  const { reconciledAt } = status;
  const isLater = typeof reconciledAt === "string" && Date.parse(reconciledAt) > Date.parse(at);
  return {
    ...status,
    operationState: { phase: "Failed", message, operation, startedAt: at, finishedAt: at },
    reconciledAt: isLater ? reconciledAt : at,
  };
}

/** As Kubernetes writes times: whole seconds. */
function toTimestamp(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}

const longestMessage = 2_000;
