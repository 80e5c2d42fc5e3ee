import type { Addon } from "../../catalogue/index.ts";
import type { Profile } from "../../profiles/index.ts";
import { optionalEverywhere } from "../need.ts";
import { limitChecks } from "./limits.ts";
import { reachChecks } from "./reach.ts";

export const argoWorkflows: Addon = {
  id: "argo-workflows",
  title: "Argo Workflows",
  need: optionalEverywhere,
  signals: {
    resources: ["workflows.argoproj.io", "workflowtemplates.argoproj.io", "cronworkflows.argoproj.io"],
    components: [
      // Upstream's manifests label the pods alone, and mirrors rename the first part of the image.
      { name: "workflow-controller", isEssential: true, images: ["workflow-controller"] },
      { name: "server", isEssential: false, images: ["argoproj/argocli"] },
    ],
  },
  checks: [...reachChecks, ...limitChecks],
  unlocks: ["jobs"],
  install: {
    chart: "argo-workflows",
    repository: "https://argoproj.github.io/argo-helm",
    version: "0.46.2",
    versionRange: ">=0.40.0 <2.0.0",
    namespace: "argo-workflows",
    release: "argo-workflows",
    order: 0,
    after: [],
    values: ({ profile }) => ({ controller: toValues(profile) }),
  },
};

function toValues({ argoWorkflows: limits }: Profile): unknown {
  const { activeDeadlineSeconds, secondsAfterCompletion, parallelism, namespaceParallelism } = limits;
  const spec = { activeDeadlineSeconds, ttlStrategy: { secondsAfterCompletion } };
  return { parallelism, namespaceParallelism, workflowDefaults: { spec } };
}
