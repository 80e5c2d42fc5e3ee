import { Fields } from "@fairlead/kernel";
import type { Addon } from "../catalogue/index.ts";
import { type CheckInput, fail, pass, type Verdict, warn } from "../checks/index.ts";
import { type ClusterObject, refTo, runningOf, type Snapshot } from "../snapshot/index.ts";
import { optionalEverywhere } from "./need.ts";

const definitions = "customresourcedefinitions.apiextensions.k8s.io";
const classes = "gatewayclasses.gateway.networking.k8s.io";

/** The resources of the Gateway API, and any controller that serves them. */
export const gatewayApi: Addon = {
  id: "gateway-api",
  title: "Gateway API",
  need: optionalEverywhere,
  signals: {
    resources: [classes, "gateways.gateway.networking.k8s.io", "httproutes.gateway.networking.k8s.io"],
    components: [
      {
        name: "controller",
        isEssential: true,
        // Others serve it beside their main job: their classes show that.
        images: [
          "envoyproxy/gateway",
          "nginx/nginx-gateway-fabric",
          "nginxinc/nginx-gateway-fabric",
          "kgateway-dev/kgateway",
          "aws-application-networking-k8s/aws-gateway-controller",
        ],
      },
    ],
    providerManaged: findServedClass,
  },
  checks: [
    {
      id: "gateway-api.class-accepted",
      title: "Each GatewayClass has a controller",
      why: "A controller that knows a class sets its condition Accepted. A class that nobody accepts is a name without anything behind it.",
      severity: "recommended",
      features: ["ingress"],
      judge: judgeClasses,
    },
    {
      id: "gateway-api.version",
      title: "The resources are of version 1 or later",
      why: "HTTPRoute has been stable since v1.0 of the Gateway API. Older definitions serve it as v1beta1 only, which our objects don't use.",
      severity: "required",
      features: ["ingress"],
      judge: judgeVersion,
    },
  ],
  unlocks: ["ingress"],
  alternatives: ["istio-ingress", "ingress"],
};

/** Meshes, ingress controllers and clouds accept classes of their own. */
function findServedClass(snapshot: Snapshot): string | undefined {
  const served = snapshot.list(classes).filter((each) => new Fields(each).condition("Accepted")?.status === "True");
  return served.map((each) => servers[controllerOf(each)] ?? controllerOf(each)).toSorted()[0];
}

const controllerOf = (gatewayClass: ClusterObject): string =>
  new Fields(gatewayClass).at("spec", "controllerName").text() ?? "";

const servers: Readonly<Record<string, string>> = {
  "io.cilium/gateway-controller": "Cilium",
  "istio.io/gateway-controller": "Istio",
  "istio.io/unmanaged-gateway": "Istio",
  "networking.gke.io/gateway": "GKE",
  "openshift.io/gateway-controller/v1": "OpenShift",
  "traefik.io/gateway-controller": "Traefik",
};

function judgeClasses({ snapshot }: CheckInput): Verdict {
  const notAccepted = snapshot
    .list(classes)
    .filter((each) => new Fields(each).condition("Accepted")?.status !== "True");
  const open = runningOf(classes, notAccepted);
  if (open.length === 0) return pass("Each class is accepted by a controller.");
  return warn(
    `No controller accepts ${open.map(({ metadata }) => metadata.name).join(", ")}.`,
    open.map((each) => ({
      object: refTo(classes, each),
      path: "status.conditions[Accepted]",
      observed: new Fields(each).condition("Accepted")?.message ?? "absent",
      expected: "True",
    })),
  );
}

function judgeVersion({ snapshot }: CheckInput): Verdict {
  const name = "httproutes.gateway.networking.k8s.io";
  const definition = snapshot.list(definitions).find(({ metadata }) => metadata.name === name);
  if (!definition) return pass("The API server serves HTTPRoute.");
  const served = new Fields(definition)
    .at("spec", "versions")
    .list()
    .filter((version) => version.at("served").isTrue)
    .flatMap((version) => version.at("name").text() ?? []);
  if (served.includes("v1")) return pass("HTTPRoute is served as v1.");
  return fail("HTTPRoute isn't served as v1.", [
    { object: refTo(definitions, definition), path: "spec.versions", observed: served.join(", "), expected: "v1" },
  ]);
}
