import { FairleadError } from "@fairlead/kernel";
import { expect, test } from "vitest";
import { toKubeError } from "./status.ts";
import { whyRefused } from "./why-refused.ts";

test.each([
  [403, "Forbidden", 'admission webhook "check.example.com" denied the request: no', {}, "webhook"],
  [403, "Forbidden", 'configmaps "x" is forbidden: status unknown for quota: few, resources: a', {}, "quota"],
  [422, "Invalid", `apps "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied`, {}, "webhook"],
  [403, "Forbidden", 'configmaps "x" is forbidden: exceeded quota: few, requested: configmaps=1', {}, "quota"],
  [403, "Forbidden", 'applications.argoproj.io "x" is forbidden: User "u" cannot create resource', {}, "forbidden"],
  [401, "Unauthorized", "Unauthorized", {}, "forbidden"],
  [413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728", {}, "too-large"],
  [500, undefined, "etcdserver: request is too large", {}, "too-large"],
  [422, "Invalid", 'Application "x" is invalid: spec.project: Required value', {}, "invalid"],
  [400, "BadRequest", "Application in version v1alpha1 cannot be handled", {}, "invalid"],
  [404, "NotFound", 'namespaces "x" not found', { name: "x", kind: "namespaces" }, "no-namespace"],
  [404, "NotFound", "the server could not find the requested resource", {}, "no-kind"],
  [409, "Conflict", "the object has been modified", {}, "conflict"],
  [409, "AlreadyExists", 'applications.argoproj.io "x" already exists', {}, "exists"],
  [429, "TooManyRequests", "too many requests", {}, "unavailable"],
  [503, undefined, "starting", {}, "unavailable"],
])("%i %s: %s", (httpStatus, reason, message, details, why) => {
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", reason, message, details, code: httpStatus };
  expect(whyRefused(toKubeError({ httpStatus, body }))).toBe(why);
});

test("an error that isn't an API server's says nothing of the object", () => {
  expect(whyRefused(new FairleadError({ code: "X", message: "no" }))).toBe("failed");
});
