import { resolveTexts } from "../../resolve-texts.ts";
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
    apiVersion,
    kind,
    ...filled,
    metadata: { ...filled.metadata, name, ...(namespace !== undefined && { namespace }), annotations },
  });
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
