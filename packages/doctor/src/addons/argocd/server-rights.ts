import { Fields } from "@fairlead/kernel";
import { type Check, type CheckInput, destructive, pass, type Verdict, warn } from "../../checks/index.ts";
import type { ClusterObject, Snapshot } from "../../snapshot/index.ts";
import { type ArgoProcess, argoProcesses } from "./instances.ts";

export const serverRights: Check = {
  id: "argocd.server-rights",
  title: "Argo CD's server may change applications in every namespace",
  why: `The server writes applications for the UI and the \`argocd\` command. Its ClusterRole allows that outside of its
own namespace only when it was made so: the chart does it when the namespaces are set by \`configs.params\`, and doesn't
when they are set by extra arguments.`,
  severity: "recommended",
  features: ["deploy"],
  appliesTo: ({ profile }) => profile.argocd.applicationNamespaces.length > 0,
  judge,
};

const verbs = ["create", "delete", "get", "list", "patch", "update", "watch"];

function judge(input: CheckInput): Verdict {
  const { snapshot } = input;
  for (const process of argoProcesses(input)) {
    if (process.component !== "server") continue;
    const account = accountOf(process);
    const rules = rulesOf(account, snapshot);
    const missing = verbs.filter((verb) => !rules.some((rule) => allows(rule, verb)));
    if (missing.length === 0) continue;
    const object = { resource: "serviceaccounts", ...account };
    const observed = `may not ${missing.join(", ")} applications in all namespaces`;
    return warn(
      "Argo CD's server may not change applications outside of its namespace.",
      [
        {
          object,
          path: "rules of its ClusterRoles",
          observed,
          expected: `${verbs.join(", ")} applications.argoproj.io`,
        },
      ],
      {
        is: "manifest",
        risk: destructive("Argo CD's server may then change applications in every namespace."),
        objects: rightsFor(account),
      },
    );
  }
  return pass("The server may change applications in every namespace.");
}

interface Account {
  readonly namespace: string;
  readonly name: string;
}

function accountOf({ workload, namespace }: ArgoProcess): Account {
  const spec = new Fields(workload.object).at("spec", "template", "spec");
  return { namespace, name: spec.at("serviceAccountName").text() ?? "default" };
}

function rulesOf(account: Account, snapshot: Snapshot): Fields[] {
  const roles = snapshot.list("clusterroles.rbac.authorization.k8s.io");
  const bound = snapshot
    .list("clusterrolebindings.rbac.authorization.k8s.io")
    .filter((binding) => names(binding, account))
    .map((binding) => new Fields(binding).at("roleRef", "name").text());
  return roles
    .filter(({ metadata }) => bound.includes(metadata.name))
    .flatMap((role) => new Fields(role).at("rules").list());
}

function names(binding: ClusterObject, { namespace, name }: Account): boolean {
  return new Fields(binding)
    .at("subjects")
    .list()
    .some((subject) => subject.at("name").text() === name && subject.at("namespace").text() === namespace);
}

function allows(rule: Fields, verb: string): boolean {
  if (rule.at("resourceNames").list().length > 0) return false;
  const has = (field: string, wanted: string): boolean =>
    rule
      .at(field)
      .list()
      .some((each) => each.text() === wanted || each.text() === "*");
  return has("apiGroups", "argoproj.io") && has("resources", "applications") && has("verbs", verb);
}

function rightsFor({ namespace, name }: Account): object[] {
  const metadata = { name: `${namespace}-${name}-applications` };
  const apiVersion = "rbac.authorization.k8s.io/v1";
  return [
    {
      apiVersion,
      kind: "ClusterRole",
      metadata,
      rules: [{ apiGroups: ["argoproj.io"], resources: ["applications"], verbs }],
    },
    {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metadata.name },
      subjects: [{ kind: "ServiceAccount", namespace, name }],
    },
  ];
}
