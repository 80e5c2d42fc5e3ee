import type { Fix } from "../../checks/index.ts";
import type { ArgoProcess } from "./instances.ts";

/** Lets the agent read this ConfigMap and no other. */
export function rightToRead({ namespace }: Pick<ArgoProcess, "namespace">, configMap: string): Fix {
  const rule = { apiGroups: [""], resources: ["configmaps"], resourceNames: [configMap], verbs: ["get"] };
  return {
    is: "manifest",
    objects: [
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        metadata: { name: `read-${configMap}`, namespace },
        rules: [rule],
      },
    ],
  };
}
