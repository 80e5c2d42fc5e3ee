// The hooks of a plan with their bodies: they run, so people see what. Values of Secrets are masked.
import type { Hook } from "@fairlead/kube";
import { readMadeObjects } from "../objects.ts";
import { isMap } from "../values/merge.ts";

export interface ShownHook {
  readonly kind: string;
  readonly name: string;
  readonly events: readonly string[];
  readonly object?: unknown;
  /** Its body didn't fit any more; the digest covers it all the same. */
  readonly objectOmitted?: true;
}

export function showHooks(hooks: readonly Hook[]): readonly ShownHook[] {
  let leftBytes = mostBytes;
  return hooks.map(({ kind, name, events, manifest }) => {
    const object = bodyOf(manifest);
    const size = Buffer.byteLength(JSON.stringify(object ?? null));
    if (size > leftBytes) return { kind, name, events, objectOmitted: true };
    leftBytes -= size;
    return { kind, name, events, ...(object !== undefined && { object }) };
  });
}

function bodyOf(manifest: string): unknown {
  const [made] = readMadeObjects(manifest);
  if (made === undefined) return undefined;
  const { object, kind, apiVersion } = made;
  if (kind !== "Secret" || apiVersion !== "v1") return object;
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, secretMembers.has(name) ? maskValues(value) : value]),
  );
}

function maskValues(data: unknown): unknown {
  return isMap(data) ? Object.fromEntries(Object.keys(data).map((key) => [key, masked])) : masked;
}

const secretMembers = new Set(["data", "stringData"]);
const masked = "(masked)";
const mostBytes = 150 * 1024;
