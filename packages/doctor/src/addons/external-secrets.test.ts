import { expect, test } from "vitest";
import type { ClusterObject } from "../snapshot/index.ts";
import { examineAddon } from "../testing/examine-addon.fixture.ts";
import { testGolden } from "../testing/golden-cases.fixture.ts";
import { readStandIn } from "../testing/stand-ins.fixture.ts";
import { externalSecrets } from "./external-secrets.ts";

const of = "external-secrets/chart";

testGolden(externalSecrets, {
  // Three Deployments of one image are one instance.
  shapes: [{ of, version: "1.3.1", provenance: "helm" }],
  cases: [
    {
      title: "a second instance came along with another chart",
      of,
      edit: withSecond(),
      verdicts: { "external-secrets.one-instance": "fail" },
      state: "misconfigured",
    },
    { title: "a second instance for one namespace is no rival", of, edit: withSecond("--namespace=apps") },
    {
      title: "a second instance with a class of its own is no rival",
      of,
      edit: withSecond("--controller-class", "apps"),
    },
    {
      title: "a store isn't ready",
      of,
      change: ["ClusterSecretStore", "vault", "status/conditions/0/status", "False"],
      verdicts: { "external-secrets.stores-ready": "fail" },
      state: "healthy",
    },
    {
      title: "there is no store",
      of,
      edit: (objects) => objects.filter(({ kind }) => kind !== "ClusterSecretStore"),
      verdicts: { "external-secrets.stores-ready": "warn" },
    },
    {
      title: "a store may be used from every namespace",
      of,
      change: ["ClusterSecretStore", "vault", "spec/conditions", undefined],
      verdicts: { "external-secrets.store-namespaces": "warn" },
    },
    {
      title: "stores that may not be listed leave them unknown",
      of,
      hidden: new Map([["clustersecretstores.external-secrets.io", "forbidden"]]),
      verdicts: { "external-secrets.stores-ready": "unknown", "external-secrets.store-namespaces": "unknown" },
    },
  ],
});

test("of two instances the one that another chart brought is switched off", () => {
  const report = examineAddon(externalSecrets, withSecond()(readStandIn(of)));
  const found = report.checks.find(({ check }) => check.id === "external-secrets.one-instance");
  expect(found?.verdict).toMatchObject({
    fix: { is: "helm-values", release: { namespace: "tfy-agent", name: "tfy-agent" } },
  });
});

function withSecond(...args: readonly string[]) {
  const name = "tfy-agent-external-secrets-operator";
  const metadata = {
    namespace: "tfy-agent",
    name,
    labels: { "app.kubernetes.io/name": "external-secrets-operator" },
    annotations: { "meta.helm.sh/release-name": "tfy-agent" },
  };
  const containers = [{ name, image: "mirror.example.com/external-secrets/external-secrets:v2.4.1", args }];
  const second: ClusterObject = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: { template: { metadata: { labels: metadata.labels }, spec: { containers } } },
    status: { readyReplicas: 1 },
  };
  return (objects: readonly ClusterObject[]): readonly ClusterObject[] => [...objects, second];
}
