// Why an agent doesn't come up, as the cluster and the pods themselves tell it.
import type { Target } from "./target.ts";

interface Workload {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface ContainerStatus {
  readonly state?: { readonly waiting?: Reason };
  readonly lastState?: { readonly terminated?: Reason & { readonly exitCode: number } };
}

interface Reason {
  readonly reason?: string;
  readonly message?: string;
}

/** Sentences; none when nothing is wrong, or nothing can be found out. */
export async function findTroubles(target: Target, release: string): Promise<string[]> {
  const selector = ["--selector", `app.kubernetes.io/instance=${release}`];
  const inNamespace = ["--namespace", target.namespace, "--request-timeout", "20s"];
  const asked = await target.kubectl([...inNamespace, "get", "deployments,pods", ...selector, "--output", "json"]);
  if (asked.code !== 0) return [];
  const { items } = JSON.parse(asked.stdout) as { items: Workload[] };
  const pods = items.filter(({ kind }) => kind === "Pod");
  const logs = pods.slice(0, maxPods).map(async ({ metadata: { name } }) => {
    const { stdout } = await target.kubectl([...inNamespace, "logs", name, "--tail", "50"]);
    return readLog(name, stdout);
  });
  return [...new Set([...items.flatMap(readStatus), ...(await Promise.all(logs)).flat()])];
}

const maxPods = 4;

export function readStatus({ kind, metadata: { name }, status = {} }: Workload): string[] {
  const { conditions = [], containerStatuses = [] } = status;
  if (kind !== "Pod") {
    const failure = conditions.find(({ type, status }) => type === "ReplicaFailure" && status === "True");
    return failure ? [`The Deployment ${name} gets no pods: ${sayWhy(failure)}`] : [];
  }
  const unscheduled = conditions.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (unscheduled) return [`The pod ${name} finds no node: ${sayWhy(unscheduled)}`];
  return containerStatuses.flatMap(({ state, lastState }) => {
    const [waiting, ended] = [state?.waiting, lastState?.terminated];
    if (!waiting || usual.includes(waiting.reason ?? "")) return [];
    const how = ended ? ` Before that it ended with ${ended.exitCode} (${ended.reason ?? "no reason said"}).` : "";
    return [`The pod ${name} waits: ${sayWhy(waiting)}${how}`];
  });
}

const usual = ["ContainerCreating", "PodInitializing"];

function sayWhy({ reason, message }: Reason): string {
  const text = [reason, message].filter(Boolean).join(": ").slice(0, 500);
  return text.endsWith(".") ? text : `${text}.`;
}

/** The newest thing that an agent complains of, in its own words. */
export function readLog(pod: string, log: string): string[] {
  const complaints = log.split("\n").flatMap((line) => {
    const { level, msg, err } = parseLine(line);
    if (level !== "warn" && level !== "error" && level !== "fatal") return [];
    const said = [msg, err?.message].filter(Boolean).join(": ");
    return [`${said.replace(/\.$/, "")}${err?.code === undefined ? "" : ` (${err.code})`}`];
  });
  const newest = complaints.at(-1);
  return newest === undefined ? [] : [`The pod ${pod} says: ${newest.slice(0, 500)}.`];
}

interface LogLine {
  readonly level?: string;
  readonly msg?: string;
  readonly err?: { readonly code?: string; readonly message?: string };
}

function parseLine(line: string): LogLine {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
