import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openAccess } from "./open-access.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-access-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function writeKubeconfig(name: string, { current }: { readonly current: boolean }): Promise<string> {
  const path = join(folder, name);
  const config = {
    ...(current && { "current-context": name }),
    clusters: [{ name, cluster: { server: `https://${name}.example.com` } }],
    contexts: [{ name, context: { cluster: name } }],
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}

const none = { kubeconfig: undefined, context: undefined, variables: {} };

test("of several files the one with the current or the named context is taken, as kubectl does", async () => {
  const east = await writeKubeconfig("east", { current: false });
  const west = await writeKubeconfig("west", { current: true });
  const kubeconfigFiles = [join(folder, "gone"), east, west];
  expect((await openAccess({ ...none, kubeconfigFiles })).server.host).toBe("west.example.com");
  expect((await openAccess({ ...none, kubeconfigFiles, context: "east" })).server.host).toBe("east.example.com");
  await expect(openAccess({ ...none, kubeconfigFiles, context: "south" })).rejects.toMatchObject({
    code: "KUBE_CONFIG_INVALID",
  });
  expect((await openAccess({ ...none, kubeconfigFiles: [east], kubeconfig: west })).server.host).toBe(
    "west.example.com",
  );
});

test("without a file it is an error, and in a pod the pod's own cluster", async () => {
  const kubeconfigFiles = [join(folder, "gone")];
  await expect(openAccess({ ...none, kubeconfigFiles })).rejects.toMatchObject({ code: "KUBE_CONFIG_UNREADABLE" });
  const variables = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
  // Whether there is a service account depends on where the test runs.
  const answer = await openAccess({ ...none, kubeconfigFiles, variables }).then(
    ({ server }) => server.host,
    ({ code }) => code,
  );
  expect(["10.0.0.1", "KUBE_NOT_IN_CLUSTER"]).toContain(answer);
});
