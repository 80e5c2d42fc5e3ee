// The hub's chart with several replicas: pods that share a database and reach each other.
import { writeFile } from "node:fs/promises";
import { type Manifest, programArgs, readPodProgram, runCommand } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type ChartRenderer, ofKind, openRenderer } from "../fleet/render-charts.ts";

const several = {
  replicas: 3,
  database: { existingSecret: "hub-database" },
  authority: { keyEncryptionKey: { existingSecret: "hub-authority" } },
  networkPolicy: { databasePort: 5_432 },
};
const selector = { "app.kubernetes.io/name": "fairlead-hub", "app.kubernetes.io/instance": "fairlead-hub" };
const ofHubs = { podSelector: { matchLabels: selector } };

let charts: ChartRenderer;
let objects: readonly Manifest[];
let deployment: Manifest;
beforeAll(async () => {
  charts = await openRenderer();
  objects = await charts.render("fairlead-hub", several);
  deployment = only("Deployment");
});
afterAll(() => charts?.[Symbol.asyncDispose]());

test("they are a Deployment whose pods keep nothing on a claim", () => {
  expect(ofKind(objects, "StatefulSet", "PersistentVolumeClaim")).toEqual([]);
  expect(deployment["spec"].replicas).toBe(3);
  const { volumes, containers } = deployment["spec"].template.spec;
  expect(volumes).toContainEqual({ name: "data", emptyDir: { sizeLimit: "8Gi" } });
  expect(containers[0].volumeMounts).toContainEqual({ name: "data", mountPath: "/var/lib/fairlead-hub" });
});

test("the hub understands what its pod is started with, and says its own address to the others", async () => {
  const path = await charts.helm.writeValues({});
  await writeFile(path, only("ConfigMap")["data"]["hub.yaml"]);
  const { args } = readPodProgram(deployment, { "/etc/fairlead/config/hub.yaml": path });
  const [{ env }] = deployment["spec"].template.spec.containers;
  expect(env).toContainEqual({ name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } });
  for (const address of ["192.0.2.7", "2001:db8::7"]) {
    const filled = args.map((arg) => arg.replace("$(POD_IP)", address));
    const command = [...programArgs("hub"), ...filled, "--print-config"];
    const { stdout } = await runCommand(process.execPath, command, { env: {} });
    expect(parse(stdout)).toMatchObject({
      hubAddress: `[${address}]:8444`,
      databaseUrlFile: "/etc/fairlead/database/url",
      keyEncryptionKeyFile: "/etc/fairlead/authority/key-encryption-key",
      waitForStore: "2m30s",
    });
  }
});

test("no pod goes before the next one is ready, and one that goes serves until balancers know", () => {
  const { strategy, template } = deployment["spec"];
  expect(strategy).toEqual({ type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
  const [{ lifecycle, readinessProbe }] = template.spec.containers;
  // The image has no shell and no sleep.
  expect(lifecycle.preStop.exec.command).toEqual(["node", "--eval", "setTimeout(() => {}, 5000)"]);
  expect(readinessProbe.httpGet.path).toBe("/readyz");
  // preStop, drain, and what comes after.
  expect(template.spec.terminationGracePeriodSeconds).toBe(5 + 10 + 45);
});

test("they are spread over nodes, and a drain takes one at a time", async () => {
  const [spread] = deployment["spec"].template.spec.topologySpreadConstraints;
  expect(spread).toMatchObject({ topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: selector } });
  const { maxUnavailable, selector: chosen } = only("PodDisruptionBudget")["spec"];
  expect({ maxUnavailable, chosen }).toEqual({ maxUnavailable: 1, chosen: { matchLabels: selector } });
  const own = [{ maxSkew: 2, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }];
  const [chosenOnes] = ofKind(
    await charts.render("fairlead-hub", { ...several, topologySpreadConstraints: own }),
    "Deployment",
  );
  expect(chosenOnes?.["spec"].template.spec.topologySpreadConstraints).toEqual(own);
});

test("no Service sends a caller to the same hub again, and a headless one has each of them", () => {
  const services = ofKind(objects, "Service").map(({ metadata, spec }) => [metadata.name, spec] as const);
  expect(services.map(([, { sessionAffinity }]) => sessionAffinity)).toEqual([undefined, undefined, undefined]);
  expect(new Map(services).get("fairlead-hub-hubs")).toMatchObject({
    clusterIP: "None",
    publishNotReadyAddresses: true,
    selector,
  });
});

test("hubs may reach each other by the agents' port, whoever else may, and their database", async () => {
  const agentsFrom = [{ ipBlock: { cidr: "192.0.2.0/24" } }];
  const [policy] = ofKind(
    await charts.render("fairlead-hub", { ...several, networkPolicy: { databasePort: 5_432, agentsFrom } }),
    "NetworkPolicy",
  );
  const { ingress, egress } = policy?.["spec"] ?? {};
  const onAgentsPort = ingress.filter(({ ports }: Manifest) => ports[0].port === "agents");
  expect(onAgentsPort.map(({ from }: Manifest) => from)).toEqual([agentsFrom, [ofHubs]]);
  expect(egress.filter(({ ports }: Manifest) => ports[0].port === 8_444)).toEqual([
    { ports: [{ protocol: "TCP", port: 8_444 }], to: [ofHubs] },
  ]);
  expect(egress).toContainEqual({ ports: [{ protocol: "TCP", port: 5_432 }] });
});

test("one replica that shares its database keeps its volume, from which the authority comes", async () => {
  const shared = await charts.render("fairlead-hub", {
    ...several,
    replicas: 1,
    database: { existingSecret: "hub-database", shared: true },
  });
  expect(ofKind(shared, "Deployment", "PodDisruptionBudget")).toEqual([]);
  const [stateful] = ofKind(shared, "StatefulSet");
  expect(stateful?.["spec"].volumeClaimTemplates).toHaveLength(1);
  expect(stateful?.["spec"].template.spec.containers[0].args).toContain("--hub-address=[$(POD_IP)]:8444");
});

test("a hub alone has no address for others, and no way to them", async () => {
  const alone = await charts.render("fairlead-hub");
  const text = JSON.stringify(alone);
  expect(text).not.toContain("hub-address");
  expect(text).not.toContain("preStop");
  expect(ofKind(alone, "Service")).toHaveLength(2);
  expect(ofKind(alone, "NetworkPolicy")[0]?.["spec"].ingress).toHaveLength(2);
});

test("the bus listens at an address of its own where one is given", async () => {
  const bus = { listenUrl: { existingSecret: "hub-bus", key: "direct" } };
  const [map, workload] = ofKind(await charts.render("fairlead-hub", { ...several, bus }), "ConfigMap", "Deployment");
  expect(parse(map?.["data"]["hub.yaml"])).toMatchObject({ busListenUrlFile: "/etc/fairlead/bus/listen-url" });
  expect(workload?.["spec"].template.spec.volumes).toContainEqual({
    name: "bus",
    secret: expect.objectContaining({ secretName: "hub-bus", items: [{ key: "direct", path: "listen-url" }] }),
  });
});

function only(kind: string): Manifest {
  const [found, ...others] = ofKind(objects, kind);
  if (!found || others.length > 0) throw new Error(`not one ${kind} was rendered`);
  return found;
}
