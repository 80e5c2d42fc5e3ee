import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { leaseCluster } from "../shared/index.ts";
import { applicationOf } from "./application.ts";
import { openArgoRepository } from "./open-argo-repository.ts";
import { startApplicationController } from "./start-application-controller.ts";
import { startArgoHub } from "./start-argo-hub.ts";

test("Argo CD syncs what git has, shows it to its CLI, and makes applications of a set", async () => {
  await using cluster = await leaseCluster({ name: "argo" });
  await using repository = await openArgoRepository();
  await repository.commit({ files: { "web/web.yaml": deployment } });
  await using hub = await startArgoHub(cluster, { applicationSets: true });
  await using controller = await startApplicationController(hub.argo, hub);
  const { api } = cluster;
  const place = "/apis/argoproj.io/v1alpha1/namespaces/argocd";

  const body = applicationOf({ name: "web", repository, path: "web", isAutomated: true });
  await api.json({ method: "POST", path: `${place}/applications`, body });
  await api.json({ method: "POST", path: `${place}/applicationsets`, body: setOf(["one", "two"], repository.url) });

  const listed = async () =>
    Object.fromEntries(
      (await hub.cli.json<Listed[]>(["app", "list"])).map(({ metadata, status }) => [
        metadata.name,
        `${status.sync?.status} ${status.health?.status}`,
      ]),
    );
  await expect.poll(listed, { timeout: 90_000, interval: 250 }).toEqual({
    web: "Synced Healthy",
    one: "Synced Healthy",
    two: "Synced Healthy",
  });

  const tree = await hub.redis.read("app|resources-tree|web|1.8.3.gz");
  const { nodes } = JSON.parse(gunzipSync(tree ?? "").toString()) as { nodes: { kind: string }[] };
  expect(nodes.map(({ kind }) => kind)).toContain("Pod");

  const { status, text } = await hub.server.request({ path: "/api/v1/applications/web/resource-tree" });
  expect([status, JSON.parse(text).nodes.length]).toEqual([200, nodes.length]);

  // Its network is its own.
  await expect(fetch(`http://127.0.0.1:${controller.ports[0]}/metrics`)).rejects.toThrow("fetch failed");
});

interface Listed {
  readonly metadata: { readonly name: string };
  readonly status: { readonly sync?: { readonly status: string }; readonly health?: { readonly status: string } };
}

function setOf(names: readonly string[], url: string): object {
  const { spec } = applicationOf({ name: "{{name}}", repository: { url }, path: "web", isAutomated: true });
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ApplicationSet",
    metadata: { name: "both" },
    spec: {
      generators: [{ list: { elements: names.map((name) => ({ name })) } }],
      template: { metadata: { name: "{{name}}" }, spec },
    },
  };
}

const deployment = JSON.stringify({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "web" }] },
    },
  },
});
