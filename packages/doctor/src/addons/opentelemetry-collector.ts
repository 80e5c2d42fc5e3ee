import { Fields } from "@fairlead/kernel";
import { parseDocument } from "yaml";
import type { Addon } from "../catalogue/index.ts";
import { allowConfigMap, type Check, type CheckInput, fail, pass, unknown, type Verdict } from "../checks/index.ts";
import { workloadsOf } from "../detect/index.ts";
import type { Evidence, ObjectRef } from "../snapshot/index.ts";
import { readConfigMounts, type Workload } from "../workloads/index.ts";
import { optionalEverywhere } from "./need.ts";

const logsCheck: Check = {
  id: "opentelemetry-collector.logs",
  title: "A pipeline takes logs of pods, says which pod they are of, and sends them on",
  why: "Without the receiver `filelog` no log is read, without the processor `k8sattributes` none is found by its application.",
  severity: "required",
  features: ["logs"],
  judge: ({ installation, snapshot }) => {
    const agents = workloadsOf(installation, "collector").filter(({ ref }) => ref.resource === "daemonsets.apps");
    const [agent] = agents;
    if (!agent) return fail("No DaemonSet of it collects logs of nodes.", []);
    return judgeAgent(agent, snapshot);
  },
};

export const opentelemetryCollector: Addon = {
  id: "opentelemetry-collector",
  title: "OpenTelemetry Collector",
  need: optionalEverywhere,
  signals: {
    resources: [],
    components: [
      {
        name: "collector",
        isEssential: true,
        images: ["opentelemetry-collector-contrib", "opentelemetry-collector-k8s", "opentelemetry-collector"],
      },
    ],
  },
  checks: [logsCheck],
  unlocks: ["logs"],
  alternatives: ["vector", "fluent-bit"],
};

function judgeAgent(agent: Workload, snapshot: CheckInput["snapshot"]): Verdict {
  const namespace = agent.ref.namespace ?? "default";
  for (const name of readConfigMounts(agent).maps) {
    const sighting = snapshot.readConfigMap(namespace, name);
    if (sighting.is === "hidden") return unknown(`${sighting.why}.`, allowConfigMap(namespace, name));
    if (sighting.is === "missing") continue;
    for (const [, text] of new Fields(sighting.configMap).at("data").entries()) {
      const pipelines = readPipelines(text.text() ?? "");
      if (pipelines) return judgePipelines(pipelines, { resource: "configmaps", namespace, name });
    }
  }
  return unknown("None of the ConfigMaps that it mounts holds its pipelines.");
}

function readPipelines(text: string): Fields | undefined {
  try {
    const document = parseDocument(text, { prettyErrors: false });
    const pipelines = new Fields(document.toJS({ maxAliasCount: 100 })).at("service", "pipelines");
    return document.errors.length === 0 && pipelines.exists ? pipelines : undefined;
  } catch {
    return undefined;
  }
}

/** A pipeline is named after what it carries, and after a slash as people like: `logs/pods`. */
function judgePipelines(pipelines: Fields, object: ObjectRef): Verdict {
  const ofLogs = pipelines.entries().filter(([name]) => name.split("/")[0] === "logs");
  const evidence = ofLogs.map(
    ([name, pipeline]): Evidence => ({
      object,
      path: `service.pipelines.${name}`,
      observed: pipeline.json().slice(0, 500),
      expected: "receivers with filelog, processors with k8sattributes, an exporter other than debug",
    }),
  );
  const isFit = ofLogs.some(
    ([, pipeline]) =>
      typesIn(pipeline, "receivers").includes("filelog") &&
      typesIn(pipeline, "processors").includes("k8sattributes") &&
      typesIn(pipeline, "exporters").some((type) => type !== "debug" && type !== "logging"),
  );
  return isFit ? pass("One does.", evidence) : fail("No pipeline does all of it.", evidence);
}

function typesIn(pipeline: Fields, list: string): string[] {
  return pipeline
    .at(list)
    .list()
    .map((part) => (part.text() ?? "").split("/")[0] ?? "");
}
