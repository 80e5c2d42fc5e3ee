// The hub's ends of a managed cluster: its applications, and what they need of Argo CD's own namespace on the hub, which the
// cluster gets as far as it concerns it.
import { onAbort } from "@fairlead/kernel";
import type { DataPart, GitopsMapping, ProjectPart, ReplicaSource } from "@fairlead/protocol";
import type { DestinedApplications } from "../../destinations/index.ts";
import { gitopsErrors } from "../../errors.ts";
import {
  type ClusterTarget,
  copyProject,
  matchesProject,
  matchesRepository,
  type SharedKindName,
  type SharedObject,
  type SharedObjects,
  type SharedPart,
} from "../../shared/index.ts";
import type { EndsOptions, HubEnds, SharingSettings } from "../types.ts";
import { openScope } from "./application-scope.ts";
import { createManagedApplications } from "./applications.ts";
import { createManagedProjects } from "./projects.ts";
import { createManagedSource, type ManagedSource } from "./source.ts";

export interface ManagedEndsOptions extends EndsOptions {
  readonly shared: SharedObjects;
  readonly sharing: Omit<SharingSettings, "mirrors">;
  readonly mapping: GitopsMapping;
  /** Undefined: the hub has no Argo CD. */
  readonly destined: DestinedApplications | undefined;
}

/** Throws GITOPS_MAPPING_NEEDS_ARGO, and GITOPS_NAMESPACE_ARGO: the hub's own applications would be the cluster's. */
export function createManagedEnds(options: ManagedEndsOptions): HubEnds {
  const { mapping, sharing, namespace, fence, signal } = options;
  if (mapping === "namespace" && namespace === sharing.argoNamespace)
    throw gitopsErrors.GITOPS_NAMESPACE_ARGO({ cluster: fence.cluster });
  const scope = openScope({ ...options, cluster: fence.cluster });
  const applications = createManagedApplications({ ...options, scope });
  const target: ClusterTarget = { cluster: fence.cluster, mapping, publicUrl: sharing.publicUrl };
  const leaving = new DisposableStack();
  const sources = new Map([...applications.sources, ...openProjects(), ...openConfigMaps()]);
  onAbort(signal, () => leaving.dispose());
  return { ...applications, sources };

  /** Repositories go where their projects do, so nothing is said of them before these are known. */
  function openProjects(): readonly [string, ReplicaSource][] {
    const shared = options.shared.kind("projects");
    if (shared === undefined) return [];
    let repositories: ManagedSource | undefined;
    const onChange = (): void => repositories?.judge();
    const projects = leaving.use(createManagedProjects({ shared, target, onChange }));
    const opened = open("projects", (object) => copyFor(object, target));
    const rules = { hasProject: projects.has, sharesGlobal: sharing.sharesGlobalRepositories };
    const isMatch = ({ part }: SharedObject): boolean => matchesRepository(part as DataPart, rules);
    const partFor = (object: SharedObject): SharedPart | undefined => (isMatch(object) ? object.part : undefined);
    repositories = open("repositories", partFor, () => projects.isKnown);
    return [...toEntries("projects", opened), ...toEntries("repositories", repositories)];
  }

  function openConfigMaps(): readonly [string, ReplicaSource][] {
    return configMaps.flatMap((kind) =>
      toEntries(
        kind,
        open(kind, ({ part }) => part),
      ),
    );
  }

  function open(
    kind: SharedKindName,
    partFor: (object: SharedObject) => SharedPart | undefined,
    isReady: () => boolean = () => true,
  ): ManagedSource | undefined {
    const shared = options.shared.kind(kind);
    const { argoNamespace } = sharing;
    return shared && leaving.use(createManagedSource({ ...options, shared, argoNamespace, partFor, isReady }));
  }
}

function copyFor({ part }: SharedObject, target: ClusterTarget): SharedPart | undefined {
  const project = part as ProjectPart;
  return matchesProject(project.spec, target) ? copyProject(project, target) : undefined;
}

function toEntries(kind: SharedKindName, opened: ManagedSource | undefined): readonly [string, ReplicaSource][] {
  return opened === undefined ? [] : [[kind, opened.source]];
}

const configMaps = ["gpg-keys", "known-hosts", "tls-certs"] as const;
