// Live objects of a managed cluster's applications, as Argo CD's CLI shows and changes them: those of the cluster that the
// application runs in, or none.
import { beforeAll, expect, test, vi } from "vitest";
import { type ManagedHarness, patch, patience } from "./argo-managed-harness.fixture.ts";

let harness: ManagedHarness;

export function testLiveObjects(opened: () => ManagedHarness): void {
  beforeAll(() => {
    harness = opened();
  });

  test("for an application whose destination is the hub's own cluster, nothing of that cluster is shown, changed or deleted", async () => {
    await makeDecoy("decoy");
    await harness.create({ name: "decoy", isAutomated: true });
    await harness.untilStates({ "east/decoy": "Synced Healthy" });
    for (const command of [
      ["manifests", "--source", "live"],
      ["resources"],
      ["get-resource", ...web],
      ["delete-resource", ...web],
      ["patch-resource", ...web, "--patch", '{"data":{"value":"mine"}}', "--patch-type", mergePatch],
      ["actions list", ...web],
      ["diff"],
      ["diff", "--server-side-diff"],
    ]) {
      const { code, output } = await ask("decoy", command);
      expect(code, command.join(" ")).not.toBe(0);
      expect(output).toContain("RESOURCE_TREE_DESTINATION_OTHER: east/decoy runs in east");
      expect(output).not.toContain(secret);
    }
    expect((await ask("decoy", ["logs"])).output).not.toContain(secret);
    const events = new URLSearchParams({ appNamespace: "east", project: "default", ...object("decoy") });
    const { status, text } = await harness.argoHub.server.request({
      path: `/api/v1/applications/decoy/events?${events}`,
    });
    expect([status, text]).toEqual([500, expect.stringContaining("RESOURCE_TREE_DESTINATION_OTHER")]);
    expect(await readDecoy("decoy")).toMatchObject({ data: { value: secret } });
  });

  test("… and with its cluster as its destination, those of the cluster are", async () => {
    const there = await readDecoy("decoy");
    await patch(harness.center, "east", "decoy", { spec: { destination: { server: null, name: "east" } } });
    await expect.poll(async () => (await ask("decoy", ["resources"])).code, patience).toBe(0);
    for (const command of [
      ["manifests", "--source", "live"],
      ["get-resource", ...web],
    ]) {
      const { code, output } = await ask("decoy", command);
      expect([code, output]).toEqual([0, expect.stringMatching(/value"?: *"?one/)]);
    }
    const path = "/api/v1/namespaces/decoy/configmaps/web";
    const uid = async () =>
      (JSON.parse((await harness.east.api.send({ path })).text) as { metadata: { uid?: string } }).metadata.uid;
    const before = await uid();
    const { code, output } = await ask("decoy", ["delete-resource", ...web]);
    expect([code, output]).toEqual([0, expect.stringContaining("deleted")]);
    await expect.poll(uid, patience).not.toBe(before);
    expect(await readDecoy("decoy")).toEqual(there);
  });

  test("`app diff --revision` shows no difference of an unchanged application, and the difference of a changed one alone", async () => {
    await harness.create({ name: "same", cluster: "east" });
    await harness.untilStates({ "east/same": "OutOfSync Missing" });
    await harness.argoHub.cli.run(["app", "sync", "east/same", "--timeout", "90"]);
    const diff = async () => await ask("same", ["diff", "--revision", "main"]);
    expect(await diff()).toEqual({ code: 0, output: "" });
    const path = "/api/v1/namespaces/same/configmaps/web";
    const body = { data: { value: "changed by hand" } };
    await harness.east.api.json({ method: "PATCH", path, body, contentType: mergePatch });
    await vi.waitFor(async () => {
      const { code, output } = await diff();
      expect([code, output]).toEqual([1, expect.stringContaining("changed by hand")]);
      expect(output).not.toContain("tracking-id");
    }, patience);
  });
}

/** An object of the hub's own cluster, named as the application's is. */
async function makeDecoy(namespace: string): Promise<void> {
  const { api } = harness.center;
  await api.json({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
  const body = { metadata: { name: "web" }, data: { value: secret } };
  await api.json({ method: "POST", path: `/api/v1/namespaces/${namespace}/configmaps`, body });
}

async function readDecoy(namespace: string): Promise<object> {
  return await harness.center.api.json<object>({ path: `/api/v1/namespaces/${namespace}/configmaps/web` });
}

async function ask(
  name: string,
  [command = "", ...args]: readonly string[],
): Promise<{ code: number; output: string }> {
  const { code, stdout, stderr } = await harness.argoHub.cli.run(
    ["app", ...command.split(" "), `east/${name}`, ...args],
    {
      allowFailure: true,
    },
  );
  return { code: Number(code), output: `${stdout}${stderr}` };
}

function object(namespace: string): Record<string, string> {
  return { resourceNamespace: namespace, resourceName: "web", resourceUID: "" };
}

const web = ["--kind", "ConfigMap", "--resource-name", "web"];
const secret = "of the hub's own cluster";
const mergePatch = "application/merge-patch+json";
