// Lets go of the hub's projects that are being deleted, as Argo CD's application controller does: when no application is in
// them any more. On the hub none has to run. One hub of several does so at a time.
import { type Clock, repeat, untilAbort } from "@fairlead/kernel";
import { type GitopsObject, isCarriedFinalizer, isIgnored } from "@fairlead/protocol";
import type { Leases } from "../../../platform/leases/index.ts";
import { listOnce } from "../applications/index.ts";
import type { HubObjects } from "../types.ts";

export interface ReleaseProjectsOptions {
  readonly objects: HubObjects;
  /** Argo CD's own. */
  readonly namespace: string;
  /** Whether the hub's projects go to any cluster. */
  readonly isNeeded: () => Promise<boolean>;
  readonly leases: Pick<Leases, "hold">;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
}

export function releaseProjects(options: ReleaseProjectsOptions): AsyncDisposable {
  const { leases, clock, log } = options;
  let told = "";
  return leases.hold("gitops-projects", {
    async work(lease) {
      await using _rounds = repeat({
        clock,
        intervalMs,
        run: () => releaseUnused(options, lease.signal),
        onError(error) {
          const said = String(error);
          if (said !== told) log.warn({ err: error }, "projects that are being deleted on the hub can't be let go now");
          told = said;
        },
      });
      await untilAbort(lease.signal);
    },
  });
}

async function releaseUnused(options: ReleaseProjectsOptions, signal: AbortSignal): Promise<void> {
  const { objects, namespace, isNeeded, log } = options;
  if (!objects.kinds.has("projects") || !(await isNeeded())) return;
  const projects = await listOnce(objects, { kind: "projects", namespace, labelSelector: "" });
  if (!projects.some(waitsForApplications)) return;
  const all = await listOnce(objects, { kind: "applications", namespace: undefined, labelSelector: "" });
  for (const object of listUnused(projects, all)) {
    if (signal.aborted) return;
    const result = await objects.writeFinalizers({ kind: "projects", object, fence: undefined, signal });
    if (result.is !== "refused") continue;
    const { name } = object.metadata;
    log.warn({ project: name, reason: result.refusal.message }, "a project that is being deleted can't be let go");
  }
}

/** The projects that may go, without Argo CD's finalizer. Pure. */
export function listUnused(
  projects: readonly GitopsObject[],
  applications: readonly GitopsObject[],
): readonly GitopsObject[] {
  const used = new Set(applications.map(projectOf));
  return projects
    .filter((project) => waitsForApplications(project) && !used.has(project.metadata.name))
    .map((project) => {
      const finalizers = project.metadata.finalizers?.filter((name) => !isCarriedFinalizer(name)) ?? [];
      return { ...project, metadata: { ...project.metadata, finalizers } };
    });
}

/** A mirror goes when its cluster says so. */
function waitsForApplications(project: GitopsObject): boolean {
  const { deletionTimestamp, finalizers = [] } = project.metadata;
  return deletionTimestamp !== undefined && finalizers.some(isCarriedFinalizer) && !isIgnored(project);
}

/** As Argo CD reads it. */
function projectOf({ spec }: GitopsObject): string {
  const { project } = (spec ?? {}) as { readonly project?: unknown };
  return typeof project === "string" && project !== "" ? project : "default";
}

const intervalMs = 10_000;
