import type { HubClient } from "@fairlead/contract";
import type { CompletedName } from "../completion/index.ts";

/** What a command line says so far of the objects that it means. */
export interface TypedSelection {
  readonly kind: string | undefined;
  readonly cluster: string | undefined;
  readonly namespace: string | undefined;
}

/** The names on the hub that the caller may see; the newest ones of runs. */
export async function readNames(
  hub: HubClient,
  {
    what,
    typed,
    signal,
  }: { readonly what: CompletedName; readonly typed: TypedSelection; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const { kind, cluster, namespace } = typed;
  const nameOf = ({ name }: { readonly name: string }): string => name;
  switch (what) {
    case "cluster":
      return (await hub.listClusters({ signal })).items.map(nameOf);
    case "kind":
      return (await hub.listKinds({ signal })).items.map((item) => item.kind);
    case "object":
      if (kind === undefined) return readNames(hub, { what: "kind", typed, signal });
      return (await hub.listObjects({ kind, cluster, namespace, limit: most }, { signal })).items.map(nameOf);
    case "namespace":
      return (await hub.listObjects({ kind: "namespaces", cluster, limit: most }, { signal })).items.map(nameOf);
    case "run":
      return (await hub.listCommands({ limit: fewNewest }, { signal })).items.map(({ id }) => id);
    case "rollout":
      return (await hub.listRollouts({ limit: fewNewest }, { signal })).items.map(({ id }) => id);
    case "stack":
      return (await hub.listStacks({ limit: most }, { signal })).items.map(nameOf);
    case "schedule":
      return (await hub.listSchedules({ signal })).items.map(nameOf);
    case "template":
      return (await hub.listTemplates({ signal })).items.map(nameOf);
    case "profile":
      return (await hub.listProfiles({ signal })).items.map(nameOf);
    case "robot":
      return (await hub.listRobots({ signal })).items.map(nameOf);
    case "role":
      return (await hub.listRoles({ signal })).items.map(nameOf);
    case "application":
      return (await hub.listApplications({ cluster, limit: most }, { signal })).items.map((item) =>
        item.namespace === item.cluster
          ? `${item.cluster}/${item.name}`
          : `${item.cluster}/${item.namespace}/${item.name}`,
      );
    default:
      return what satisfies never;
  }
}

const most = 500;
const fewNewest = 50;
