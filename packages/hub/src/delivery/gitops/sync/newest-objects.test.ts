import type { GitopsObject } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { NewestObjects } from "./newest-objects.ts";

test("within a watch the newest state counts, and a listing counts whatever its versions are", () => {
  const newest = new NewestObjects();
  newest.list([object(50)]);
  expect([newest.take(object(49)), newest.take(object(51))]).toEqual([false, true]);
  newest.list([object(20)]);
  expect(newest.get("u-1")?.metadata.resourceVersion).toBe("20");
  expect([newest.take(object(19)), newest.take(object(21))]).toEqual([false, true]);
});

function object(version: number): GitopsObject {
  const metadata = { name: "web", namespace: "east", uid: "u-1", resourceVersion: `${version}` };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata };
}
