import type { GitopsObject } from "./objects.ts";

/**
 * An object with one of these labels stays on the side that it is on. The second label is argocd-agent's, for clusters
 * that come from there.
 */
export function isIgnored({ metadata: { labels = {} } }: GitopsObject): boolean {
  return ignoreLabels.some((label) => labels[label] === "true");
}

export const ignoreLabel = "fairlead.dev/ignore-sync";
const ignoreLabels = [ignoreLabel, "argocd-agent.argoproj-labs.io/ignore-sync"];
