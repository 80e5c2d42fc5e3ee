// Containers, of a pod or of the template that a workload makes pods from.
import type { Output } from "../../output/index.ts";
import { asList, asObject, asText } from "./fields.ts";

type Fields = Readonly<Record<string, unknown>>;

export function describePod({ colors, safe }: Output, object: Fields): string[] {
  const own = asObject(object["spec"]);
  const spec = findPodSpec(own);
  const status = asObject(object["status"]);
  return [
    ["Init containers", "initContainers", "initContainerStatuses"] as const,
    ["Containers", "containers", "containerStatuses"] as const,
  ].flatMap(([title, field, statusField]) => {
    const statuses = asList(status[statusField]).map(asObject);
    const containers = asList(spec[field]).map(asObject);
    if (containers.length === 0) return [];
    const texts = containers.map((container) => {
      const state = statuses.find(({ name }) => name === container["name"]);
      return [
        `  ${safe(asText(container["name"]))}:\n`,
        ...factsOf(container, state).map(([name, value]) => `    ${`${name}:`.padEnd(15)}${safe(value)}\n`),
      ].join("");
    });
    return [`${colors.dim(`${title}:`)}\n${texts.join("")}`];
  });
}

/** Where workloads have theirs: a Deployment's template, a CronJob's template of a template. */
function findPodSpec(spec: Fields): Fields {
  if (Array.isArray(spec["containers"])) return spec;
  const inner = asObject(asObject(spec["template"] ?? spec["jobTemplate"])["spec"]);
  return Object.keys(inner).length === 0 ? {} : findPodSpec(inner);
}

function factsOf(container: Fields, status: Fields | undefined): [string, string][] {
  const resources = asObject(container["resources"]);
  const ports = asList(container["ports"]).map(asObject);
  const facts: [string, string][] = [
    ["Image", asText(container["image"])],
    ["Ports", ports.map((port) => `${asText(port["containerPort"])}/${asText(port["protocol"]) || "TCP"}`).join(", ")],
    ["Command", asList(container["command"]).map(asText).join(" ")],
    ["Args", asList(container["args"]).map(asText).join(" ")],
    ["State", status === undefined ? "" : stateOf(asObject(status["state"]))],
    ["Last state", status === undefined ? "" : stateOf(asObject(status["lastState"]))],
    ["Ready", status === undefined ? "" : asText(status["ready"])],
    ["Restarts", status === undefined ? "" : asText(status["restartCount"])],
    ["Requests", pairsOf(resources["requests"])],
    ["Limits", pairsOf(resources["limits"])],
  ];
  return facts.filter(([, value]) => value !== "");
}

/** `Waiting: CrashLoopBackOff (back-off 5m0s)`, `Terminated: Error, exit code 137`. */
function stateOf(state: Fields): string {
  const [entry] = Object.entries(state);
  if (!entry) return "";
  const [name, value] = entry;
  const details = asObject(value);
  const exitCode = details["exitCode"] === undefined ? "" : `exit code ${asText(details["exitCode"])}`;
  const since = asText(details["startedAt"]) && name === "running" ? `since ${asText(details["startedAt"])}` : "";
  const parts = [asText(details["reason"]), exitCode, since].filter(Boolean).join(", ");
  const message = asText(details["message"]);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}${parts && `: ${parts}`}${message && ` (${message})`}`;
}

function pairsOf(value: unknown): string {
  return Object.entries(asObject(value))
    .map(([name, amount]) => `${name}=${asText(amount)}`)
    .join(", ");
}
