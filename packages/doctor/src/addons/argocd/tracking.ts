import { Fields } from "@fairlead/kernel";
import {
  allowConfigMap,
  type Check,
  type CheckInput,
  destructive,
  fixBy,
  pass,
  unknown,
  type Verdict,
  warn,
} from "../../checks/index.ts";
import { argoNamespaces } from "./instances.ts";

export const tracking: Check = {
  id: "argocd.tracking",
  title: "Argo CD knows its objects by an annotation",
  why: `With tracking by label the name of an application, with its namespace before it, must fit into the 63 characters
of a label. Other tools write the same label, too. The annotation has neither limit; Argo CD 3 uses it unless told.`,
  severity: "recommended",
  features: ["deploy"],
  judge,
};

const configMap = "argocd-cm";
const key = "application.resourceTrackingMethod";

function judge(input: CheckInput): Verdict {
  const { snapshot, installation } = input;
  for (const namespace of argoNamespaces(input)) {
    const sighting = snapshot.readConfigMap(namespace, configMap);
    if (sighting.is === "hidden") {
      return unknown(`The setting can't be read: ${sighting.why}.`, allowConfigMap(namespace, configMap));
    }
    const set = sighting.is === "seen" ? new Fields(sighting.configMap).at("data", key).text() : undefined;
    const method = set ?? methodUnlessTold(installation.version);
    if (method === "label") {
      const object = { resource: "configmaps", namespace, name: configMap };
      const observed = set ?? `not set, which means label in Argo CD ${installation.version}`;
      return warn(
        "Argo CD knows its objects by a label.",
        [{ object, path: `data["${key}"]`, observed, expected: "annotation" }],
        fixBy({
          installation,
          chart: "argo-cd",
          values: { configs: { cm: { [key]: "annotation" } } },
          otherwise: {
            is: "patch",
            risk: forgetsObjects,
            object,
            type: "merge",
            patch: { data: { [key]: "annotation" } },
          },
        }),
      );
    }
  }
  return pass("Objects are known by an annotation.");
}

function methodUnlessTold(version: string | undefined): string {
  return version !== undefined && Number.parseInt(version, 10) < 3 ? "label" : "annotation";
}

const forgetsObjects = destructive(
  "Until its next sync, an application doesn't know its objects, and doesn't prune them.",
);
