// What of a request may be shown. The lists name what is harmless, so that a field that is new is masked.

export function maskHeader(name: string, value: string): string {
  return openHeaders.has(name.toLowerCase()) ? value : sizeOf(value);
}

/** Without a user and a password, and with the values of known parameters alone. */
export function maskUrl(url: string | URL): string {
  const { protocol, host, pathname, searchParams } = new URL(url);
  const query = [...searchParams].map(([name, value]) => {
    return `${encodeURIComponent(name)}=${openParameters.has(name) ? encodeURIComponent(value) : sizeOf(value)}`;
  });
  return `${protocol}//${host}${pathname}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}

/** JSON with known members, and no others beneath; anything else by its size alone. */
export function describeBody(body: string): string {
  try {
    return JSON.stringify(maskValue(JSON.parse(body), true));
  } catch {
    return `<${Buffer.byteLength(body)} bytes, not JSON>`;
  }
}

/** What isn't open isn't looked into: values of a chart may be named like members of ours. */
function maskValue(value: unknown, isOpen: boolean): unknown {
  if (typeof value === "boolean" || value === null) return value;
  if (!isOpen) return typeof value === "string" ? sizeOf(value) : `<${Array.isArray(value) ? "array" : typeof value}>`;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, true));
  if (typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, maskValue(member, openMembers.has(name))]),
  );
}

function sizeOf(value: string): string {
  return `<${value.length} characters>`;
}

const openHeaders: ReadonlySet<string> = new Set([
  "accept",
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  "date",
  "fairlead-ca",
  "retry-after",
  "sec-websocket-protocol",
  "server",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "vary",
  "warning",
  "x-request-id",
]);

const openParameters: ReadonlySet<string> = new Set([
  "cluster",
  "dryRun",
  "fieldManager",
  "fieldSelector",
  "follow",
  "force",
  "health",
  "kind",
  "labelSelector",
  "limit",
  "name",
  "namespace",
  "offset",
  "resourceVersion",
  "search",
  "since",
  "sort",
  "state",
  "until",
  "verb",
  "watch",
]);

const openMembers: ReadonlySet<string> = new Set([
  "action",
  "apiVersion",
  "cells",
  "cluster",
  "clusters",
  "createdAt",
  "detail",
  "dryRun",
  "expiresAt",
  "finishedAt",
  "generation",
  "groups",
  "health",
  "hint",
  "items",
  "kind",
  "limit",
  "message",
  "name",
  "namespace",
  "objects",
  "observedAt",
  "reason",
  "requester",
  "requestId",
  "resource",
  "resourceVersion",
  "role",
  "roles",
  "selector",
  "state",
  "stateSince",
  "status",
  "tables",
  "target",
  "title",
  "total",
  "type",
  "uid",
  "verb",
  "version",
]);
