import { createMovableClock } from "@fairlead/kernel/testing";
import type { KubeObject } from "@fairlead/kube";
import { expect, test } from "vitest";
import { ObservationCache } from "./observation-cache.ts";

function open(options: { readonly maxBytes?: number } = {}) {
  const changes: string[] = [];
  const clock = createMovableClock();
  const cache = new ObservationCache({ clock, onChange: (urgency) => changes.push(urgency), ...options });
  return { cache, changes, clock };
}

function deployment(name: string, more: object = {}): KubeObject {
  return { metadata: { uid: name, name, namespace: "shop", resourceVersion: "1" }, ...more };
}

test("what a whole list doesn't name is gone, and until it is whole the kind is hidden", () => {
  const { cache } = open();
  cache.onListStart("deployments.apps");
  cache.onObject("deployments.apps", deployment("a"));
  expect(cache.look("deployments.apps")).toMatchObject({ is: "hidden" });
  cache.onObject("deployments.apps", deployment("b"));
  cache.onListed("deployments.apps");
  cache.onListStart("deployments.apps");
  cache.onObject("deployments.apps", deployment("b"));
  cache.onListed("deployments.apps");
  expect(cache.look("deployments.apps")).toMatchObject({ is: "seen", objects: [{ metadata: { name: "b" } }] });
});

test("a change that no check could notice is none", () => {
  const { cache, changes } = open();
  cache.onApplied("deployments.apps", deployment("a"));
  const again = {
    ...deployment("a"),
    metadata: { ...deployment("a").metadata, resourceVersion: "2", managedFields: [1] },
  };
  cache.onApplied("deployments.apps", again);
  expect(changes).toEqual(["soon"]);
  cache.onApplied("deployments.apps", deployment("a", { spec: { replicas: 2 } }));
  cache.onApplied("pods", deployment("p"));
  expect(changes).toEqual(["soon", "soon", "later"]);
});

test("of a pod's volumes the claims are kept, which checks of storage look for, and no others", () => {
  const { cache } = open();
  const claim = { persistentVolumeClaim: { claimName: "data" } };
  const volumes = [
    { name: "a", ...claim },
    { name: "b", secret: { secretName: "key" } },
  ];
  cache.onListStart("pods");
  cache.onObject("pods", deployment("p", { spec: { volumes, containers: [] } }));
  cache.onListed("pods");
  expect(cache.look("pods")).toMatchObject({ objects: [{ spec: { volumes: [claim] } }] });
  const sighting = cache.look("pods");
  expect(JSON.stringify(sighting?.is === "seen" && sighting.objects)).not.toContain("secret");
});

test("the same sighting says that nothing changed, whatever happened to other kinds", () => {
  const { cache } = open();
  for (const key of ["deployments.apps", "pods"]) {
    cache.onListStart(key);
    cache.onObject(key, deployment("a"));
    cache.onListed(key);
  }
  const [deployments, pods] = [cache.look("deployments.apps"), cache.look("pods")];
  cache.onApplied("pods", deployment("b"));
  cache.onApplied("deployments.apps", deployment("a"));
  cache.rest();
  expect(cache.look("deployments.apps")).toBe(deployments);
  expect(cache.look("pods")).not.toBe(pods);
  cache.onDeleted("deployments.apps", deployment("a"));
  expect(cache.look("deployments.apps")).toMatchObject({ is: "seen", objects: [] });
  cache.onListStart("pods");
  cache.onListed("pods");
  expect(cache.look("pods")).toMatchObject({ is: "seen", objects: [] });
});

test("a kind that can't be read any more is hidden with the reason, whatever was there", () => {
  const { cache } = open();
  cache.onListStart("deployments.apps");
  cache.onListed("deployments.apps");
  cache.onUnavailable("deployments.apps", { message: "forbidden" });
  expect(cache.look("deployments.apps")).toEqual({ is: "hidden", why: "forbidden" });
});

test("neither Secrets nor ConfigMaps are kept, whatever is observed", () => {
  const { cache } = open();
  for (const key of ["secrets", "configmaps"]) {
    cache.onListStart(key);
    cache.onApplied(key, deployment("a"));
    expect(cache.look(key)).toBeUndefined();
  }
});

test("a kind of more bytes than there is room for is hidden, others go on, and a list that fits brings it back", () => {
  const { cache } = open({ maxBytes: 4_000 });
  cache.onListStart("deployments.apps");
  cache.onListed("deployments.apps");
  cache.onListStart("services");
  for (let at = 0; at < 100; at++) cache.onObject("services", deployment(`s${at}`));
  cache.onListed("services");
  expect(cache.look("services")).toMatchObject({ is: "hidden" });
  cache.onApplied("deployments.apps", deployment("a"));
  expect(cache.look("deployments.apps")).toMatchObject({ is: "seen", objects: [{ metadata: { name: "a" } }] });
  cache.onListStart("services");
  cache.onListed("services");
  expect(cache.look("services")).toMatchObject({ is: "seen", objects: [] });
});

test("it is as old as the kind that was vouched for longest ago", () => {
  const { cache, clock } = open();
  for (const key of ["deployments.apps", "services"]) {
    cache.onListStart(key);
    cache.onListed(key);
  }
  clock.move(5_000);
  cache.onAlive("services");
  expect(cache.oldestMs()).toBe(5_000);
});
