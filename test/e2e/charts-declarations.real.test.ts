// The hub's chart with declarations: what its pod is given is what the hub goes by.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Manifest, programArgs, readPodProgram, runCommand } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type ChartRenderer, ofKind, openRenderer } from "../fleet/render-charts.ts";

const east = "apiVersion: fairlead.dev/v1\nkind: Cluster\nname: east\n";
const keepsNothing = {
  persistence: { enabled: false },
  authority: { given: { existingSecret: "hub-ca", nextSecret: "hub-next-ca" } },
  declarations: { files: { "clusters.yaml": east } },
};

let charts: ChartRenderer;
beforeAll(async () => {
  charts = await openRenderer();
});
afterAll(() => charts?.[Symbol.asyncDispose]());

test("a hub that keeps nothing has its authority from a Secret, its files from a ConfigMap, and no volume", async () => {
  const objects = await charts.render("fairlead-hub", keepsNothing);
  const [pod = {} as Manifest] = ofKind(objects, "StatefulSet");
  const [settings, declarations] = ofKind(objects, "ConfigMap");
  expect(declarations?.["data"]).toEqual({ "clusters.yaml": east });
  expect(pod["spec"].volumeClaimTemplates).toBeUndefined();
  const { volumes, containers } = pod["spec"].template.spec;
  expect(volumes).toContainEqual({ name: "declarations", configMap: { name: declarations?.["metadata"]["name"] } });
  expect(volumes).toContainEqual({ name: "ca", secret: expect.objectContaining({ secretName: "hub-ca" }) });
  const mounts = containers[0].volumeMounts as readonly { name: string; subPath?: string }[];
  expect(mounts.find(({ name }) => name === "declarations")?.subPath).toBeUndefined();
  expect(await printConfig(pod, settings)).toMatchObject({
    inMemory: true,
    declarations: "/etc/fairlead/declarations",
    caCertFile: "/etc/fairlead/ca/tls.crt",
    caKeyFile: "/etc/fairlead/ca/tls.key",
    nextCaCertFile: "/etc/fairlead/next-ca/tls.crt",
    nextCaKeyFile: "/etc/fairlead/next-ca/tls.key",
  });
});

test("a change of the files doesn't restart the hub, and a ConfigMap of one's own is mounted as it is", async () => {
  const annotations = async (files: object): Promise<unknown> => {
    const objects = await charts.render("fairlead-hub", { ...keepsNothing, declarations: { files } });
    return ofKind(objects, "StatefulSet")[0]?.["spec"].template.metadata.annotations;
  };
  expect(await annotations({ "a.yaml": east })).toEqual(await annotations({ "a.yaml": `${east}# more\n` }));
  const own = await charts.render("fairlead-hub", { declarations: { configMap: "mine" } });
  expect(ofKind(own, "ConfigMap").length).toBe(1);
  const [pod] = ofKind(own, "StatefulSet");
  expect(pod?.["spec"].template.spec.volumes).toContainEqual({ name: "declarations", configMap: { name: "mine" } });
});

async function printConfig(pod: Manifest | undefined, settings: Manifest | undefined): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-chart-"));
  try {
    const path = join(folder, "hub.yaml");
    await writeFile(path, settings?.["data"]["hub.yaml"]);
    const { args } = readPodProgram(pod as Manifest, { "/etc/fairlead/config/hub.yaml": path });
    const { stdout } = await runCommand(process.execPath, [...programArgs("hub"), ...args, "--print-config"], {
      env: {},
    });
    return parse(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
