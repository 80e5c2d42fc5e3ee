// An unmodified kubectl reads and writes the same through the hub as straight at the API server.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet({ credentials: "cli" });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

test("nodes, versions and API resources read as they do straight from the API server", async () => {
  for (const args of [
    ["get", "nodes", "-o", "name"],
    ["api-resources", "-o", "name"],
    ["version", "-o", "json"],
  ]) {
    const direct = await fleet.cluster.kubectl(args);
    expect(withoutOthers((await fleet.kubectl(args)).stdout)).toBe(withoutOthers(direct.stdout));
  }
});

test("an object is applied, read back and deleted", async () => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "plain" }, data: { text: "fairlead" } };
  await fleet.kubectl(["apply", "-f", "-"], { input: JSON.stringify(object) });
  const { stdout } = await fleet.kubectl(["get", "configmap", "plain", "-o", "jsonpath={.data.text}"]);
  expect(stdout).toBe("fairlead");
  await fleet.kubectl(["delete", "configmap", "plain"]);
  const gone = await fleet.kubectl(["get", "configmap", "plain"], { allowFailure: true });
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('configmaps "plain" not found') });
});

test("the API server's own refusals arrive unchanged", async () => {
  const args = ["create", "-f", "-"];
  const input = JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "Not A Name" }, spec: {} });
  const through = await fleet.kubectl(args, { input, allowFailure: true });
  const direct = await fleet.cluster.kubectl(["--namespace", fleet.namespace.name, ...args], {
    input,
    allowFailure: true,
  });
  expect(through).toEqual(direct);
  expect(through.stderr).toContain("Invalid value");
});

/** Other tests add kinds like these to the API server and remove them meanwhile. */
function withoutOthers(text: string): string {
  return text.replaceAll(/^widgets\.fleet-.*\n/gm, "");
}
