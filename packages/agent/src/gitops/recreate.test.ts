import type { GitopsObject } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { toRecreated } from "./recreate.ts";

const made: GitopsObject = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "shop", namespace: "argocd" },
};
const history = [{ id: 1, revision: "abc" }];
const former = { ...made, status: { history, operationState: { phase: "Succeeded" } } } as GitopsObject;

test("an application that was deleted is made again without its last operation, so that Argo CD may sync it", () => {
  expect(toRecreated(made, former, "ignore")).toEqual({ ...made, status: { history } });
  expect(toRecreated(made, { ...made, status: { operationState: {} } } as GitopsObject, "ignore")).toEqual(made);
});

test("without its status, or with a sync, as the rule says; a new one is as the hub has it", () => {
  expect(toRecreated(made, former, "clear-status")).toEqual(made);
  expect(toRecreated(made, former, "resync")).toMatchObject({ operation: { sync: {} } });
  for (const rule of ["ignore", "clear-status", "resync"] as const)
    expect(toRecreated(made, undefined, rule)).toEqual(made);
});
