import { type Fix, safe } from "./verdict.ts";

/** Roles name ConfigMaps one by one, without wildcards, so that a map of another name needs a rule of its own. */
export function allowConfigMap(namespace: string, name: string): Fix {
  const role = `fairlead-read-${name}`.slice(0, 253);
  const metadata = { name: role, namespace };
  const rules = [{ apiGroups: [""], resources: ["configmaps"], resourceNames: [name], verbs: ["get"] }];
  const binding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: role },
    subjects: [{ kind: "ServiceAccount", name: "fairlead-agent-observe", namespace: "fairlead" }],
  };
  return {
    is: "manifest",
    risk: safe,
    objects: [{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata, rules }, binding],
  };
}
