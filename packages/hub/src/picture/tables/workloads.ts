import type { Cell } from "@fairlead/contract";
import { formatRoundedDuration } from "@fairlead/kernel";
import type { Fields } from "@fairlead/kube";
import {
  age,
  count,
  createPrinter,
  field,
  formatAge,
  formatLabels,
  formatSelector,
  integer,
  joinContainers,
  name,
  optionalOr,
  templateColumns,
  text,
  wide,
} from "./columns.ts";
import type { Printer } from "./types.ts";

const wanted = (object: Fields): number => object.at("spec", "replicas").number() ?? 1;

export const workloadPrinters: Readonly<Record<string, Printer>> = {
  "deployments.apps": createPrinter(
    name,
    text("Ready", (object) => `${count(object, "status", "readyReplicas")}/${wanted(object)}`),
    text("Up-to-date", (object) => count(object, "status", "updatedReplicas")),
    text("Available", (object) => count(object, "status", "availableReplicas")),
    age,
    ...templateColumns,
  ),
  "replicasets.apps": createPrinter(
    name,
    integer("Desired", wanted),
    integer("Current", (object) => count(object, "status", "replicas")),
    integer("Ready", (object) => count(object, "status", "readyReplicas")),
    age,
    ...templateColumns,
  ),
  "statefulsets.apps": createPrinter(
    name,
    text("Ready", (object) => `${count(object, "status", "readyReplicas")}/${wanted(object)}`),
    age,
    ...templateColumns.slice(0, 2),
  ),
  "daemonsets.apps": createPrinter(
    name,
    integer("Desired", (object) => count(object, "status", "desiredNumberScheduled")),
    integer("Current", (object) => count(object, "status", "currentNumberScheduled")),
    integer("Ready", (object) => count(object, "status", "numberReady")),
    integer("Up-to-date", (object) => count(object, "status", "updatedNumberScheduled")),
    integer("Available", (object) => count(object, "status", "numberAvailable")),
    text("Node Selector", (object) => formatLabels(object.at("spec", "template", "spec", "nodeSelector"))),
    age,
    ...templateColumns,
  ),
  "jobs.batch": createPrinter(
    name,
    text("Status", readJobStatus),
    text("Completions", formatCompletions),
    text("Duration", formatJobDuration),
    age,
    ...templateColumns,
  ),
  "cronjobs.batch": createPrinter(
    name,
    field("Schedule", "spec", "schedule"),
    optionalOr("<none>", "Timezone", "spec", "timeZone"),
    { ...text("Suspend", readSuspension), type: "boolean" },
    integer("Active", (object) => object.at("status", "active").list().length),
    text("Last Schedule", (object, nowMs) => {
      const at = object.at("status", "lastScheduleTime").text();
      return at === undefined ? "<none>" : formatAge(at, nowMs);
    }),
    age,
    wide(text("Containers", (object) => joinContainers(object.at("spec", "jobTemplate", "spec", "template"), "name"))),
    wide(text("Images", (object) => joinContainers(object.at("spec", "jobTemplate", "spec", "template"), "image"))),
    wide(text("Selector", (object) => formatSelector(object.at("spec", "jobTemplate", "spec", "selector")))),
  ),
  replicationcontrollers: createPrinter(
    name,
    integer("Desired", (object) => count(object, "spec", "replicas")),
    integer("Current", (object) => count(object, "status", "replicas")),
    integer("Ready", (object) => count(object, "status", "readyReplicas")),
    age,
    ...templateColumns.slice(0, 2),
    wide(text("Selector", (object) => formatLabels(object.at("spec", "selector")))),
  ),
  podtemplates: createPrinter(
    name,
    text("Containers", (object) => joinContainers(object.at("template"), "name")),
    text("Images", (object) => joinContainers(object.at("template"), "image")),
    text("Pod Labels", (object) => formatLabels(object.at("template", "metadata", "labels"))),
  ),
  "controllerrevisions.apps": createPrinter(
    name,
    text("Controller", formatController),
    text("Revision", (object) => count(object, "revision")),
    age,
  ),
};

function readSuspension(object: Fields): Cell {
  switch (object.at("spec", "suspend").boolean()) {
    case true:
      return "True";
    case false:
      return "False";
    case undefined:
      return "<unset>";
  }
}

function formatController(object: Fields): Cell {
  const owners = object.at("metadata", "ownerReferences").list();
  const owner = owners.find((one) => one.at("controller").isTrue);
  if (!owner) return "<none>";
  const apiVersion = owner.at("apiVersion").text() ?? "";
  const group = apiVersion.includes("/") ? `.${apiVersion.slice(0, apiVersion.indexOf("/"))}` : "";
  return `${`${owner.at("kind").text() ?? ""}${group}`.toLowerCase()}/${owner.at("name").text() ?? ""}`;
}

function readJobStatus(job: Fields): Cell {
  const is = (type: string): boolean => job.condition(type)?.status === "True";
  if (is("Complete")) return "Complete";
  if (is("Failed")) return "Failed";
  if (job.at("metadata", "deletionTimestamp").exists) return "Terminating";
  if (is("Suspended")) return "Suspended";
  if (is("FailureTarget")) return "FailureTarget";
  return is("SuccessCriteriaMet") ? "SuccessCriteriaMet" : "Running";
}

function formatCompletions(job: Fields): Cell {
  const succeeded = count(job, "status", "succeeded");
  const completions = job.at("spec", "completions").number();
  if (completions !== undefined) return `${succeeded}/${completions}`;
  const parallelism = count(job, "spec", "parallelism");
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function formatJobDuration(job: Fields, nowMs: number): Cell {
  const started = job.at("status", "startTime").text();
  if (started === undefined) return "";
  const ended = job.at("status", "completionTime").text();
  return formatRoundedDuration((ended === undefined ? nowMs : Date.parse(ended)) - Date.parse(started));
}
