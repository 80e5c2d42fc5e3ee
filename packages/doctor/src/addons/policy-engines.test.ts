import { describe } from "vitest";
import type { ClusterObject } from "../snapshot/index.ts";
import { testGolden } from "../testing/golden-cases.fixture.ts";
import { gatekeeper } from "./gatekeeper.ts";
import { jspolicy } from "./jspolicy.ts";
import { kyverno } from "./kyverno.ts";

const adding = (object: ClusterObject) => (objects: readonly ClusterObject[]) => [...objects, object];

describe("Kyverno", () => {
  const of = "kyverno/chart";
  const policy = (spec: object): ClusterObject => ({
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name: "registries" },
    spec,
  });
  const images = { pattern: { spec: { containers: [{ image: "registry.example.com/*" }] } } };
  const labels = { pattern: { metadata: { labels: { team: "?*" } } } };
  testGolden(kyverno, {
    shapes: [{ of, version: "1.15.2", provenance: "helm" }],
    cases: [
      {
        title: "a policy in force asks for registries",
        of,
        edit: adding(policy({ validationFailureAction: "Enforce", rules: [{ name: "a", validate: images }] })),
        verdicts: { "kyverno.refusals": "warn" },
        state: "healthy",
      },
      {
        title: "a rule in force asks for labels, in a policy that says nothing",
        of,
        edit: adding(policy({ rules: [{ name: "a", validate: { ...labels, failureAction: "Enforce" } }] })),
        verdicts: { "kyverno.refusals": "warn" },
      },
      {
        title: "a policy that only reports refuses nothing",
        of,
        edit: adding(policy({ validationFailureAction: "Audit", rules: [{ name: "a", validate: images }] })),
      },
      {
        title: "a policy about neither refuses neither",
        of,
        edit: adding(
          policy({
            validationFailureAction: "Enforce",
            rules: [{ name: "a", validate: { pattern: { spec: { hostNetwork: false } } } }],
          }),
        ),
      },
      {
        title: "a policy of the newer group is in force when it says nothing",
        of,
        edit: adding({
          apiVersion: "policies.kyverno.io/v1alpha1",
          kind: "ImageValidatingPolicy",
          metadata: { name: "signed" },
          spec: {},
        }),
        verdicts: { "kyverno.refusals": "warn" },
      },
    ],
  });
});

describe("Gatekeeper", () => {
  const of = "gatekeeper/chart";
  const constraint = (kind: string, spec: object): ClusterObject => ({
    apiVersion: "constraints.gatekeeper.sh/v1beta1",
    kind,
    metadata: { name: "ours" },
    spec,
  });
  testGolden(gatekeeper, {
    shapes: [{ of, version: "3.20.1", provenance: "helm" }],
    cases: [
      {
        title: "a constraint denies when it says nothing",
        of,
        edit: adding(constraint("K8sAllowedRepos", {})),
        verdicts: { "gatekeeper.refusals": "warn" },
        state: "healthy",
      },
      {
        title: "a constraint that warns refuses nothing",
        of,
        edit: adding(constraint("K8sRequiredLabels", { enforcementAction: "warn" })),
      },
    ],
  });
});

describe("jsPolicy", () => {
  const of = "jspolicy/chart";
  const policy = (spec: object): ClusterObject => ({
    apiVersion: "policy.jspolicy.com/v1beta1",
    kind: "JsPolicy",
    metadata: { name: "ours.example.com" },
    spec: { javascript: "if (!request.object.metadata.labels.team) deny('no team')", ...spec },
  });
  testGolden(jspolicy, {
    shapes: [{ of, version: "0.2.2", provenance: "helm" }],
    cases: [
      {
        title: "a policy asks for labels",
        of,
        edit: adding(policy({ type: "Validating" })),
        verdicts: { "jspolicy.refusals": "warn" },
        state: "healthy",
      },
      { title: "a policy that changes objects refuses none", of, edit: adding(policy({ type: "Mutating" })) },
      { title: "a policy that warns refuses none", of, edit: adding(policy({ violationPolicy: "warn" })) },
    ],
  });
});
