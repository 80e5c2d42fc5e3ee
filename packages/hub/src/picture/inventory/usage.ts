// The parts of sums over a cluster, taken from pods and nodes when they are stored: reading them out of thousands of
// bodies for each question would cost more than the question.
import { parseQuantity } from "@fairlead/kernel";
import type { ObservedObject } from "./types.ts";

export interface PodUsage {
  readonly phase: string;
  /** Requests, as the scheduler counts them. */
  readonly cpu: number;
  readonly memory: number;
}

export interface NodeUsage {
  readonly ready: boolean;
  readonly capacity: NodeResources;
  readonly allocatable: NodeResources;
}

interface NodeResources {
  /** Thousandths of a core. */
  readonly cpu: number;
  readonly memory: number;
  readonly pods: number;
}

/** Undefined for every kind but pods and nodes. */
export function readUsage(kind: string, object: ObservedObject): PodUsage | NodeUsage | undefined {
  if (kind === "pods") return readPod(object);
  return kind === "nodes" ? readNode(object) : undefined;
}

function readPod(object: ObservedObject): PodUsage {
  const spec = toFields(object["spec"]);
  const phase = toFields(object["status"])["phase"];
  const requests = (name: string): number => {
    let running = sum(spec["containers"], name);
    // Init containers run one after the other; those that restart always stay and count for all that follow.
    let starting = 0;
    for (const each of toList(spec["initContainers"])) {
      const own = requestOf(each, name);
      if (toFields(each)["restartPolicy"] === "Always") running += own;
      else starting = Math.max(starting, running - sum(spec["containers"], name) + own);
    }
    return Math.max(running, starting) + parseQuantity(toFields(spec["overhead"])[name]);
  };
  return {
    phase: typeof phase === "string" && phases.has(phase) ? phase : "Unknown",
    cpu: toMillis(requests("cpu")),
    memory: toAmount(requests("memory")),
  };
}

function readNode(object: ObservedObject): NodeUsage {
  const status = toFields(object["status"]);
  const ready = toList(status["conditions"]).some((condition) => {
    const { type, status: value } = toFields(condition) as { type?: unknown; status?: unknown };
    return type === "Ready" && value === "True";
  });
  return { ready, capacity: readResources(status["capacity"]), allocatable: readResources(status["allocatable"]) };
}

function readResources(value: unknown): NodeResources {
  const { cpu, memory, pods } = toFields(value) as { cpu?: unknown; memory?: unknown; pods?: unknown };
  return {
    cpu: toMillis(parseQuantity(cpu)),
    memory: toAmount(parseQuantity(memory)),
    pods: toAmount(parseQuantity(pods)),
  };
}

function sum(containers: unknown, name: string): number {
  return toList(containers).reduce((total: number, each) => total + requestOf(each, name), 0);
}

function requestOf(container: unknown, name: string): number {
  return parseQuantity(toFields(toFields(toFields(container)["resources"])["requests"])[name]);
}

function toMillis(cores: number): number {
  return toAmount(cores * 1000);
}

/** Sums over clusters are made by one statement, which the numbers of one cluster mustn't make fail. */
function toAmount(number: number): number {
  return Math.max(0, Math.min(Math.round(number), Number.MAX_SAFE_INTEGER));
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** All that there are: an answer counts pods by them. */
const phases: ReadonlySet<string> = new Set(["Pending", "Running", "Succeeded", "Failed", "Unknown"]);
