import { Fields } from "@fairlead/kernel";
import type { Addon } from "../../catalogue/index.ts";
import type { Snapshot } from "../../snapshot/index.ts";
import { optionalEverywhere } from "../need.ts";
import { nodeProxies } from "./node-proxies.ts";
import { oneRevision } from "./one-revision.ts";
import { validationWebhook } from "./validation-webhook.ts";

/** Its control plane, with or without sidecars. Gateways are an addon of their own. */
export const istio: Addon = {
  id: "istio",
  title: "Istio",
  need: optionalEverywhere,
  signals: {
    resources: ["gateways.networking.istio.io", "virtualservices.networking.istio.io"],
    components: [
      { name: "discovery", isEssential: true, images: ["/pilot"] },
      // Ambient mode alone has one.
      { name: "ztunnel", isEssential: false, images: ["/ztunnel"] },
      { name: "cni", isEssential: false, images: ["/install-cni"] },
    ],
    providerManaged: findManagedMesh,
  },
  checks: [nodeProxies, oneRevision, validationWebhook],
  unlocks: ["autoscaling-by-requests", "notebook-sign-in", "endpoint-authentication", "intercepts"],
  install: {
    chart: "istiod",
    repository: "https://istio-release.storage.googleapis.com/charts",
    version: "1.30.0",
    versionRange: ">=1.24.0 <2.0.0",
    isVersionOfProgram: true,
    namespace: "istio-system",
    release: "istiod",
    order: -10,
    // Its CRDs come with the chart of istio-base, which has no pods that could be healthy: order alone says "before".
    after: [],
    values: () => ({ autoscaleMin: 2 }),
  },
};

/** Google runs the control plane of Cloud Service Mesh, and leaves a ControlPlaneRevision in the cluster. */
function findManagedMesh(snapshot: Snapshot): string | undefined {
  const revisions = snapshot.list("controlplanerevisions.mesh.cloud.google.com");
  const isManaged = revisions.some((revision) => new Fields(revision).at("spec", "type").text() === "managed_service");
  return isManaged ? "Google's Cloud Service Mesh" : undefined;
}
