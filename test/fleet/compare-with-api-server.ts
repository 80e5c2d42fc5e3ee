// The question that all tests of the live picture end with: is what the hub has what the API server has, object for
// object? The projection is told again here, in the fewest words, so that a mistake in the agent's own shows.
import { isDeepStrictEqual } from "node:util";
import type { ObjectItem } from "@fairlead/contract";
import { expect } from "vitest";
import type { ObserveFleet } from "./observe-fleet.ts";

interface CompareOptions {
  /** Only this, where others change the cluster meanwhile; all namespaces and what is in none unless told. */
  readonly namespace?: string;
  /** The kinds that are in step unless told, and at least pods, config maps and widgets. */
  readonly kinds?: readonly string[];
  readonly timeoutMs?: number;
}

/** Polls until nothing differs; fails with what does in the first kind that does. */
export async function compareWithApiServer(fleet: ObserveFleet, options: CompareOptions = {}): Promise<void> {
  const { timeoutMs = 90_000 } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const differences = await findDifferences(fleet, options).catch((error: unknown) => [String(error)]);
    if (differences.length === 0) return;
    if (performance.now() > deadline) {
      const named = [...differences.slice(0, 20), `${differences.length} in all`];
      expect(named, `after ${timeoutMs} ms`).toEqual([]);
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Returns a line for each object of a kind that the hub lacks, has too much, or has otherwise. */
async function findDifferences(fleet: ObserveFleet, options: CompareOptions): Promise<string[]> {
  // An agent's verdicts are in no API server.
  const kinds = (await fleet.inventory()).kinds.filter(({ apiVersion }) => !apiVersion.startsWith("fairlead.dev/"));
  const states = new Map(kinds.map(({ kind, state }) => [kind, state]));
  const wanted = options.kinds ?? [
    ...new Set(["pods", "configmaps", fleet.widgets.kind, ...kinds.map(({ kind }) => kind)]),
  ];
  const differences = wanted.flatMap((kind) =>
    states.get(kind) === "synced" ? [] : [`${kind} are ${states.get(kind) ?? "not known"}`],
  );
  if (differences.length > 0) return differences;
  for (const { kind, apiVersion, namespaced } of kinds) {
    const isMeant = wanted.includes(kind) && (namespaced || options.namespace === undefined);
    if (!isMeant) continue;
    const namespace = namespaced ? options.namespace : undefined;
    const [truth, copy] = await Promise.all([
      listDirectly(fleet, { kind, apiVersion, namespace }),
      fleet.list({ kind, ...(namespace !== undefined && { namespace }) }),
    ]);
    differences.push(...compareKind(kind, truth, copy));
    // All will be asked for again.
    if (differences.length > 0) break;
  }
  return differences;
}

interface Members {
  readonly metadata: {
    readonly uid: string;
    readonly name: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields?: unknown;
  };
  readonly [field: string]: unknown;
}

async function listDirectly(
  fleet: ObserveFleet,
  { kind, apiVersion, namespace }: { kind: string; apiVersion: string; namespace: string | undefined },
): Promise<Members[]> {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = namespace === undefined ? "" : `/namespaces/${namespace}`;
  const path = `${root}${scope}/${kind.split(".")[0]}`;
  return (await fleet.cluster.api.json<{ items: Members[] }>({ path, timeoutMs: 60_000 })).items;
}

function compareKind(kind: string, truth: readonly Members[], copy: readonly ObjectItem[]): string[] {
  const held = new Map(copy.map((item) => [item.uid, item]));
  const differences: string[] = [];
  if (held.size !== copy.length) differences.push(`${kind}: the hub names objects twice`);
  for (const object of truth) {
    const { uid, name, resourceVersion } = object.metadata;
    const found = held.get(uid)?.object as unknown as Members | undefined;
    held.delete(uid);
    if (found === undefined) {
      // Only the newest events of each object are kept.
      if (kind !== "events") differences.push(`${kind} ${name}: the hub lacks it`);
    } else if (found.metadata.resourceVersion !== resourceVersion) {
      differences.push(`${kind} ${name}: ${found.metadata.resourceVersion} on the hub, is ${resourceVersion}`);
    } else if (!isDeepStrictEqual(shapeOf(kind, found), shapeOf(kind, object))) {
      differences.push(`${kind} ${name}: another body`);
    }
  }
  for (const { name } of held.values()) differences.push(`${kind} ${name}: is gone, and the hub has it`);
  return differences;
}

/**
 * The part that must be equal on both sides: without what the projection leaves out, and with only the names of what it
 * hides.
 */
function shapeOf(kind: string, object: Members): unknown {
  const { managedFields: _fields, annotations, ...metadata } = object.metadata;
  const plain = Object.keys(annotations ?? {}).filter((name) => !name.endsWith("/last-applied-configuration"));
  const shape = { ...object, apiVersion: "", kind: "", metadata: { ...metadata, annotations: plain.sort() } };
  if (kind === "configmaps") {
    const { data, binaryData } = object;
    return { ...shape, data: Object.keys(data ?? {}).sort(), binaryData: Object.keys(binaryData ?? {}).sort() };
  }
  return slimmed.has(kind) ? { metadata: shape.metadata } : shape;
}

const slimmed = new Set(["nodes", "customresourcedefinitions.apiextensions.k8s.io", "endpointslices.discovery.k8s.io"]);
