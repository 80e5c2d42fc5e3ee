// kubectl asks for an exec over WebSocket first, and over SPDY when that is refused. Both are recorded; the second one
// names the first.
import type { AuditStart } from "./types.ts";

export interface Retries {
  /** The id of the refused request that this one tries again. */
  find(start: AuditStart): string | undefined;
  refused(start: AuditStart, at: number): void;
}

export function createRetries(): Retries {
  const refusals = new Map<string, { readonly requestId: string; readonly at: number }>();
  return {
    find(start) {
      if (refusals.size === 0 || start.method !== "POST") return undefined;
      const key = keyOf(start);
      const refusal = key === undefined ? undefined : refusals.get(key);
      if (key === undefined || !refusal) return undefined;
      refusals.delete(key);
      return start.at - refusal.at <= retryMs ? refusal.requestId : undefined;
    },
    refused(start, at) {
      const key = start.method === "GET" ? keyOf(start) : undefined;
      if (key === undefined) return;
      // The oldest goes first; a Map keeps the order.
      const [oldest] = refusals.size >= maxRefusals ? refusals.keys() : [];
      if (oldest !== undefined) refusals.delete(oldest);
      refusals.set(key, { requestId: start.requestId, at });
    },
  };
}

function keyOf({ attributes, kubectlSession, cluster }: AuditStart): string | undefined {
  if (!kubectlSession || !attributes || !retried.has(attributes.subresource)) return undefined;
  const { namespace, resource, name, subresource } = attributes;
  return [kubectlSession, cluster, namespace, resource, name, subresource].join("\n");
}

const retried = new Set(["exec", "attach", "portforward"]);
const retryMs = 60_000;
const maxRefusals = 1_000;
