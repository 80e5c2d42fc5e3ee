import { type Check, fail, few, pass, safe, type Verdict } from "../../checks/index.ts";
import type { Evidence } from "../../snapshot/index.ts";
import { isLokiSink, isVictoriaSink, type JudgedConfig, judgeConfigs } from "./judge-config.ts";
import type { VectorPart } from "./read-config.ts";

export const globCooldownCheck: Check = {
  id: "vector.glob-cooldown",
  title: "Vector looks for new log files every second",
  why: "By default it looks once a minute. Pods that live shorter, such as those of jobs, are gone by then, and their logs with them.",
  severity: "recommended",
  features: ["logs"],
  judge: (input) =>
    judgeConfigs(input, ({ map, parts }) => {
      const sources = parts.filter(isPodSource);
      const evidence = few(sources).map(
        (source): Evidence => ({
          object: map,
          path: `${source.path}.glob_minimum_cooldown_ms`,
          observed: source.fields.at("glob_minimum_cooldown_ms").scalar() ?? "unset, which is 60000",
          expected: "1000",
        }),
      );
      if (sources.length === 0) return fail("Vector reads no logs of pods.", []);
      const slow = sources.filter(
        ({ fields }) => Number(fields.at("glob_minimum_cooldown_ms").scalar() ?? 60_000) > 1000,
      );
      if (slow.length === 0) return pass("It does.", evidence);
      const fixed = Object.fromEntries(slow.map(({ name }) => [name, { glob_minimum_cooldown_ms: 1000 }]));
      return fail("Logs of short-lived pods get lost.", evidence, {
        is: "helm-values",
        risk: safe,
        chart: "vector",
        values: { customConfig: { sources: fixed } },
      });
    }),
};

export const podLabelsCheck: Check = {
  id: "vector.pod-labels",
  title: "Vector writes the labels of pods into fields of their own",
  why: [
    "The stream fields of an application come from its pods' labels, which Vector keeps in `kubernetes.pod_labels`. A remap on the",
    "way to the sink has to write each into a field: `truefoundry.com/application` into `truefoundry_com_application`.",
  ].join("\n"),
  severity: "required",
  features: ["logs"],
  appliesTo: ({ profile }) => profile.logs.streamFields.some((field) => !ownFields.has(field)),
  judge: (input) => judgeConfigs(input, judgePodLabels),
};

/** Fields that come from elsewhere than labels. */
const ownFields: ReadonlySet<string> = new Set(["namespace", "pod", "container", "stream", "job_name"]);

function judgePodLabels({ map, parts }: JudgedConfig): Verdict {
  const sinks = parts.filter(isVictoriaSink);
  if (sinks.length === 0 && parts.some(isLokiSink)) return pass("It sends to Loki, by labels.");
  const remaps = sinks
    .flatMap((sink) => transformsBefore(sink, parts))
    .filter(({ fields }) => fields.at("type").text() === "remap");
  const fitting = remaps.find(({ fields }) => fields.at("source").text()?.includes("pod_labels"));
  const expected = "a remap that writes kubernetes.pod_labels into fields";
  if (fitting) return pass("A remap does.", [{ object: map, path: fitting.path, observed: "it does", expected }]);
  const evidence = few(sinks).map(
    ({ path }): Evidence => ({ object: map, path: `${path}.inputs`, observed: "none", expected }),
  );
  return fail("The labels of pods are no fields of logs.", evidence, {
    is: "helm-values",
    risk: safe,
    chart: "vector",
    values: { customConfig: { transforms: { parser: { type: "remap", source: remapOfPods } } } },
  });
}

/** Each is visited once, since inputs may go in a circle by mistake. */
function transformsBefore(sink: VectorPart, parts: readonly VectorPart[]): VectorPart[] {
  const found = new Set<VectorPart>();
  const visit = ({ fields }: VectorPart): void => {
    const inputs = fields
      .at("inputs")
      .list()
      .map((input) => input.text() ?? "");
    for (const part of parts) {
      if (part.section !== "transforms" || found.has(part) || !inputs.some((input) => isNamed(part.name, input)))
        continue;
      found.add(part);
      visit(part);
    }
  };
  visit(sink);
  return [...found];
}

/** Inputs may end in a wildcard, and may name one output of a transform after a dot. */
function isNamed(name: string, input: string): boolean {
  if (input.endsWith("*")) return name.startsWith(input.slice(0, -1));
  return input === name || input.startsWith(`${name}.`);
}

function isPodSource({ section, fields }: VectorPart): boolean {
  return section === "sources" && fields.at("type").text() === "kubernetes_logs";
}

/** In Vector's remap language. */
export const remapOfPods: string = [
  ".namespace = .kubernetes.pod_namespace",
  ".pod = .kubernetes.pod_name",
  ".container = .kubernetes.container_name",
  "labels = object(.kubernetes.pod_labels) ?? {}",
  "for_each(labels) -> |key, value| {",
  "  name = replace(key, r'[./-]', \"_\")",
  '  . = set!(., [name], string(value) ?? "")',
  "}",
  "",
].join("\n");
