import type { Fields } from "@fairlead/kernel";

export interface ChartName {
  readonly name: string;
  readonly version?: string;
}

/** `helm.sh/chart: NAME-VERSION`, where `_` stands for `+`. kube-prometheus-stack has it in the label `chart`. */
export function chartOf(labels: Fields): ChartName | undefined {
  const text = labels.at("helm.sh/chart").text() ?? labels.at("chart").text();
  return text === undefined ? undefined : splitChart(text);
}

/** By the last part that is a version: names may end in something that looks like one. */
function splitChart(text: string): ChartName {
  const parts = /^(.+)-v?(\d+\.\d+\.\d+(?:[-+_][\w.+-]*)?)$/.exec(text);
  return parts?.[1] && parts[2] ? { name: parts[1], version: parts[2].replaceAll("_", "+") } : { name: text };
}
