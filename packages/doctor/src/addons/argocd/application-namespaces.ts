import { allowConfigMap, type Check, type CheckInput, fail, pass, unknown, type Verdict } from "../../checks/index.ts";
import type { Evidence } from "../../snapshot/index.ts";
import { type ArgoProcess, argoProcesses } from "./instances.ts";
import { coversNamespace, type NamespacesSetting, readNamespaces } from "./read-namespaces.ts";
import { setNamespaces } from "./set-namespaces.ts";

export const applicationNamespaces: Check = {
  id: "argocd.application-namespaces",
  title: "Server and application controller read applications in every namespace that is asked for",
  why: `Applications of workspaces live in the namespaces of these. Argo CD looks only into its own namespace unless it is
told otherwise, and it must be told twice: the server and the application controller each have the setting.

The flag \`--application-namespaces\` counts more than the key \`application.namespaces\` of the ConfigMap
\`argocd-cmd-params-cm\`. Entries are globs, or regular expressions between slashes, with commas between.`,
  severity: "required",
  features: ["deploy"],
  judge,
};

function judge(input: CheckInput): Verdict {
  const { snapshot, profile } = input;
  const wanted = profile.argocd.applicationNamespaces;
  const readings = argoProcesses(input).map((process) => ({ process, setting: readNamespaces(process, snapshot) }));
  const short = readings.filter(
    ({ process, setting }) => setting.is !== "hidden" && !isEnough(process, setting, wanted),
  );
  const [first] = short;
  if (first) {
    return fail(
      `The ${first.process.component} of Argo CD doesn't read applications in ${wanted.join(", ")}.`,
      short.map(({ process, setting }) => toEvidence(process, setting, wanted)),
      setNamespaces({ ...first, installation: input.installation, wanted }),
    );
  }
  const hidden = readings.find(({ setting }) => setting.is === "hidden");
  if (hidden?.setting.is === "hidden") {
    return unknown(
      `The setting can't be read: ${hidden.setting.why}.`,
      allowConfigMap(hidden.process.namespace, hidden.setting.configMap),
    );
  }
  return pass(
    `Applications are read in ${wanted.join(", ")}.`,
    readings.map(({ process, setting }) => toEvidence(process, setting, wanted)),
  );
}

function isEnough({ namespace }: ArgoProcess, setting: NamespacesSetting, wanted: readonly string[]): boolean {
  const patterns = setting.is === "set" ? [...setting.patterns, namespace] : [namespace];
  return wanted.every((each) => coversNamespace(patterns, each));
}

function toEvidence(
  { workload, namespace }: ArgoProcess,
  setting: NamespacesSetting,
  wanted: readonly string[],
): Evidence {
  const configMap = setting.configMap;
  return {
    object: configMap === undefined ? workload.ref : { resource: "configmaps", namespace, name: configMap },
    path: setting.is === "hidden" ? "data" : setting.by,
    observed: setting.is === "set" ? setting.patterns.join(",") : "not set",
    expected: wanted.join(","),
  };
}
