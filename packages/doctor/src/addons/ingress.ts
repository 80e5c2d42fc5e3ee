import { Fields } from "@fairlead/kernel";
import type { Addon } from "../catalogue/index.ts";
import { type CheckInput, fail, pass, safe, type Verdict, warn } from "../checks/index.ts";
import { type ClusterObject, refTo, type Snapshot } from "../snapshot/index.ts";
import { isImage, readWorkloads } from "../workloads/index.ts";
import { optionalEverywhere } from "./need.ts";

const classes = "ingressclasses.networking.k8s.io";

/** The name of each controller in an IngressClass, and the images that it runs from. */
const controllers: readonly { readonly name: string; readonly images: readonly string[] }[] = [
  { name: "k8s.io/ingress-nginx", images: ["ingress-nginx/controller", "/nginx-ingress-controller"] },
  { name: "nginx.org/ingress-controller", images: ["nginx/nginx-ingress", "nginxinc/kubernetes-ingress"] },
  { name: "traefik.io/ingress-controller", images: ["/traefik", "/mirrored-library-traefik"] },
  { name: "haproxy.org/ingress-controller", images: ["haproxytech/kubernetes-ingress"] },
  { name: "ingress-controllers.konghq.com/kong", images: ["kong/kubernetes-ingress-controller"] },
  { name: "projectcontour.io/contour", images: ["projectcontour/contour"] },
  { name: "ingress.k8s.aws/alb", images: ["/aws-load-balancer-controller"] },
  { name: "istio.io/ingress-controller", images: ["/pilot"] },
  { name: "azure/application-gateway", images: ["/ingress-appgw", "azure-application-gateway/kubernetes-ingress"] },
  { name: "oci.oraclecloud.com/native-ingress-controller", images: ["/oci-native-ingress-controller"] },
  { name: "openshift.io/ingress-to-route", images: ["/openshift-router", "/haproxy-router", "/origin-haproxy-router"] },
];

/** Controllers that clouds run outside the cluster. */
const providers: Readonly<Record<string, string>> = {
  "eks.amazonaws.com/alb": "EKS Auto Mode",
  "networking.gke.io/ingress": "GKE",
  "webapprouting.kubernetes.azure.com/nginx": "AKS' application routing",
  "openshift.io/ingress-to-route": "OpenShift",
};

/** Plain Ingresses, whichever controller serves them. */
export const ingress: Addon = {
  id: "ingress",
  title: "Ingress controller",
  need: optionalEverywhere,
  signals: {
    // Every API server serves Ingresses: only a controller says that they do something.
    resources: [],
    components: [
      {
        name: "controller",
        isEssential: true,
        images: controllers.flatMap(({ images }) => images).filter((image) => image !== "/pilot"),
      },
    ],
    providerManaged: findProvider,
  },
  checks: [
    {
      id: "ingress.class-served",
      title: "Each IngressClass has its controller",
      why: "A class stays behind when its controller is removed. Ingresses of that class are taken and never served.",
      severity: "recommended",
      features: ["ingress"],
      judge: judgeControllers,
    },
    {
      id: "ingress.default-class",
      title: "At most one IngressClass is the default",
      why: "With two default classes the API server refuses every new Ingress that names none.",
      severity: "required",
      features: ["ingress"],
      judge: judgeDefault,
    },
  ],
  unlocks: ["ingress"],
  alternatives: ["istio-ingress", "gateway-api"],
};

const controllerOf = (ingressClass: ClusterObject): string =>
  new Fields(ingressClass).at("spec", "controller").text() ?? "";

function findProvider(snapshot: Snapshot): string | undefined {
  return snapshot
    .list(classes)
    .map((each) => providers[controllerOf(each)])
    .filter((provider) => provider !== undefined)
    .toSorted()[0];
}

function judgeControllers({ snapshot }: CheckInput): Verdict {
  for (const resource of ["deployments.apps", "statefulsets.apps", "daemonsets.apps"]) snapshot.list(resource);
  const images = readWorkloads(snapshot).flatMap(({ containers }) => containers.map(({ image }) => image));
  const lost = snapshot.list(classes).filter((each) => {
    const controller = controllers.find(({ name }) => name === controllerOf(each));
    // Nothing is known of other controllers, and some run outside the cluster.
    if (!controller || providers[controller.name] !== undefined) return false;
    return !images.some((image) => controller.images.some((suffix) => isImage(image, suffix)));
  });
  if (lost.length === 0) return pass("The controller of each class is there.");
  return warn(
    `Without a controller: ${lost.map(({ metadata }) => metadata.name).join(", ")}.`,
    lost.map((each) => ({
      object: refTo(classes, each),
      path: "spec.controller",
      observed: controllerOf(each),
      expected: "a controller that runs in the cluster",
    })),
  );
}

const defaultKey = "ingressclass.kubernetes.io/is-default-class";

function judgeDefault({ snapshot }: CheckInput): Verdict {
  const marked = snapshot
    .list(classes)
    .filter((each) => new Fields(each).at("metadata", "annotations", defaultKey).text() === "true")
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const [first, second] = marked;
  if (!first) return pass("Ingresses must name their class: none is the default.");
  if (!second) return pass(`${first.metadata.name} is the default class.`);
  return fail(
    `${marked.length} classes are the default: ${marked.map(({ metadata }) => metadata.name).join(", ")}.`,
    marked.map((each) => ({
      object: refTo(classes, each),
      path: `metadata.annotations[${defaultKey}]`,
      observed: '"true"',
      expected: '"true" on one class alone',
    })),
    {
      is: "patch",
      risk: safe,
      object: refTo(classes, second),
      type: "merge",
      patch: { metadata: { annotations: { [defaultKey]: "false" } } },
    },
  );
}
