// Turns an autonomous cluster's project into the one that the hub shows. Pure. On the hub a project gives rights over
// that cluster's applications alone, whatever the cluster says.
import { mapWindows, ownCluster, readGlob } from "../../shared/index.ts";
import { asFields, type Fields } from "./as-fields.ts";
import { pickFields } from "./pick-fields.ts";
import { type RoleScope, toMirroredRoles } from "./role.ts";
import { projectShape } from "./shapes.ts";

export interface ProjectScope extends RoleScope {
  /** The address of the cluster's API at the hub. Undefined: the hub knows none. */
  readonly server: string | undefined;
}

export function toMirroredProject(spec: Fields, of: ProjectScope): Fields {
  const { roles } = spec;
  const { syncWindows: windows, ...picked } = pickFields(spec, projectShape);
  return {
    ...picked,
    sourceNamespaces: [of.cluster],
    destinations: toDestinations(listOf(spec["destinations"]), of),
    ...(Array.isArray(roles) && { roles: toMirroredRoles(roles, of) }),
    ...(Array.isArray(windows) && { syncWindows: toWindows(windows, of) }),
  };
}

/**
 * All are in the cluster. Those that say where nothing may go are about other ones; Argo CD takes no two that are alike. It
 * allows what has the name or the server, so each must be the cluster's own.
 */
function toDestinations(destinations: readonly Fields[], { cluster, server }: ProjectScope): Fields[] {
  const allowed = destinations.filter(({ name, server: at }) => !isDenial(name) && !isDenial(at));
  const namespaces = new Set(allowed.map(({ namespace }) => (typeof namespace === "string" ? namespace : "")));
  const place = { name: cluster, ...(isPlain(server) && { server }) };
  return [...namespaces].map((namespace) => ({ ...place, ...(namespace !== "" && { namespace }) }));
}

/** Those for other clusters of the cluster's Argo CD are left out: all of its applications have this one on the hub. */
function toWindows(windows: readonly unknown[], { cluster, server }: ProjectScope): unknown[] {
  return mapWindows(windows, {
    isNamed: (pattern) => [ownCluster.name, ownCluster.server].some((name) => readGlob(pattern)?.(name) === true),
    otherNames: [cluster, ...(isPlain(server) ? [server] : [])],
  });
}

function isPlain(server: string | undefined): server is string {
  return server !== undefined && !pattern.test(server);
}

function isDenial(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("!");
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(asFields) : [];
}

/** Argo CD reads a server as a pattern, so an address such as `https://[::1]` would be one for others, too. */
const pattern = /[*?[\]{}\\!]/;
