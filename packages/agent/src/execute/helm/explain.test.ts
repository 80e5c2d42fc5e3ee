// Failures that Helm 3 and 4 print, in their own words, and the explanations that people get.

import type { Hook } from "@fairlead/kube";
import { expect, test } from "vitest";
import { KnownSecrets, redactText } from "../../redact/index.ts";
import { explainFailure } from "./explain.ts";
import { chart } from "./harness.fixture.ts";
import { parseHelmSpec } from "./spec.ts";

const spec = parseHelmSpec({ release: "web", namespace: "shop", chart: chart({}) });
const hook: Hook = { kind: "Job", name: "migrate", events: ["pre-upgrade"], manifest: "", phase: undefined };
const secret = "s3cr3t";
const secrets = new KnownSecrets();
secrets.add(secret);

const cases: readonly (readonly [said: string, code: string, told?: string])[] = [
  [
    `Error: UPGRADE FAILED: execution error at (web/templates/bad.yaml:1:3): A valid ${secret} is\nrequired!`,
    "HELM_TEMPLATE_FAILED",
    "web/templates/bad.yaml:1:3: A valid *** is required.",
  ],
  [
    `Error: UPGRADE FAILED: web/templates/bad.yaml:1:13\n  executing "web/templates/bad.yaml" at <.Values.x.y.z>:\n    nil pointer evaluating interface {}.z`,
    "HELM_TEMPLATE_FAILED",
    "web/templates/bad.yaml:1:13: nil pointer evaluating interface {}.z.",
  ],
  [
    `Error: UPGRADE FAILED: template: web/templates/bad.yaml:1:13: executing "web/templates/bad.yaml" at <.Values.x>: ${secret}`,
    "HELM_TEMPLATE_FAILED",
    "web/templates/bad.yaml:1:13: ***.",
  ],
  [
    'Error: UPGRADE FAILED: parse error at (web/templates/bad.yaml:1): function "nope" not defined',
    "HELM_TEMPLATE_FAILED",
    'web/templates/bad.yaml:1: function "nope" not defined.',
  ],
  [
    `Error: UPGRADE FAILED: YAML parse error on web/templates/bad.yaml: error converting YAML to JSON: yaml: line 2: ${secret}`,
    "HELM_TEMPLATE_FAILED",
    "web/templates/bad.yaml, line 2 of what it makes.",
  ],
  [
    "Error: YAML parse error on web/templates/bad.yaml: error converting YAML to JSON: yaml: line 2: mapping values are not allowed in this context",
    "HELM_TEMPLATE_FAILED",
    "line 2 of what it makes: mapping values are not allowed in this context.",
  ],
  [
    `Error: UPGRADE FAILED: template: web/templates/a.yaml:1:3: executing "web/templates/a.yaml" at <include "x" .>: error calling include: template: web/templates/_x.tpl:2:4: executing "x" at <fail "${secret.slice(0, 3)}...>: error calling fail: no "${secret.slice(0, 3)}..."`,
    "HELM_TEMPLATE_FAILED",
    "web/templates/a.yaml:1:3: error calling fail: no ….",
  ],
  [
    "Error: UPGRADE FAILED: chart requires kubeVersion: >=1.99.0-0 which is incompatible with Kubernetes v1.34.1",
    "HELM_KUBERNETES_UNFIT",
    "The chart requires Kubernetes >=1.99.0-0, but this cluster has v1.34.1.",
  ],
  [
    'Error: UPGRADE FAILED: failed to create resource: configmaps "a" is forbidden: unable to create new content in namespace shop because it is being terminated',
    "HELM_NAMESPACE_TERMINATING",
    "The namespace shop is being deleted",
  ],
  [
    `Error: UPGRADE FAILED: cannot patch "web" with kind StatefulSet: StatefulSet.apps "web" is invalid: [spec: Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden, spec.serviceName: Invalid value: "${secret.slice(0, 4)}": a lowercase RFC 1123 label]`,
    "HELM_OBJECT_REFUSED",
    "StatefulSet web: spec: updates to statefulset spec for fields other than 'replicas' are forbidden; spec.serviceName: a lowercase RFC 1123 label.",
  ],
  [
    `Error: UPGRADE FAILED: values don't meet the specifications of the schema(s) in the following chart(s):\nweb:\n- at '/a': got string, want integer\n- at '/b/c': value must be '${secret}'`,
    "HELM_VALUES_REFUSED",
    "/a: got string, want integer; /b/c.",
  ],
  [
    `Error: values don't meet the specifications of the schema(s) in the following chart(s):\nweb:\n- a.b: Invalid type. Expected: integer, given: string`,
    "HELM_VALUES_REFUSED",
    "a.b: Invalid type. Expected: integer, given: string.",
  ],
  [
    "Error: An error occurred while checking for chart dependencies. You may need to run `helm dependency build` to fetch missing dependencies: found in Chart.yaml, but missing in charts/ directory: sub, other",
    "HELM_CHART_DEPENDENCIES_MISSING",
    "sub, other.",
  ],
  [
    'Error: UPGRADE FAILED: resource mapping not found for name: "a" namespace: "" from "": no matches for kind "Foo" in version "x.io/v1"',
    "HELM_KIND_UNKNOWN",
    "no Foo of x.io/v1.",
  ],
  [
    'Error: UPGRADE FAILED: conflict occurred while applying object shop/web apps/v1, Kind=Deployment: Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas',
    "HELM_CONFLICT",
    "kubectl owns .spec.replicas.",
  ],
  [
    'Error: UPGRADE FAILED: conflict occurred while applying object shop/web apps/v1, Kind=Deployment: Apply failed with 3 conflicts: conflicts with "a" using apps/v1:\n- .spec.replicas\n- .spec.paused\nconflicts with "b" using v1:\n- .data',
    "HELM_CONFLICT",
    "a owns .spec.replicas, .spec.paused; b owns .data.",
  ],
  [
    `Error: UPGRADE FAILED: server-side apply failed for object shop/web apps/v1, Kind=Deployment: Deployment.apps "web" is invalid: spec.selector: Invalid value: {"matchLabels":{"a":"${secret}"}}: field is immutable`,
    "HELM_OBJECT_REFUSED",
    "Deployment web: spec.selector can't be changed.",
  ],
  [
    "Error: failed to create resource: server-side apply failed for object shop/a /v1, Kind=ConfigMap: failed to create typed patch object (shop/a; /v1, Kind=ConfigMap): .date: field not declared in schema",
    "HELM_OBJECT_REFUSED",
    "its kind has no field .date.",
  ],
  [
    `Error: server-side apply failed for object shop/a /v1, Kind=Pod: failed to create typed patch object (shop/a; /v1, Kind=Pod): .spec.containers[name="${secret}"].env: expected list, got &{${secret}}`,
    "HELM_OBJECT_REFUSED",
    ".spec.containers[…].env is of another type.",
  ],
  [
    'Error: UPGRADE FAILED: create: failed to create: Secret "sh.helm.release.v1.web.v1" is invalid: data: Too long: may not be more than 1048576 bytes',
    "HELM_RELEASE_TOO_LARGE",
  ],
  [
    "Error: UPGRADE FAILED: create: failed to create: Request entity too large: limit is 3145728",
    "HELM_RELEASE_TOO_LARGE",
  ],
  [
    'Error: Unable to continue with install: ConfigMap "web" in namespace "shop" exists and cannot be imported into the current release: invalid ownership metadata; label validation error',
    "HELM_OBJECT_FOREIGN",
    "ConfigMap shop/web already exists",
  ],
  ["Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress", "HELM_RELEASE_CHANGED"],
  ['Error: create: failed to create: namespaces "nons" not found', "HELM_NAMESPACE_MISSING", "nons"],
  ["Error: release has no 99 version", "HELM_REVISION_MISSING", "99"],
  ["Error: uninstall: Release not loaded: nope: release: not found", "HELM_RELEASE_MISSING"],
  [
    'Error: could not get information about the resource: deployments.apps "web" is forbidden: User "system:serviceaccount:a:b" cannot get resource "deployments" in API group "apps" in the namespace "shop"',
    "HELM_FORBIDDEN",
    "get deployments.apps.",
  ],
  [
    "Error: query: failed to query: The policy of this cluster's agent forbids the request (rule execute.namespaces.allow): no.",
    "HELM_FORBIDDEN",
    "the policy's rule execute.namespaces.allow is against it.",
  ],
  [
    'Error: failed to create resource: pods "a" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2',
    "HELM_OBJECT_REFUSED",
    "the quota small is used up (requested: pods=1, used: pods=2, limited: pods=2).",
  ],
  [
    `Error: admission webhook "check.example.com" denied the request: no ${secret}.`,
    "HELM_OBJECT_REFUSED",
    "the webhook check.example.com denies it: no ***.",
  ],
  [
    "Error: UPGRADE FAILED: resource Deployment/shop/web not ready. status: InProgress, message: Available: 0/1\ncontext deadline exceeded",
    "HELM_NOT_READY",
    "Deployment shop/web: 0 of 1",
  ],
  ["Error: UPGRADE FAILED: timed out waiting for the condition", "HELM_NOT_READY"],
  [
    'Error: Get "http://127.0.0.1:1/key/version": dial tcp 127.0.0.1:1: connect: connection refused',
    "HELM_API_UNREACHABLE",
  ],
  [
    `level=WARN msg=x\nError: UPGRADE FAILED: something that nobody knows: ${secret}`,
    "HELM_FAILED",
    "Helm ended with exit code 1: something that nobody knows: ***.",
  ],
  ["", "HELM_FAILED", "Helm ended with exit code 1: it doesn't say why."],
];

