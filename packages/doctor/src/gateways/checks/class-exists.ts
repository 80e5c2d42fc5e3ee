import { Fields } from "@fairlead/kernel";
import { type ClusterCheck, destructive, type Fix, fail, few, listNames, pass, type Risk } from "../../checks/index.ts";
import { type ClusterObject, type Evidence, refTo, type Snapshot } from "../../snapshot/index.ts";
import { gatewayApiGateways } from "../gateway-api-gateways.ts";
import { ingressClassOf, ingresses } from "../ingress-gateways.ts";

export const classExists: ClusterCheck = {
  id: "gateways.class-exists",
  title: "The class of each gateway and Ingress exists",
  why: "A class says which controller serves an object. An object of a class that isn't there waits for ever, and nothing says so.",
  severity: "recommended",
  features: ["ingress"],
  judge: ({ snapshot, clusterType }) => {
    // GKE's controller serves Ingresses without a class and has no IngressClass.
    const lost = [...lostGateways(snapshot), ...lostIngresses(snapshot, clusterType === "gke")];
    if (lost.length === 0) return pass("Each class that is named exists.");
    const names = listNames(lost.map(({ evidence }) => evidence.object.name));
    const fix = lost.find((each) => each.fix)?.fix;
    return fail(
      `No controller serves ${names}.`,
      few(lost).map(({ evidence }) => evidence),
      fix,
    );
  },
};

interface Lost {
  readonly evidence: Evidence;
  readonly fix: Fix | undefined;
}

function lostGateways(snapshot: Snapshot): Lost[] {
  const gateways = snapshot.list(gatewayApiGateways);
  const classes = namesOf(gateways.length === 0 ? [] : snapshot.list("gatewayclasses.gateway.networking.k8s.io"));
  return gateways.flatMap((gateway) => {
    const name = new Fields(gateway).at("spec", "gatewayClassName").text() ?? "";
    if (classes.includes(name)) return [];
    return [lostOf({ resource: gatewayApiGateways, object: gateway, field: "gatewayClassName", name, classes })];
  });
}

function lostIngresses(snapshot: Snapshot, hasImpliedClass: boolean): Lost[] {
  const all = snapshot.list(ingresses);
  const classObjects = all.length === 0 ? [] : snapshot.list("ingressclasses.networking.k8s.io");
  const classes = namesOf(classObjects);
  const hasDefault = hasImpliedClass || classObjects.some(isDefault);
  return all.flatMap((ingress) => {
    const named = ingressClassOf(ingress);
    // Controllers take the old annotation without an IngressClass.
    if (named && (!named.isField || classes.includes(named.name))) return [];
    if (!named && hasDefault) return [];
    return [
      lostOf({ resource: ingresses, object: ingress, field: "ingressClassName", name: named?.name ?? "", classes }),
    ];
  });
}

interface LostOptions {
  readonly resource: string;
  readonly object: ClusterObject;
  readonly field: string;
  readonly name: string;
  readonly classes: readonly string[];
}

function lostOf({ resource, object, field, name, classes }: LostOptions): Lost {
  const ref = refTo(resource, object);
  const [only, second] = classes;
  return {
    evidence: {
      object: ref,
      path: `spec.${field}`,
      observed: name === "" ? "none, and no class is the default" : name,
      expected: classes.length === 0 ? "a class that exists; the cluster has none" : `one of ${listNames(classes)}`,
    },
    fix:
      only !== undefined && second === undefined
        ? { is: "patch", risk: servedBy(only), object: ref, type: "merge", patch: { spec: { [field]: only } } }
        : undefined,
  };
}

/** The class that is missing may have been for other people, such as those of one network. */
function servedBy(name: string): Risk {
  return destructive(`The controller of the class ${name} then serves it, to everybody whom that controller serves.`);
}

const namesOf = (objects: readonly ClusterObject[]): string[] =>
  objects.map(({ metadata }) => metadata.name).toSorted();

function isDefault(ingressClass: ClusterObject): boolean {
  const key = "ingressclass.kubernetes.io/is-default-class";
  return new Fields(ingressClass).at("metadata", "annotations", key).text() === "true";
}
