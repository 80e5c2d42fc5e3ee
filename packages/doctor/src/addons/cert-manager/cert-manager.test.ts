import { testGolden } from "../../testing/golden-cases.fixture.ts";
import { certManager } from "./cert-manager.ts";

const chart = "cert-manager/chart";
const upstream = "cert-manager/upstream";

testGolden(certManager, {
  shapes: [
    { of: upstream, version: "1.19.2", provenance: "manifests" },
    { of: chart, version: "1.19.2", provenance: "helm" },
  ],
  cases: [
    {
      title: "no pod of the webhook is ready",
      of: chart,
      change: ["Deployment", "cert-manager-webhook", "status/readyReplicas", 0],
      verdicts: { "cert-manager.webhook": "fail" },
      state: "degraded",
    },
    {
      title: "the cainjector has not written the webhook's authority",
      of: upstream,
      change: ["ValidatingWebhookConfiguration", "cert-manager-webhook", "webhooks/0/clientConfig/caBundle", undefined],
      verdicts: { "cert-manager.webhook": "fail" },
      state: "misconfigured",
    },
    {
      title: "the only issuer isn't ready",
      of: chart,
      change: ["ClusterIssuer", "letsencrypt", "status/conditions/0/status", "False"],
      verdicts: { "cert-manager.issuer": "fail" },
    },
    {
      title: "there is no issuer at all",
      of: chart,
      edit: (objects) => objects.filter(({ kind }) => kind !== "ClusterIssuer"),
      verdicts: { "cert-manager.issuer": "fail" },
    },
    {
      title: "issuers that may not be listed leave it unknown",
      of: chart,
      hidden: new Map([["clusterissuers.cert-manager.io", "forbidden"]]),
      verdicts: { "cert-manager.issuer": "unknown" },
      state: "unknown",
    },
    {
      title: "a certificate ran out",
      of: chart,
      change: ["Certificate", "wildcard", "status/notAfter", "2025-12-31T00:00:00Z"],
      verdicts: { "cert-manager.certificates": "fail" },
      state: "healthy",
    },
    {
      title: "a certificate was never issued",
      of: chart,
      change: ["Certificate", "wildcard", "status", undefined],
      verdicts: { "cert-manager.certificates": "fail" },
    },
    {
      title: "a renewal is late",
      of: upstream,
      change: ["Certificate", "wildcard", "status/renewalTime", "2025-12-31T00:00:00Z"],
      verdicts: { "cert-manager.certificates": "warn" },
    },
  ],
});