test.each(cases.map(([said, code, told = ""]) => [said, code, told] as const))("%s", (said, code, told) => {
  const error = explainFailure({
    spec,
    exitCode: 1,
    said: redactText(secrets, said),
    showsWords: true,
    hooks: [hook],
    unready: ["Deployment shop/web: 0 of 1 replicas"],
  });
  expect([error.code, error.message]).toEqual([code, expect.stringContaining(told)]);
  expect(`${error.message} ${error.hint}`).not.toContain(secret);
});

test.each([
  [
    "Failed",
    "Error: UPGRADE FAILED: pre-upgrade hooks failed: 1 error occurred: job migrate failed: BackoffLimitExceeded",
    "HELM_HOOK_FAILED",
  ],
  [
    "Failed",
    "Error: UPGRADE FAILED: pre-upgrade hooks failed: 1 error occurred: timed out waiting for the condition",
    "HELM_HOOK_TIMEOUT",
  ],
  ["Running", "Error: UPGRADE FAILED: pre-upgrade hooks failed: context canceled", "HELM_HOOK_TIMEOUT"],
])("a hook that is %s: %s", (phase, said, code) => {
  const error = explainFailure({ spec, exitCode: 1, said, showsWords: true, hooks: [{ ...hook, phase }], unready: [] });
  expect([error.code, error.message]).toEqual([code, expect.stringContaining("Job migrate (pre-upgrade).")]);
});

test.each([
  "Error: execution error at (web/templates/a.yaml:1:3): canary",
  "Error: something that nobody knows: canary",
  'Error: admission webhook "x" denied the request: canary',
])("to somebody who only proposes no words of a chart that read Secrets are told: %s", (said) => {
  const failure = { spec, exitCode: 1, hooks: [], unready: [] };
  expect(explainFailure({ ...failure, said, showsWords: true }).message).toContain("canary");
  expect(explainFailure({ ...failure, said, showsWords: false }).message).not.toContain("canary");
});
