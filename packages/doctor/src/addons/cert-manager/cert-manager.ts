import type { Addon } from "../../catalogue/index.ts";
import { optionalEverywhere } from "../need.ts";
import { judgeCertificates } from "./certificates.ts";
import { judgeIssuers } from "./issuers.ts";
import { judgeWebhook } from "./webhook.ts";

export const certManager: Addon = {
  id: "cert-manager",
  title: "cert-manager",
  need: optionalEverywhere,
  signals: {
    resources: ["certificates.cert-manager.io", "issuers.cert-manager.io", "clusterissuers.cert-manager.io"],
    components: [
      { name: "controller", isEssential: true, images: ["cert-manager-controller"] },
      { name: "webhook", isEssential: true, images: ["cert-manager-webhook"] },
      { name: "cainjector", isEssential: true, images: ["cert-manager-cainjector"] },
    ],
  },
  checks: [
    {
      id: "cert-manager.webhook",
      title: "The API server reaches the webhook",
      why: "Without a ready pod, or without the authority that the cainjector writes into the configuration, the API server refuses each Certificate and each Issuer.",
      severity: "required",
      features: ["tls"],
      judge: judgeWebhook,
    },
    {
      id: "cert-manager.issuer",
      title: "An issuer is ready",
      why: "Certificates are issued by an Issuer or ClusterIssuer. Until one is ready, none is issued.",
      severity: "required",
      features: ["tls"],
      judge: judgeIssuers,
    },
    {
      id: "cert-manager.certificates",
      title: "Certificates are ready and valid",
      why: "A certificate that isn't renewed in time ends the service that uses it.",
      severity: "recommended",
      features: ["tls"],
      judge: judgeCertificates,
    },
  ],
  unlocks: ["tls"],
  install: {
    chart: "cert-manager",
    repository: "https://charts.jetstack.io",
    version: "v1.19.2",
    versionRange: ">=1.14.0 <2.0.0",
    isVersionOfProgram: true,
    namespace: "cert-manager",
    release: "cert-manager",
    order: 0,
    after: [],
    values: () => ({ crds: { enabled: true } }),
  },
};
