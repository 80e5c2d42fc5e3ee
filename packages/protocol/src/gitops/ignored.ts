import type { GitopsObject } from "./objects.ts";

/**
 * Whoever labels an object so keeps it on the side that it is on. The second label is argocd-agent's, for those who come
 * from there.
 */
export function isIgnored({ metadata: { labels = {} } }: GitopsObject): boolean {
  return ignoreLabels.some((label) => labels[label] === "true");
}

export const ignoreLabel = "fairlead.dev/ignore-sync";
const ignoreLabels = [ignoreLabel, "argocd-agent.argoproj-labs.io/ignore-sync"];
