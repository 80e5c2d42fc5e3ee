import { FairleadError } from "@fairlead/kernel";
import { expect, test } from "vitest";
import type { KubeClient, KubeRequest } from "../client/index.ts";
import { toKubeError } from "../errors/index.ts";
import { applyObject } from "./apply-object.ts";
import { deleteObject } from "./delete-object.ts";
import { fieldConflicts } from "./field-conflicts.ts";

const configMaps = { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap" };
const place = { resource: configMaps, namespace: "n", name: "x" };

function clientThat(answer: (request: KubeRequest) => unknown): Pick<KubeClient, "request"> {
  return { request: async <T>(request: KubeRequest) => answer(request) as T };
}

function refusing(httpStatus: number, status: object): Pick<KubeClient, "request"> {
  return clientThat(() => {
    throw toKubeError({ httpStatus, body: { kind: "Status", ...status } });
  });
}

const how = { object: {}, fieldManager: "me", isForced: false, isDryRun: false };

test("an object is applied strictly, in the name of its manager", async () => {
  const asked: KubeRequest[] = [];
  const client = clientThat((request) => {
    asked.push(request);
    return { metadata: { name: "x" } };
  });
  const options = { client, ...place, ...how };
  expect(await applyObject(options)).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } });
  await applyObject({ ...options, isForced: true, isDryRun: true });
  const path = "/api/v1/namespaces/n/configmaps/x?fieldManager=me";
  expect(asked.map((request) => request.path)).toEqual([
    `${path}&force=false&fieldValidation=Strict`,
    `${path}&force=true&fieldValidation=Strict&dryRun=All`,
  ]);
  expect(asked[0]).toMatchObject({ method: "PATCH", headers: { "content-type": "application/apply-patch+yaml" } });
});

test("an object that doesn't fit its schema is invalid, and not worth another attempt", async () => {
  const message = "failed to create typed patch object (/x; /v1, Kind=ConfigMap): .sepc: field not declared in schema";
  const unfit = applyObject({ client: refusing(500, { message, code: 500 }), ...place, ...how });
  await expect(unfit).rejects.toMatchObject({ code: "KUBE_INVALID", message, retryable: false });
  const internal = applyObject({ client: refusing(500, { message, reason: "InternalError" }), ...place, ...how });
  await expect(internal).rejects.toMatchObject({ retryable: true });
});

test("conflicts say who owns what", () => {
  const causes = [
    { reason: "FieldManagerConflict", message: 'conflict with "kubectl" using apps/v1', field: ".spec.replicas" },
    {
      reason: "FieldManagerConflict",
      message: 'conflict with "a" with subresource "scale" using v1',
      field: ".spec.x",
    },
    { reason: "FieldValueInvalid", message: "no" },
  ];
  const body = { kind: "Status", reason: "Conflict", details: { causes } };
  expect(fieldConflicts(toKubeError({ httpStatus: 409, body }))).toEqual([
    { manager: "kubectl", field: ".spec.replicas" },
    { manager: "a", field: ".spec.x" },
  ]);
  expect(fieldConflicts(new FairleadError({ code: "X", message: "" }))).toEqual([]);
});

test.each([
  ["it is gone", 404, { details: { name: "x" } }, "gone"],
  [
    "another one has its name",
    409,
    { message: "Precondition failed: UID in precondition: 1, UID in object meta: 2" },
    "replaced",
  ],
])("a deletion says when %s", async (_when, httpStatus, status, result) => {
  expect(await deleteObject({ client: refusing(httpStatus, status), ...place, uid: "1" })).toBe(result);
});

test("a deletion names the uid, and passes on what else is refused", async () => {
  const asked: KubeRequest[] = [];
  const client = clientThat((request) => void asked.push(request));
  expect(await deleteObject({ client, ...place, uid: "1" })).toBe("deleted");
  expect(asked[0]).toMatchObject({ method: "DELETE", body: { preconditions: { uid: "1" } } });
  const kindGone = deleteObject({ client: refusing(404, {}), ...place, uid: "1" });
  await expect(kindGone).rejects.toMatchObject({ code: "KUBE_NOT_FOUND" });
});
