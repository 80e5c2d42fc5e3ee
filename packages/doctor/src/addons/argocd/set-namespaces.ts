import { changeArgument, destructive, type Fix, fixBy } from "../../checks/index.ts";
import type { Installation } from "../../detect/index.ts";
import type { ArgoProcess } from "./instances.ts";
import type { NamespacesSetting } from "./read-namespaces.ts";

/** Where the setting comes from now, since a flag counts more than what is put into the ConfigMap. */
export function setNamespaces(options: {
  readonly installation: Installation;
  readonly process: ArgoProcess;
  readonly setting: NamespacesSetting;
  readonly wanted: readonly string[];
}): Fix {
  const { installation, process, setting, wanted } = options;
  const value = wanted.join(",");
  const risk = destructive(`Whoever may make applications in ${value} may then deploy with the rights of Argo CD.`);
  return fixBy({
    installation,
    chart: "argo-cd",
    values: { configs: { params: { "application.namespaces": value } } },
    otherwise:
      setting.configMap === undefined
        ? changeArgument({ ...process, flag: "application-namespaces", isSwitch: false, value, risk })
        : { is: "manifest", risk, objects: [configMapWith(process.namespace, setting.configMap, value)] },
  });
}

function configMapWith(namespace: string, name: string, value: string): object {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace },
    data: { "application.namespaces": value },
  };
}
