// Which objects the agent has anything to do with, whatever the hub says. Pure.
import { type GitopsKind, gitopsResources } from "@fairlead/protocol";

/** Chooses only Secrets of repositories, by their label, and only the one ConfigMap of the kind, by its name. */
export function isMeant(kind: GitopsKind, { name, labels = {} }: Named): boolean {
  const only = gitopsResources[kind].name;
  if (only !== undefined) return name === only;
  return kind !== "repositories" || repositoryTypes.has(labels["argocd.argoproj.io/secret-type"] ?? "");
}

interface Named {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
}

const repositoryTypes: ReadonlySet<string> = new Set(["repository", "repo-creds"]);
