import type { Task } from "../../types.ts";
import type { ManifestsSpec, WantedObject } from "../types.ts";
import { markOf, setAnnotation } from "./set-mark.ts";

/** Resolves references to secrets, and adds the namespace and the set's mark. */
export async function fillIn(options: {
  readonly task: Pick<Task<ManifestsSpec>, "secrets" | "spec">;
  readonly object: WantedObject;
  readonly namespace: string | undefined;
}): Promise<WantedObject> {
  const { task, namespace } = options;
  const { apiVersion, kind, metadata, ...rest } = options.object;
  const { name, namespace: _given, ...others } = metadata;
  const resolve = (value: unknown): Promise<unknown> => resolveTexts(value, (text) => task.secrets.resolve(text));
  const filled = (await resolve({ ...rest, metadata: others })) as { metadata: Record<string, unknown> };
  const annotations = { ...(filled.metadata["annotations"] as object | undefined), [setAnnotation]: markOf(task.spec) };
  return withEncodedData({
    ...{ apiVersion, kind, ...filled },
    metadata: { ...filled.metadata, name, ...(namespace !== undefined && { namespace }), annotations },
  });
}

/** Keys aren't looked at. A value without references stays the same value. */
async function resolveTexts(value: unknown, resolve: (text: string) => Promise<string>): Promise<unknown> {
  const texts = new Set<string>();
  gatherTexts(value, texts);
  if (texts.size === 0) return value;
  const pairs = [...texts].map(async (text) => [text, await resolve(text)] as const);
  return replaceTexts(value, new Map(await Promise.all(pairs)));
}

/** Those that may hold a reference. */
function gatherTexts(value: unknown, texts: Set<string>): void {
  if (typeof value === "string" && value.includes("${")) texts.add(value);
  if (typeof value === "object" && value !== null) for (const one of Object.values(value)) gatherTexts(one, texts);
}

function replaceTexts(value: unknown, resolved: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return resolved.get(value) ?? value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, resolved));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceTexts(member, resolved)]));
}

/**
 * `stringData` of a Secret as `data`. The API server copies the one into the other and forgets who owns it, so that a key
 * that is left out later would stay.
 */
function withEncodedData(object: WantedObject): WantedObject {
  const { stringData, ...rest } = object;
  if (object.apiVersion !== "v1" || object.kind !== "Secret" || typeof stringData !== "object" || !stringData)
    return object;
  const encoded = Object.entries(stringData).map(([key, text]) => [
    key,
    typeof text === "string" ? Buffer.from(text, "utf8").toString("base64") : text,
  ]);
  return { ...rest, data: { ...(rest["data"] as object | undefined), ...Object.fromEntries(encoded) } } as WantedObject;
}
