// Objects that somebody rendered and no cluster holds yet. Nothing can be said of how they run.
import { Fields } from "@fairlead/kernel";
import { type ClusterObject, formatRef, refTo } from "./cluster-object.ts";
import { doctorErrors } from "./errors.ts";

export function isPlanned(object: ClusterObject): boolean {
  return planned.has(object);
}

/** @throws {FairleadError} `DOCTOR_NOT_RUNNING` when one of them is only planned. A check that meets it is `unknown`. */
export function needRunning(resource: string, objects: readonly ClusterObject[]): void {
  const found = objects.find(isPlanned);
  if (found) throw doctorErrors.DOCTOR_NOT_RUNNING({ object: formatRef(refTo(resource, found)) });
}

/**
 * Returns the objects in trouble that a cluster holds.
 * @throws {FairleadError} `DOCTOR_NOT_RUNNING` when none of them is in a cluster yet
 */
export function runningOf(resource: string, troubled: readonly ClusterObject[]): readonly ClusterObject[] {
  const running = troubled.filter((object) => !isPlanned(object));
  if (running.length === 0) needRunning(resource, troubled);
  return running;
}

/** Marks those that no cluster has written to. Only files hold such objects: what a cluster answers is never asked. */
export function markPlanned(objects: readonly ClusterObject[]): void {
  for (const object of objects) if (!isStored(object) && !hasValue(object["status"])) planned.add(object);
}

/** An API server has given it a uid, a version or a time. */
export function isStored({ metadata }: ClusterObject): boolean {
  const fields = new Fields(metadata);
  return storedFields.some((name) => fields.at(name).text() !== undefined);
}

const planned = new WeakSet<ClusterObject>();
const storedFields = ["uid", "resourceVersion", "creationTimestamp"];

/** Programs in Go write out a status that is empty: `{ loadBalancer: {} }`, `{ replicas: 0 }`. */
function hasValue(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === 0 || value === false) return false;
  return typeof value !== "object" || Object.values(value).some(hasValue);
}
