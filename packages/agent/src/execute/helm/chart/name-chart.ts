import type { ChartSource } from "../types.ts";

/** For people. */
export function nameChart(source: ChartSource): string {
  switch (source.type) {
    case "inline":
      return "inline";
    case "repository":
      return `${source.name} ${source.version} of ${source.url}`;
    case "git":
      return `${source.path ?? "the root"} of ${source.git.url}`;
    case "oci":
      return `oci://${source.path}${source.version === undefined ? "" : `:${source.version}`}`;
  }
}

/** As the policy of a cluster names places of charts. */
export function placeOfChart(source: ChartSource): string {
  switch (source.type) {
    case "inline":
      return "inline";
    case "repository":
      return source.url;
    case "git":
      return source.git.url;
    case "oci":
      return `oci://${source.path}`;
  }
}
