// The account of Argo CD on the hub. Agents bound what it reaches, by the role's group; the role says the same as far as
// it can without looking at objects.
import type { AccessRole } from "@fairlead/contract";
import { argoCaller } from "@fairlead/protocol";

export const argoRole: AccessRole = {
  name: argoCaller.robot,
  isBuiltIn: false,
  description: "Of Argo CD on the hub: what belongs to resources that it tracks. The hub keeps it as it is.",
  hubRules: [],
  clusterRules: [
    { verbs: ["get", "patch", "delete"], resources: ["*"], except: ["secrets", "secrets/*", "*/proxy"] },
    { verbs: ["list"], resources: ["events"] },
    { verbs: ["create"], resources: ["pods/exec"] },
  ],
  groups: [argoCaller.group],
};

export const argoTokenTtlMs: number = 24 * 60 * 60_000;
