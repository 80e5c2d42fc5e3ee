import type { Cell } from "@fairlead/contract";
import type { Fields } from "@fairlead/kube";
import { age, count, createPrinter, fieldOr, formatAge, name, text, wide } from "./columns.ts";
import type { Printer } from "./types.ts";

export const podPrinter: Printer = createPrinter(
  name,
  text("Ready", (pod) => `${readContainers(pod).ready}/${countContainers(pod)}`),
  text("Status", readStatus),
  text("Restarts", formatRestarts),
  age,
  wide(fieldOr("<none>", "IP", "status", "podIP")),
  wide(fieldOr("<none>", "Node", "spec", "nodeName")),
  wide(fieldOr("<none>", "Nominated Node", "status", "nominatedNodeName")),
  wide(text("Readiness Gates", formatGates)),
);

interface Containers {
  readonly status: string;
  readonly ready: number;
  /** The containers whose restarts count. */
  readonly counted: readonly Fields[];
}

/** Three cells of a row are made of it. */
function readContainers(pod: Fields): Containers {
  const read = knownContainers.get(pod) ?? followContainers(pod);
  knownContainers.set(pod, read);
  return read;
}

const knownContainers = new WeakMap<Fields, Containers>();

function followContainers(pod: Fields): Containers {
  const base = pod.at("status", "reason").text() ?? pod.at("status", "phase").text() ?? "";
  const initial = readInitial(pod);
  const status = initial.status ?? (isGated(pod) ? "SchedulingGated" : base);
  if (initial.status !== undefined && pod.condition("Initialized")?.status !== "True") {
    return { status, ready: initial.ready, counted: initial.seen };
  }
  const regular = readRegular(pod, status);
  const counted = [...initial.seen.filter(isSidecarOf(pod)), ...pod.at("status", "containerStatuses").list()];
  return { status: regular.status, ready: initial.ready + regular.ready, counted };
}

interface Initial {
  /** Undefined when none keeps the pod waiting. */
  readonly status: string | undefined;
  readonly ready: number;
  /** Those up to the first that keeps the pod waiting. */
  readonly seen: readonly Fields[];
}

function readInitial(pod: Fields): Initial {
  const isSidecar = isSidecarOf(pod);
  const containers = pod.at("status", "initContainerStatuses").list();
  let ready = 0;
  for (const [index, container] of containers.entries()) {
    const terminated = container.at("state", "terminated");
    if (terminated.exists && count(terminated, "exitCode") === 0) continue;
    if (isSidecar(container) && container.at("started").isTrue) {
      if (container.at("ready").isTrue) ready += 1;
      continue;
    }
    const progress = `${index}/${pod.at("spec", "initContainers").list().length}`;
    return {
      status: `Init:${readObstacle(container) ?? progress}`,
      ready,
      seen: containers.slice(0, index + 1),
    };
  }
  return { status: undefined, ready, seen: containers };
}

function readObstacle(container: Fields): string | undefined {
  const terminated = container.at("state", "terminated");
  if (terminated.exists) return formatEnd(terminated);
  const waiting = container.at("state", "waiting", "reason").text();
  return waiting === "PodInitializing" ? undefined : waiting;
}

/** The first container in order that waits or has ended says how the pod is. */
function readRegular(pod: Fields, base: string): { readonly status: string; readonly ready: number } {
  let status = base;
  let failure: string | undefined;
  let ready = 0;
  for (const container of pod.at("status", "containerStatuses").list().reverse()) {
    const waiting = container.at("state", "waiting", "reason").text();
    const terminated = container.at("state", "terminated");
    if (waiting !== undefined) {
      status = waiting;
    } else if (terminated.exists) {
      status = formatEnd(terminated);
      if (count(terminated, "exitCode") !== 0) failure = status;
    } else if (container.at("ready").isTrue && container.at("state", "running").exists) {
      ready += 1;
    }
  }
  return { status: status === "Completed" ? readCompleted(pod, { ready, failure }) : status, ready };
}

/** A container that is done stands beside others, which run or have failed. */
function readCompleted(
  pod: Fields,
  { ready, failure }: { readonly ready: number; readonly failure: string | undefined },
): string {
  const isReady = pod.conditions().some(({ type, status }) => type === "Ready" && status === "True");
  if (ready > 0 && isReady) return "Running";
  return failure ?? (ready > 0 ? "NotReady" : "Completed");
}

function readStatus(pod: Fields): string {
  const { status } = readContainers(pod);
  if (!pod.at("metadata", "deletionTimestamp").exists) return status;
  if (pod.at("status", "reason").text() === "NodeLost") return "Unknown";
  const phase = pod.at("status", "phase").text();
  return phase === "Succeeded" || phase === "Failed" ? status : "Terminating";
}

function formatRestarts(pod: Fields, nowMs: number): Cell {
  const { counted } = readContainers(pod);
  const restarts = counted.reduce((sum, container) => sum + count(container, "restartCount"), 0);
  const ends = counted.flatMap((container) => container.at("lastState", "terminated", "finishedAt").text() ?? []);
  const restartedAt = ends.sort().at(-1);
  return restarts !== 0 && restartedAt !== undefined
    ? `${restarts} (${formatAge(restartedAt, nowMs)} ago)`
    : String(restarts);
}

function formatEnd(terminated: Fields): string {
  const reason = terminated.at("reason").text();
  if (reason !== undefined) return reason;
  const signal = count(terminated, "signal");
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${count(terminated, "exitCode")}`;
}

function isGated(pod: Fields): boolean {
  return pod.conditions().some(({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated");
}

function countContainers(pod: Fields): number {
  return pod.at("spec", "containers").list().length + sidecarNames(pod).length;
}

function isSidecarOf(pod: Fields): (container: Fields) => boolean {
  const sidecars = new Set(sidecarNames(pod));
  return (container) => sidecars.has(container.at("name").text() ?? "");
}

function sidecarNames(pod: Fields): string[] {
  return pod
    .at("spec", "initContainers")
    .list()
    .filter((container) => container.at("restartPolicy").text() === "Always")
    .map((container) => container.at("name").text() ?? "");
}

function formatGates(pod: Fields): Cell {
  const gates = pod.at("spec", "readinessGates").list();
  if (gates.length === 0) return "<none>";
  const met = gates.filter((gate) => pod.condition(gate.at("conditionType").text() ?? "")?.status === "True");
  return `${met.length}/${gates.length}`;
}
