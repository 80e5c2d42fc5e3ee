import { Fields } from "@fairlead/kernel";
import type { Addon } from "../../catalogue/index.ts";
import { allowConfigMap, type Check, type CheckInput, fail, pass, unknown, type Verdict } from "../../checks/index.ts";
import { workloadsOf } from "../../detect/index.ts";
import type { Evidence, ObjectRef } from "../../snapshot/index.ts";
import { readConfigMounts } from "../../workloads/index.ts";
import { optionalEverywhere } from "../need.ts";
import { type ConfigSection, parseFluentBitConfig, readEntry } from "./parse-config.ts";

const outputCheck: Check = {
  id: "fluent-bit.output",
  title: "Fluent Bit sends logs to VictoriaLogs or Loki",
  why: "Logs of pods that are gone are asked of VictoriaLogs or Loki; whatever goes elsewhere isn't found.",
  severity: "required",
  features: ["logs"],
  judge: (input) =>
    judgeConfig(input, (map, sections) => {
      const outputs = sections.filter(({ kind }) => kind === "OUTPUT");
      const evidence = outputs.map((output) => evidenceOf(map, output, "an output to VictoriaLogs or Loki"));
      return outputs.some(isOurs)
        ? pass("It does.", evidence)
        : fail("It sends logs nowhere that they are looked for.", evidence);
    }),
};

const labelsCheck: Check = {
  id: "fluent-bit.labels",
  title: "Logs carry the labels that they are asked for by",
  why: [
    "A filter `kubernetes` says which pod a line is of. An output to Loki then needs `labels`, `label_keys` or",
    "`auto_kubernetes_labels`, and one to VictoriaLogs `_stream_fields` in its address.",
  ].join("\n"),
  severity: "required",
  features: ["logs"],
  judge: (input) =>
    judgeConfig(input, (map, sections) => {
      const outputs = sections.filter(isOurs);
      const filtered = sections.some((section) => section.kind === "FILTER" && nameOf(section) === "kubernetes");
      const bare = outputs.filter((output) => !hasLabels(output));
      if (filtered && bare.length === 0 && outputs.length > 0) return pass("They do.");
      if (!filtered)
        return fail(
          "No filter says which pod a line is of.",
          outputs.map((each) => evidenceOf(map, each, "a filter 'kubernetes'")),
        );
      return fail(
        "An output names no labels.",
        bare.map((each) => evidenceOf(map, each, "labels or _stream_fields")),
      );
    }),
};

export const fluentBit: Addon = {
  id: "fluent-bit",
  title: "Fluent Bit",
  need: optionalEverywhere,
  signals: { resources: [], components: [{ name: "agent", isEssential: true, images: ["fluent/fluent-bit"] }] },
  checks: [labelsCheck, outputCheck],
  unlocks: ["logs"],
  alternatives: ["vector", "opentelemetry-collector"],
};

/** The classic format alone; in YAML or in a Secret it can't be judged. */
function judgeConfig(
  { installation, snapshot }: CheckInput,
  judge: (map: ObjectRef, sections: readonly ConfigSection[]) => Verdict,
): Verdict {
  for (const agent of workloadsOf(installation, "agent")) {
    const namespace = agent.ref.namespace ?? "default";
    for (const name of readConfigMounts(agent).maps) {
      const sighting = snapshot.readConfigMap(namespace, name);
      if (sighting.is === "hidden") return unknown(`${sighting.why}.`, allowConfigMap(namespace, name));
      if (sighting.is === "missing") continue;
      const texts = new Fields(sighting.configMap)
        .at("data")
        .entries()
        .filter(([key]) => key.endsWith(".conf"));
      const sections = texts.flatMap(([, text]) => parseFluentBitConfig(text.text() ?? ""));
      if (sections.some(({ kind }) => kind === "OUTPUT"))
        return judge({ resource: "configmaps", namespace, name }, sections);
    }
  }
  return unknown("The configuration of Fluent Bit isn't in a ConfigMap in its classic format.");
}

function nameOf(section: ConfigSection): string {
  return (readEntry(section, "name") ?? "").toLowerCase();
}

function pathOf(output: ConfigSection): string {
  return readEntry(output, "uri") ?? readEntry(output, "path") ?? "";
}

function isOurs(section: ConfigSection): boolean {
  if (section.kind !== "OUTPUT") return false;
  const name = nameOf(section);
  if (name === "http") return pathOf(section).includes("/insert/jsonline");
  if (name === "es") return pathOf(section).includes("/insert/elasticsearch");
  return name === "loki";
}

function hasLabels(output: ConfigSection): boolean {
  if (nameOf(output) === "loki") {
    const isAutomatic = readEntry(output, "auto_kubernetes_labels")?.toLowerCase() === "on";
    return isAutomatic || output.entries.some(([name]) => labelEntries.has(name));
  }
  const inHeader = output.entries.some(([name, value]) => name === "header" && /^VL-Stream-Fields \S/i.test(value));
  return inHeader || /[?&]_stream_fields=[^&]/.test(pathOf(output));
}

const labelEntries: ReadonlySet<string> = new Set(["labels", "label_keys", "label_map_path"]);

function evidenceOf(object: ObjectRef, { entries }: ConfigSection, expected: string): Evidence {
  const observed = entries
    .filter(([key]) => shown.has(key))
    .map(([key, value]) => `${key} ${value}`)
    .join(", ");
  return { object, path: "data: [OUTPUT]", observed: observed.slice(0, 500), expected };
}

/** Passwords and tokens of outputs stand in the same section. */
const shown: ReadonlySet<string> = new Set([
  "name",
  "match",
  "host",
  "port",
  "labels",
  "label_keys",
  "auto_kubernetes_labels",
]);
