import type { Cell } from "@fairlead/contract";
import type { Fields } from "@fairlead/kube";
import { age, count, createPrinter, fieldOr, formatAge, name, text, wide } from "./columns.ts";
import type { Printer } from "./types.ts";

export const podPrinter: Printer = createPrinter(
  name,
  text(
    "Ready",
    (pod) => `${readContainers(pod).ready}/${pod.at("spec", "containers").list().length + countSidecars(pod)}`,
  ),
  text("Status", readStatus),
  text("Restarts", formatRestarts),
  age,
  wide(fieldOr("<none>", "IP", "status", "podIP")),
  wide(fieldOr("<none>", "Node", "spec", "nodeName")),
  wide(fieldOr("<none>", "Nominated Node", "status", "nominatedNodeName")),
  wide(text("Readiness Gates", formatGates)),
);

interface Containers {
  readonly ready: number;
  readonly restarts: number;
  /** The time of the latest restart. */
  readonly restartedAt: string | undefined;
}

function readContainers(pod: Fields): Containers {
  const regular = pod.at("status", "containerStatuses").list();
  const initial = pod.at("status", "initContainerStatuses").list();
  const sidecars = new Set(sidecarNames(pod));
  const isSidecar = (container: Fields): boolean => sidecars.has(container.at("name").text() ?? "");
  const isReady = (container: Fields): boolean =>
    container.at("ready").isTrue && container.at("state", "running").exists;
  const readySidecars = initial.filter(
    (container) => isSidecar(container) && container.at("started").isTrue && container.at("ready").isTrue,
  ).length;
  // While containers that run first are at work, theirs are what counts.
  const counted = isInitializing(pod) ? initial : [...initial.filter(isSidecar), ...regular];
  const restarts = counted.reduce((sum, container) => sum + count(container, "restartCount"), 0);
  const ends = counted
    .flatMap((container) => container.at("lastState", "terminated", "finishedAt").text() ?? [])
    .sort();
  return { ready: regular.filter(isReady).length + readySidecars, restarts, restartedAt: ends.at(-1) };
}

function formatRestarts(pod: Fields, nowMs: number): Cell {
  const { restarts, restartedAt } = readContainers(pod);
  return restarts > 0 && restartedAt !== undefined
    ? `${restarts} (${formatAge(restartedAt, nowMs)} ago)`
    : String(restarts);
}

function readStatus(pod: Fields): string {
  const base = pod.at("status", "reason").text() ?? pod.at("status", "phase").text() ?? "";
  const gated = pod.condition("PodScheduled");
  const initial = readInitStatus(pod);
  let status = gated?.reason === "SchedulingGated" ? "SchedulingGated" : base;
  if (initial !== undefined && !isInitialized(pod)) status = initial;
  else status = readRegularStatus(pod, status);
  if (!pod.at("metadata", "deletionTimestamp").exists) return status;
  if (pod.at("status", "reason").text() === "NodeLost") return "Unknown";
  const phase = pod.at("status", "phase").text();
  return phase === "Succeeded" || phase === "Failed" ? status : "Terminating";
}

/** The last container in order that isn't fine says how the pod is. */
function readRegularStatus(pod: Fields, base: string): string {
  let status = base;
  let hasRunning = false;
  for (const container of pod.at("status", "containerStatuses").list().reverse()) {
    const waiting = container.at("state", "waiting", "reason").text();
    const terminated = container.at("state", "terminated");
    if (waiting !== undefined) status = waiting;
    else if (terminated.exists) status = terminated.at("reason").text() ?? formatExit(terminated);
    else if (container.at("ready").isTrue && container.at("state", "running").exists) hasRunning = true;
  }
  // A container that is done stands beside one that runs.
  if (status === "Completed" && hasRunning) return pod.condition("Ready")?.status === "True" ? "Running" : "NotReady";
  return status;
}

function readInitStatus(pod: Fields): string | undefined {
  const sidecars = new Set(sidecarNames(pod));
  const containers = pod.at("status", "initContainerStatuses").list();
  for (const [index, container] of containers.entries()) {
    const terminated = container.at("state", "terminated");
    if (terminated.exists && count(terminated, "exitCode") === 0) continue;
    if (sidecars.has(container.at("name").text() ?? "") && container.at("started").isTrue) continue;
    if (terminated.exists) return `Init:${terminated.at("reason").text() ?? formatExit(terminated)}`;
    const waiting = container.at("state", "waiting", "reason").text();
    if (waiting !== undefined && waiting !== "PodInitializing") return `Init:${waiting}`;
    return `Init:${index}/${pod.at("spec", "initContainers").list().length}`;
  }
  return undefined;
}

function formatExit(terminated: Fields): string {
  const signal = count(terminated, "signal");
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${count(terminated, "exitCode")}`;
}

function isInitializing(pod: Fields): boolean {
  return readInitStatus(pod) !== undefined && !isInitialized(pod);
}

function isInitialized(pod: Fields): boolean {
  return pod.condition("Initialized")?.status === "True";
}

function sidecarNames(pod: Fields): string[] {
  return pod
    .at("spec", "initContainers")
    .list()
    .filter((container) => container.at("restartPolicy").text() === "Always")
    .map((container) => container.at("name").text() ?? "");
}

function countSidecars(pod: Fields): number {
  return sidecarNames(pod).length;
}

function formatGates(pod: Fields): Cell {
  const gates = pod.at("spec", "readinessGates").list();
  if (gates.length === 0) return "<none>";
  const met = gates.filter((gate) => pod.condition(gate.at("conditionType").text() ?? "")?.status === "True");
  return `${met.length}/${gates.length}`;
}
