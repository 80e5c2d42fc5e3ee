import type { GitopsObject } from "@fairlead/protocol";
import { beforeEach, expect, test } from "vitest";
import { ObjectCache } from "./object-cache.ts";

let cache: ObjectCache;
let told: string[];
beforeEach(() => {
  cache = new ObjectCache(["argocd"]);
  told = [];
  cache.listen({
    changed: ({ metadata }) => void told.push(`${metadata.uid} ${metadata.resourceVersion}`),
    gone: ({ metadata }) => void told.push(`${metadata.uid} gone`),
    listed: () => undefined,
  });
});

test("an older state than is known changes nothing, and neither does one of an object that went", () => {
  cache.list("argocd", [object("u-1", 5)]);
  cache.take(object("u-1", 4));
  cache.take(object("u-1", 5));
  cache.take(object("u-1", 6));
  cache.drop(object("u-1", 7));
  cache.take(object("u-1", 6));
  expect(told).toEqual(["u-1 5", "u-1 6", "u-1 gone"]);
});

test("a listing is the truth, with lower versions, the same ones, and objects that had gone", () => {
  cache.list("argocd", [object("u-1", 50), object("u-2", 50), object("u-3", 50)]);
  cache.drop(object("u-3", 51));
  told = [];
  cache.list("argocd", [object("u-1", 20, "restored"), object("u-2", 50, "restored"), object("u-3", 20)]);
  expect(told).toEqual(["u-1 20", "u-2 50", "u-3 20"]);
  expect(cache.get("u-2")?.metadata.labels).toEqual({ is: "restored" });
  cache.take(object("u-1", 21));
  expect(cache.get("u-1")?.metadata.resourceVersion).toBe("21");
});

function object(uid: string, version: number, is = "first"): GitopsObject {
  const metadata = { name: uid, namespace: "argocd", uid, resourceVersion: `${version}`, labels: { is } };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata };
}
