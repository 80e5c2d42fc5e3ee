import type { ApiClient } from "./api-request.ts";

export interface AppliedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** Makes or changes objects, in their order, as `kubectl apply --server-side --force-conflicts` does. */
export async function applyObjects(api: ApiClient, objects: readonly AppliedObject[]): Promise<void> {
  const contentType = "application/apply-patch+yaml";
  for (const body of objects) {
    await api.json({ method: "PATCH", path: `${pathOf(body)}?fieldManager=testkit&force=true`, body, contentType });
  }
}

/** Knows only kinds whose plural has an "s" more. */
function pathOf({ apiVersion, kind, metadata: { name, namespace } }: AppliedObject): string {
  const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = namespace === undefined ? group : `${group}/namespaces/${namespace}`;
  return `${place}/${kind.toLowerCase()}s/${name}`;
}
