// An examination with one of everything, as formats show it.
import type { AddonReport, Check, CheckReport, Installation, Report, Verdict } from "@fairlead/doctor";
import { destructive, judgeFitness, safe } from "@fairlead/doctor";
import type { Examination } from "./examination.ts";

const read = { objects: 42, resources: ["deployments.apps", "nodes"] };

export function examinationOf(change: Partial<Examination> & { readonly report?: Report } = {}): Examination {
  const report = change.report ?? sampleReport;
  return { report, fitness: judgeFitness(report), rightsMissing: [], read, placeOf: () => undefined, ...change };
}

export function checked(id: string, severity: Check["severity"], verdict: Verdict): CheckReport {
  const check: Check = {
    id,
    title: `${id} holds`,
    why: "Because **it** matters.",
    severity,
    features: ["deploy"],
    judge: () => verdict,
  };
  return { check, verdict };
}

const server = { resource: "deployments.apps", namespace: "argocd", name: "argocd-server" };
const args = "spec.template.spec.containers[0].args";

export const failed: CheckReport = checked("argocd.application-namespaces", "required", {
  is: "fail",
  message: "Argo CD's server doesn't take applications of other namespaces.",
  evidence: [{ object: server, path: args, observed: "", expected: "--application-namespaces=*" }],
  fix: {
    is: "patch",
    risk: safe,
    object: server,
    type: "json",
    patch: [{ op: "add", path: "/spec/template/spec/containers/0/args/-", value: "--application-namespaces=*" }],
  },
});

const warned = checked("argocd.project", "recommended", {
  is: "fail",
  message: "The project allows too little.",
  evidence: [
    {
      object: { resource: "appprojects.argoproj.io", namespace: "argocd", name: "default" },
      path: "spec.sourceRepos",
      observed: "https://git.example.com/only-this-one-repository-of-all/and-a-very-long-path-in-it.git",
      expected: "*",
    },
  ],
  fix: {
    is: "manifest",
    risk: destructive("Whoever may make applications may deploy anything."),
    objects: [{ apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", metadata: { name: "p" } }],
  },
});

const unknown = checked("keda.metrics", "required", {
  is: "unknown",
  message: "Not all apiservices.apiregistration.k8s.io could be read: you may not list it.",
  evidence: [],
});

const passed = checked("keda.watches-all", "required", { is: "pass", message: "It does.", evidence: [] });

const bare: Installation = { presence: { is: "installed" }, components: [] };

/** Told in JSON alone, as they are. */
const otherParts = { gateways: [], domains: [], nodePools: [], gpus: [], storageClasses: [] };

export const sampleReport: Report = {
  ...otherParts,
  profile: "fairlead",
  clusterType: {
    type: "eks",
    isOverridden: false,
    evidence: [
      { object: { resource: "nodes", name: "n1" }, path: "spec.providerID", observed: "aws:///eu/i-1", expected: "" },
    ],
  },
  addons: [
    addon("argocd", { state: "misconfigured", checks: [failed, warned] }),
    addon("keda", { need: "optional", state: "healthy", checks: [unknown, passed] }),
    addon("metrics-server", {
      state: "absent",
      message: "No metrics-server was found.",
      installation: { presence: { is: "absent" }, components: [] },
    }),
  ],
  checks: [checked("storage.default-class", "required", { is: "warn", message: "Two are default.", evidence: [] })],
  features: [
    { feature: "alerts", state: "unknown", because: [{ addon: "prometheus", message: "Nobody could look." }] },
    {
      feature: "deploy",
      state: "blocked",
      because: [
        {
          check: "argocd.application-namespaces",
          message: "Argo CD's server doesn't take applications of other namespaces.",
        },
      ],
    },
    { feature: "jobs", state: "available", because: [] },
    { feature: "tls", state: "available", because: [] },
  ],
  hidden: [{ resource: "apiservices.apiregistration.k8s.io", why: "you may not list it" }],
};

function addon(id: string, change: Partial<AddonReport>): AddonReport {
  return {
    id,
    title: id,
    need: "essential",
    state: "healthy",
    message: "It is there.",
    checks: [],
    installation: { ...bare, version: "3.1.0", provenance: { is: "helm", namespace: id, release: id } },
    ...change,
  };
}
