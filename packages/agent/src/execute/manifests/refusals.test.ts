import { toKubeError } from "@fairlead/kube";
import { expect, test } from "vitest";
import { tellRefusal } from "./outcome.fixture.ts";
import { describeCause, readCauses } from "./refusals.ts";

test.each([
  ['Invalid value: {"matchLabels":{"app":"s3cr3t"}}: field is immutable', "f can't be changed"],
  ['Invalid value: core.PodSpec{A:"s3cr3t: x"}: field is immutable', "f can't be changed"],
  [
    "Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden",
    "f: updates to statefulset spec for fields other than 'replicas' are forbidden",
  ],
  [
    'Invalid value: "s3\\"cr3t": a lowercase RFC 1123 label must consist of (e.g. "x")',
    'f: a lowercase RFC 1123 label must consist of (e.g. "x")',
  ],
  ["Invalid value: -1: must be greater than or equal to 0", "f: must be greater than or equal to 0"],
  ['Unsupported value: "s3cr3t": supported values: "A", "B"', 'f: supported values: "A", "B"'],
  ["Required value: must name a container", "f is required: must name a container"],
  ["Forbidden: field is immutable when `immutable` is set", "f: field is immutable when `immutable` is set"],
  ["Required value", "f is required"],
  ["Too long: may not be more than 63 bytes", "f: may not be more than 63 bytes"],
  ['Duplicate value: "s3cr3t"', "f: duplicate value"],
  ["something of another shape: s3cr3t", "f isn't valid"],
])("%s", (message, told) => {
  expect(describeCause({ field: "f", message })).toBe(told);
});

test("several fields are found in one text", () => {
  const text = '[spec.a[0].b: Invalid value: "x": no, spec.c: Required value, <nil>: Forbidden: never]';
  expect(readCauses(text).map(describeCause)).toEqual(["spec.a[0].b: no", "spec.c is required", "<nil>: never"]);
});

test("a field that can't be changed is named, however long the value that stands before the reason", () => {
  const value = JSON.stringify({ matchLabels: { app: "x".repeat(2_000) } });
  const message = `Invalid value: ${value}: field is immutable`;
  const causes = [{ reason: "FieldValueInvalid", message, field: "spec.selector" }];
  const text = `Deployment.apps "web" is invalid: spec.selector: ${message}`;
  const body = { kind: "Status", apiVersion: "v1", reason: "Invalid", message: text, details: { causes } };
  const error = toKubeError({ httpStatus: 422, body });
  expect(tellRefusal(error)).toMatchObject({
    code: "KUBE_INVALID",
    message: "spec.selector can't be changed.",
  });
});

test("a namespace that is being deleted is named, and isn't told as a right that lacks", () => {
  const message =
    'configmaps "a" is forbidden: unable to create new content in namespace shop because it is being terminated';
  const causes = [
    { reason: "NamespaceTerminating", message: "namespace shop is being terminated", field: "metadata.namespace" },
  ];
  const body = { kind: "Status", apiVersion: "v1", reason: "Forbidden", message, details: { causes } };
  expect(tellRefusal(toKubeError({ httpStatus: 403, body }))).toMatchObject({
    code: "MANIFESTS_NAMESPACE_TERMINATING",
    message: "The namespace shop is being deleted, so nothing can be created in it.",
  });
});
