// Reads of the agent's own that have a caller's rights: to find out about an object before the caller gets at it.
import { createKubeClient, type KubePool } from "@fairlead/kube";
import type { CallerIdentity } from "@fairlead/protocol";
import { pushIdentityLines } from "./identity.ts";

export type CallerReader = (identity: CallerIdentity, signal: AbortSignal) => (path: string) => Promise<unknown>;

export function createCallerReader(pool: KubePool): CallerReader {
  const client = createKubeClient({ access: pool.access, pool });
  return (identity, signal) => {
    const lines: string[] = [];
    pushIdentityLines(lines, identity);
    const headers = toHeaders(lines);
    return (path) => client.request({ path, headers, signal, timeoutMs });
  };
}

/** Groups come several times. */
function toHeaders(lines: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const name = lines[i] ?? "";
    headers[name] = [...(headers[name] ?? []), lines[i + 1] ?? ""];
  }
  return headers;
}

const timeoutMs = 5_000;
