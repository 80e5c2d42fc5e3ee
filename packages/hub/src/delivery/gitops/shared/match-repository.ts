// Which Secrets of repositories a cluster has. Pure.
import type { DataPart } from "@fairlead/protocol";

export interface RepositoryRules {
  /** By name. */
  readonly hasProject: (project: string) => boolean;
  /** Whether those that belong to no project go to all clusters. */
  readonly sharesGlobal: boolean;
}

/** A Secret goes where its project does. */
export function matchesRepository({ data }: DataPart, { hasProject, sharesGlobal }: RepositoryRules): boolean {
  const project = Buffer.from(data["project"] ?? "", "base64").toString();
  return project === "" ? sharesGlobal : hasProject(project);
}
