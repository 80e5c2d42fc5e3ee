import type { KubeClient, KubeRequest } from "@fairlead/kube";
import { kubeErrors } from "@fairlead/kube";
import { expect, test } from "vitest";
import { createManifestsTask } from "../task.fixture.ts";
import { KindCatalogue } from "./catalogue.ts";

const gear = { name: "gears", singularName: "gear", namespaced: true, kind: "Gear", verbs: ["get", "patch"] };

function openCatalogue(answers: Record<string, unknown>): { catalogue: KindCatalogue; asked: string[] } {
  const asked: string[] = [];
  const request = async <T>({ path }: KubeRequest): Promise<T> => {
    asked.push(path);
    if (answers[path] === undefined) throw kubeErrors.KUBE_NOT_FOUND({ message: "no" });
    return answers[path] as T;
  };
  const spec = { set: "web", manifests: "", allowEmpty: true };
  return { catalogue: new KindCatalogue(createManifestsTask({ kube: { request } as KubeClient, spec })), asked };
}

test("a version is asked for once, until it is forgotten", async () => {
  const { catalogue, asked } = openCatalogue({ "/apis/example.com/v1": { resources: [gear] } });
  expect(await catalogue.find("example.com/v1", "Gear")).toMatchObject({ resource: "gears", namespaced: true });
  expect(await catalogue.find("example.com/v1", "Wheel")).toBeUndefined();
  expect(await catalogue.find("example.com/v2", "Gear")).toBeUndefined();
  expect(asked).toEqual(["/apis/example.com/v1", "/apis/example.com/v2"]);
  catalogue.forget("example.com/v2");
  await catalogue.find("example.com/v2", "Gear");
  expect(asked).toHaveLength(3);
});

test("objects of a version that isn't served any more are found in another one", async () => {
  const { catalogue } = openCatalogue({
    "/apis/example.com": { versions: [{ groupVersion: "example.com/v2" }] },
    "/apis/example.com/v2": { resources: [gear] },
  });
  expect(await catalogue.find("example.com/v1", "Gear")).toBeUndefined();
  expect(await catalogue.findAnyVersion("example.com/v1", "Gear")).toMatchObject({ version: "v2" });
  expect(await catalogue.findAnyVersion("other.com/v1", "Gear")).toBeUndefined();
  expect(await catalogue.findAnyVersion("v1", "Gear")).toBeUndefined();
});
