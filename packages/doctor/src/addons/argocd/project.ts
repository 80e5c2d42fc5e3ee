import { Fields } from "@fairlead/kernel";
import { type Check, type CheckInput, destructive, type Fix, fail, pass, type Verdict } from "../../checks/index.ts";
import type { ClusterObject, Evidence } from "../../snapshot/index.ts";
import { argoNamespaces } from "./instances.ts";

export const project: Check = {
  id: "argocd.project",
  title: "The AppProject for applications lets them be made, from any source and anywhere in the cluster",
  why: `Applications are made in the AppProject that the profile names. It must lie in Argo CD's own namespace, take
applications from the namespaces that are asked for, and allow every source, every destination and every kind of the
cluster. Entries that begin with \`!\` deny, and so do blacklists. A sync window that denies keeps deployments waiting.`,
  severity: "required",
  features: ["deploy"],
  judge,
};

function judge(input: CheckInput): Verdict {
  const { snapshot, profile } = input;
  const name = profile.argocd.project;
  const [namespace = "argocd"] = argoNamespaces(input);
  const object = { resource: "appprojects.argoproj.io", namespace, name };
  const found = snapshot
    .list("appprojects.argoproj.io")
    .find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  if (!found) {
    const evidence = [{ object, path: "metadata.name", observed: "it isn't there", expected: name }];
    return fail(`There is no AppProject '${name}' in ${namespace}.`, evidence, whole(input, namespace));
  }
  const faults = findFaults(found, profile.argocd.applicationNamespaces).map((fault) => ({ object, ...fault }));
  if (faults.length === 0) return pass(`The AppProject '${name}' allows all that applications need.`);
  return fail(`The AppProject '${name}' forbids something that applications need.`, faults, whole(input, namespace));
}

/** Server-side apply of it sets these fields and leaves others alone. */
function whole({ profile }: CheckInput, namespace: string): Fix {
  const { project: name, applicationNamespaces: sourceNamespaces } = profile.argocd;
  return {
    is: "manifest",
    risk: destructive(
      `Whoever may make applications in the AppProject '${name}' may then deploy anything from anywhere to any place of the cluster, and its sync windows go.`,
    ),
    objects: [
      {
        apiVersion: "argoproj.io/v1alpha1",
        kind: "AppProject",
        metadata: { name, namespace },
        spec: {
          sourceNamespaces,
          sourceRepos: ["*"],
          destinations: [{ namespace: "*", server: "*" }],
          clusterResourceWhitelist: [{ group: "*", kind: "*" }],
          clusterResourceBlacklist: [],
          namespaceResourceBlacklist: [],
          syncWindows: [],
        },
      },
    ],
  };
}

type Fault = Omit<Evidence, "object">;

function findFaults(found: ClusterObject, sourceNamespaces: readonly string[]): Fault[] {
  const spec = new Fields(found).at("spec");
  return [
    ...uncovered(spec, "sourceNamespaces", sourceNamespaces),
    ...uncovered(spec, "sourceRepos", ["*"]),
    ...destinationFaults(spec),
    ...clusterKindFaults(spec),
    ...["clusterResourceBlacklist", "namespaceResourceBlacklist"].flatMap((path) => notEmpty(spec, path)),
    ...spec
      .at("syncWindows")
      .list()
      .filter((window) => window.at("kind").text() === "deny")
      .map((window) => ({ path: "spec.syncWindows", observed: window.json(), expected: "no window that denies" })),
  ];
}

function uncovered(spec: Fields, name: string, wanted: readonly string[]): Fault[] {
  const entries = spec
    .at(name)
    .list()
    .flatMap((entry) => entry.text() ?? []);
  const denied = entries.find((entry) => entry.startsWith("!"));
  const path = `spec.${name}`;
  if (denied !== undefined) return [{ path, observed: denied, expected: "no entry that denies" }];
  if (entries.includes("*") || wanted.every((each) => entries.includes(each))) return [];
  return [{ path, observed: entries.join(", ") || "none", expected: wanted.join(", ") }];
}

function destinationFaults(spec: Fields): Fault[] {
  const path = "spec.destinations";
  const entries = spec.at("destinations").list();
  const texts = (entry: Fields) => [entry.at("namespace").text(), entry.at("server").text(), entry.at("name").text()];
  const denied = entries.find((entry) => texts(entry).some((text) => text?.startsWith("!")));
  if (denied) return [{ path, observed: denied.json(), expected: "no entry that denies" }];
  const isOpen = entries.some((entry) => {
    const [namespace, server, name] = texts(entry);
    const isHere = [server, name].some((text) => text === "*" || text === "in-cluster" || text === inCluster);
    return namespace === "*" && isHere;
  });
  if (isOpen) return [];
  const observed = entries.map((entry) => entry.json()).join(", ") || "none";
  return [{ path, observed, expected: `{"namespace":"*","server":"*"}` }];
}

const inCluster = "https://kubernetes.default.svc";

function clusterKindFaults(spec: Fields): Fault[] {
  const entries = spec.at("clusterResourceWhitelist").list();
  if (entries.some((entry) => entry.at("group").text() === "*" && entry.at("kind").text() === "*")) return [];
  const observed = entries.map((entry) => entry.json()).join(", ") || "none";
  return [{ path: "spec.clusterResourceWhitelist", observed, expected: `{"group":"*","kind":"*"}` }];
}

function notEmpty(spec: Fields, name: string): Fault[] {
  const entries = spec.at(name).list();
  const observed = entries.map((entry) => entry.json()).join(", ");
  return entries.length === 0 ? [] : [{ path: `spec.${name}`, observed, expected: "none" }];
}
