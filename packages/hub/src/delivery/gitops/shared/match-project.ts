// Which of the hub's projects a cluster has. Pure.
import type { GitopsMapping } from "@fairlead/protocol";
import { readExpression, readGlob } from "./glob.ts";

/** For which cluster of the hub. */
export interface ClusterTarget {
  readonly cluster: string;
  readonly mapping: GitopsMapping;
  /** How people reach the hub from outside, where that is set. */
  readonly publicUrl: string | undefined;
}

export interface Destination {
  readonly name: string;
  readonly server: string;
  readonly namespace: string;
}

type Spec = Readonly<Record<string, unknown>>;

/**
 * True when one of the project's destinations is the cluster and none forbids it. With the mapping by namespace the
 * project must be open to the cluster's namespace, too.
 */
export function matchesProject(spec: Spec, target: ClusterTarget): boolean {
  const { cluster, mapping } = target;
  const destinations = readDestinations(spec);
  if (destinations.some((destination) => forbids(destination, target))) return false;
  if (!destinations.some((destination) => isDestination(destination, target))) return false;
  return (
    mapping === "destination" || readWords(spec["sourceNamespaces"]).some((source) => matchesNamespace(source, cluster))
  );
}

export function readDestinations({ destinations }: Spec): readonly Destination[] {
  if (!Array.isArray(destinations)) return [];
  return destinations.map((each: Partial<Record<string, unknown>> | null) => ({
    name: toText(each?.["name"]),
    server: toText(each?.["server"]),
    namespace: toText(each?.["namespace"]),
  }));
}

/** A name says it alone; the server counts where there is none. */
export function isDestination({ name, server }: Pick<Destination, "name" | "server">, target: ClusterTarget): boolean {
  return name === "" ? isServer(server, target) : allows(name, target.cluster);
}

/** Each server, or the cluster's API as the hub offers it. */
export function isServer(server: string, target: ClusterTarget): boolean {
  return server === "*" || addressesOf(server, target).some(({ pattern, address }) => allows(pattern, address));
}

/** Where a name and a server are the same field. */
export function isCluster(pattern: string, target: ClusterTarget): boolean {
  return allows(pattern, target.cluster) || isServer(pattern, target);
}

/** As Argo CD reads its lists of namespaces: a pattern, or a regular expression between slashes. */
export function matchesNamespace(source: string, namespace: string): boolean {
  const [, expression] = /^\/(.*)\/$/s.exec(source) ?? [];
  return expression === undefined ? allows(source, namespace) : readExpression(expression)?.(namespace) === true;
}

export function isDenial(pattern: string): boolean {
  return pattern.startsWith("!");
}

function forbids({ name, server }: Destination, target: ClusterTarget): boolean {
  if (isDenial(name) && isForbidden(name.slice(1), target.cluster)) return true;
  if (!isDenial(server)) return false;
  const forbidden = server.slice(1);
  return forbidden === "*" || addressesOf(forbidden, target).some((each) => isForbidden(each.pattern, each.address));
}

/** A pattern that can't be read forbids. */
function isForbidden(pattern: string, text: string): boolean {
  return readGlob(pattern)?.(text) ?? true;
}

function allows(source: string, text: string): boolean {
  return !isDenial(source) && readGlob(source)?.(text) === true;
}

/** Argo CD may reach the hub at an address of its own, so what is behind the host is compared alone as well. */
function addressesOf(
  server: string,
  { cluster, publicUrl }: ClusterTarget,
): readonly { readonly pattern: string; readonly address: string }[] {
  const pattern = server.replace(/\/$/, "");
  const path = pathPrefix + cluster;
  const at = isDenial(pattern) ? -1 : pattern.indexOf(pathPrefix);
  return [
    ...(at < 0 ? [] : [{ pattern: pattern.slice(at), address: path }]),
    ...(publicUrl === undefined ? [] : [{ pattern, address: publicUrl + path }]),
  ];
}

function readWords(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(toText) : [];
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const pathPrefix = "/k8s/clusters/";
