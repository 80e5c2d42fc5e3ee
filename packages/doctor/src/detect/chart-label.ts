import type { Fields } from "@fairlead/kernel";

/** `helm.sh/chart: NAME-VERSION`, where `_` stands for `+`. kube-prometheus-stack has it in the label `chart`. */
export function chartOf(labels: Fields): { readonly name: string; readonly version?: string } | undefined {
  const text = labels.at("helm.sh/chart").text() ?? labels.at("chart").text();
  if (text === undefined) return undefined;
  const parts = /^(.+?)-v?(\d+\.\d+\.\d+.*)$/.exec(text);
  if (!parts) return { name: text };
  return { name: parts[1] ?? text, version: (parts[2] ?? "").replaceAll("_", "+") };
}
