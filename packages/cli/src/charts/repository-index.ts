import { Fields } from "@fairlead/kernel";
import { parse } from "yaml";

/**
 * The digest that a repository's index has for one version of a chart, as `sha256:…`. Indexes have megabytes, so only the
 * lines about this chart are parsed.
 */
export function digestInIndex(
  index: string,
  { chart, version }: { readonly chart: string; readonly version: string },
): string | undefined {
  const entries = index.trimStart().startsWith("{")
    ? new Fields(JSON.parse(index)).at("entries", chart)
    : new Fields(parse(linesAbout(chart, index)));
  const entry = entries.list().find((each) => each.at("version").text() === version);
  const digest = entry?.at("digest").text();
  return digest === undefined ? undefined : `sha256:${digest.replace(/^sha256:/, "")}`;
}

/** Between the chart's name, two spaces in, and the next name there. */
function linesAbout(chart: string, index: string): string {
  const lines = index.split("\n");
  const start = lines.findIndex((line) => line === `  ${chart}:` || line === `  "${chart}":`);
  if (start < 0) return "";
  const length = lines.slice(start + 1).findIndex((line) => /^( {0,2})[^\s-]/.test(line));
  return lines.slice(start + 1, length < 0 ? undefined : start + 1 + length).join("\n");
}
