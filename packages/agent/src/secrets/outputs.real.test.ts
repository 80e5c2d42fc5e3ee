// Outputs as Secrets of a real API server.
import { createKubeClient, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { createNamespace, sharedCluster, type TestNamespace } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { removeOutputs, type WriteOutputsOptions, writeOutputs } from "./outputs.ts";

let kube: KubeClient;
let team: TestNamespace;

beforeAll(async () => {
  const cluster = await sharedCluster();
  kube = createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) });
  team = await createNamespace(cluster, "outputs");
});
afterAll(async () => {
  await team?.[Symbol.asyncDispose]();
  await kube?.[Symbol.asyncDispose]();
});

test("scenario 24: values are there with their types, those that went are gone, and a second time changes nothing", async () => {
  const values = { url: "https://x", port: 80, on: true, list: ["a", 1], map: { a: null }, none: null, empty: "" };
  expect(await writeOutputs(about("web", { values }))).toEqual({ names: Object.keys(values).sort(), did: "created" });
  expect(await contentOf("web")).toEqual({
    url: "https://x",
    port: "80",
    port__type: "number",
    on: "true",
    on__type: "bool",
    list: '["a",1]',
    list__type: "list",
    map: '{"a":null}',
    map__type: "object",
    none: "null",
    none__type: "null",
    empty: "",
  });
  expect(await writeOutputs(about("web", { values }))).toMatchObject({ did: "unchanged" });
  const before = await get("web");
  // Somebody's own label stays, and a reader of the version before can tell that there is another.
  await kube.request({
    method: "PATCH",
    path: pathOf("web"),
    body: { metadata: { labels: { mine: "x" } } },
    headers: { "content-type": "application/merge-patch+json" },
  });
  expect(await writeOutputs(about("web", { values: { url: "https://y" } }))).toMatchObject({ did: "changed" });
  expect(await contentOf("web")).toEqual({ url: "https://y" });
  const after = await get("web");
  expect(after.metadata.labels).toMatchObject({ mine: "x", "app.kubernetes.io/managed-by": "fairlead-agent" });
  expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
});

test("scenario 24: a Secret of somebody else is neither written over nor removed", async () => {
  const body = { metadata: { name: "theirs" }, stringData: { url: "theirs" } };
  await kube.request({ method: "POST", path: pathOf(""), body });
  await writeOutputs(about("other", { owner: "another", values: { url: "other" } }));
  for (const name of ["theirs", "other"]) {
    const refused = { code: "OUTPUTS_SECRET_FOREIGN" };
    await expect(writeOutputs(about(name, { values: { url: "ours" } }))).rejects.toMatchObject(refused);
    await expect(removeOutputs(about(name))).rejects.toMatchObject(refused);
    expect(await contentOf(name)).toEqual({ url: name });
  }
});

test("what is ours is removed, once", async () => {
  await writeOutputs(about("gone", { values: { a: "b" } }));
  await removeOutputs(about("gone"));
  await removeOutputs(about("gone"));
  await expect(get("gone")).rejects.toMatchObject({ code: "KUBE_NOT_FOUND" });
});

test.each([
  [{ "a/b": "x" }, "OUTPUTS_NAME_INVALID"],
  [{ "..": "x" }, "OUTPUTS_NAME_INVALID"],
  [{ a__type: "x" }, "OUTPUTS_NAME_INVALID"],
  [{ big: "x".repeat(1024 * 1024 + 1) }, "OUTPUTS_TOO_LARGE"],
])("scenario 24: what a Secret can't hold is refused, and the Secret stays as it was", async (values, code) => {
  await writeOutputs(about("kept", { values: { a: "b" } }));
  await expect(writeOutputs(about("kept", { values }))).rejects.toMatchObject({ code });
  expect(await contentOf("kept")).toEqual({ a: "b" });
});

test("scenario 24: 1 MiB is still taken", async () => {
  await writeOutputs(about("large", { values: { big: "x".repeat(1024 * 1024) } }));
  expect((await contentOf("large"))["big"]).toHaveLength(1024 * 1024);
});

function about<Also extends object>(name: string, also?: Also): Omit<WriteOutputsOptions, "values"> & Also {
  return { kube, namespace: team.name, name, owner: "tofu/team/web", ...also } as Omit<WriteOutputsOptions, "values"> &
    Also;
}

interface StoredSecret {
  metadata: { labels: Record<string, string>; resourceVersion: string };
  data?: Record<string, string>;
}

function get(name: string): Promise<StoredSecret> {
  return kube.request<StoredSecret>({ path: pathOf(name) });
}

async function contentOf(name: string): Promise<Record<string, string>> {
  const { data = {} } = await get(name);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]));
}

function pathOf(name: string): string {
  return `/api/v1/namespaces/${team.name}/secrets${name && `/${name}`}`;
}
