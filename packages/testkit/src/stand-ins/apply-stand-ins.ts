// Addons as `packages/doctor/stand-ins` describes them, put into a real API server: CRDs, then objects, then what these say
// of their status, as their controllers would.
import { waitUntil } from "@fairlead/kernel/testing";
import type { AppliedObject, ClusterAccess } from "../cluster/index.ts";
import { processNotReady } from "../errors.ts";
import { readStandIn } from "./read-stand-in.ts";

type Api = ClusterAccess["api"];

/** Each path is a folder and a file, such as `argocd/upstream`. */
export async function applyStandIns(api: Api, paths: readonly string[]): Promise<void> {
  const objects = paths.flatMap((path) => readStandIn<AppliedObject>(path));
  const isDefinition = ({ kind }: AppliedObject) => kind === "CustomResourceDefinition";
  for (const name of namespacesOf(objects)) await makeNamespace(api, name);
  await applyAll(api, objects.filter(isDefinition));
  await waitForResources(api, objects);
  await applyAll(
    api,
    objects.filter((object) => !isDefinition(object)),
  );
}

function namespacesOf(objects: readonly AppliedObject[]): Set<string> {
  return new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
}

/** With the account that pods need, which no controller may be there to make. */
async function makeNamespace(api: Api, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  await applyOne(api, path, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: name } };
  await applyOne(api, `${path}/serviceaccounts/default`, account);
}

/** A CRD is served some time after it was taken. */
async function waitForResources(api: Api, objects: readonly AppliedObject[]): Promise<void> {
  const timeoutMs = 30_000;
  const isServed = async ({ apiVersion, kind }: AppliedObject) =>
    (await readResources(api, apiVersion)).some((resource) => resource.kind === kind);
  const allServed = async () => (await Promise.all(objects.map(isServed))).every(Boolean);
  if (!(await waitUntil(allServed, { timeoutMs }))) throw processNotReady("the stand-ins' CRDs", timeoutMs, "");
}

async function applyAll(api: Api, objects: readonly AppliedObject[]): Promise<void> {
  for (const object of objects) {
    const path = await pathOf(api, object);
    await applyOne(api, path, object);
    if ("status" in object) await applyOne(api, `${path}/status`, object);
  }
}

async function applyOne(api: Api, path: string, body: AppliedObject): Promise<void> {
  const contentType = "application/apply-patch+yaml";
  await api.json({ method: "PATCH", path: `${path}?fieldManager=testkit&force=true`, body, contentType });
}

async function pathOf(api: Api, { apiVersion, kind, metadata }: AppliedObject): Promise<string> {
  const resources = await readResources(api, apiVersion);
  const resource = resources.find((each) => each.kind === kind && !each.name.includes("/"));
  if (!resource) throw processNotReady(`${kind} of ${apiVersion}`, 0, "");
  const place = resource.namespaced ? `/namespaces/${metadata.namespace ?? "default"}` : "";
  return `${groupPath(apiVersion)}${place}/${resource.name}/${metadata.name}`;
}

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

async function readResources(api: Api, apiVersion: string): Promise<readonly Resource[]> {
  const { status, text } = await api.send({ path: groupPath(apiVersion) });
  return status === 200 ? (JSON.parse(text) as { resources: readonly Resource[] }).resources : [];
}

function groupPath(apiVersion: string): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}
