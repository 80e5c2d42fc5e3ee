// Shows on the hub's application that its cluster doesn't take it, as Argo CD shows errors of its own: by a condition, whose
// type ends with Error. Pure.
import type { Application, ApplicationStatus, RefusalReason, ReplicaRefusal } from "@fairlead/protocol";

/** A refusal that passes by itself, or waits for a confirmation that people are asked for elsewhere, isn't shown. */
export function toShownRefusal(refusal: ReplicaRefusal | undefined): string | undefined {
  if (refusal === undefined || passing.has(refusal.reason)) return undefined;
  return `The cluster doesn't take this application (${refusal.reason}): ${refusal.message}`.slice(0, maxMessageLength);
}

/** The message of the condition that the application has; undefined: it has none. */
export function readShownRefusal({ status }: Application): string | undefined {
  const message = conditionsOf(status).find(isOurs)?.["message"];
  return typeof message === "string" ? message : undefined;
}

/** Adds the condition to the status that the cluster told. An undefined message takes the condition away. */
export function withShownRefusal(
  status: ApplicationStatus,
  message: string | undefined,
  { before, now }: { readonly before: Application; readonly now: Date },
): ApplicationStatus {
  const { conditions: _all, ...rest } = status;
  const others = conditionsOf(status).filter((one) => !isOurs(one));
  if (message === undefined) return others.length === 0 ? rest : { ...rest, conditions: others };
  // The time is that of the change: a condition that stays the same is not written again.
  const known = conditionsOf(before.status).find((one) => isOurs(one) && one["message"] === message);
  const lastTransitionTime = known?.["lastTransitionTime"] ?? `${now.toISOString().slice(0, 19)}Z`;
  return { ...rest, conditions: [...others, { type: conditionType, message, lastTransitionTime }] };
}

/** The status where the cluster has no copy that could say anything. */
export function withoutCopy(application: Application, message: string | undefined, now: Date): ApplicationStatus {
  const { health, ...rest } = application.status ?? {};
  const shown = withShownRefusal(rest, message, { before: application, now });
  if (message !== undefined) return { ...shown, health: { status: "Degraded" } };
  return readShownRefusal(application) === undefined && health !== undefined ? { ...shown, health } : shown;
}

function conditionsOf(status: ApplicationStatus | undefined): readonly Readonly<Record<string, unknown>>[] {
  const conditions = status?.["conditions"];
  return Array.isArray(conditions) ? conditions : [];
}

function isOurs(condition: Readonly<Record<string, unknown>>): boolean {
  return condition["type"] === conditionType;
}

const conditionType = "FairleadError";
const passing: ReadonlySet<RefusalReason> = new Set(["unavailable", "unconfirmed"]);
const maxMessageLength = 2_000;
