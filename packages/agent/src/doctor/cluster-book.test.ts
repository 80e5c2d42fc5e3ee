import { createMovableClock } from "@fairlead/kernel/testing";
import type { KubeObject } from "@fairlead/kube";
import { expect, test } from "vitest";
import { ClusterBook } from "./cluster-book.ts";

function open(options: { readonly maxBytes?: number } = {}) {
  const changes: string[] = [];
  const clock = createMovableClock();
  const book = new ClusterBook({ clock, onChange: (urgency) => changes.push(urgency), ...options });
  return { book, changes, clock };
}

function deployment(name: string, more: object = {}): KubeObject {
  return { metadata: { uid: name, name, namespace: "shop", resourceVersion: "1" }, ...more };
}

test("what a whole list doesn't name is gone, and until it is whole the kind is hidden", () => {
  const { book } = open();
  book.onListStart("deployments.apps");
  book.onObject("deployments.apps", deployment("a"));
  expect(book.look("deployments.apps")).toMatchObject({ is: "hidden" });
  book.onObject("deployments.apps", deployment("b"));
  book.onListed("deployments.apps");
  book.onListStart("deployments.apps");
  book.onObject("deployments.apps", deployment("b"));
  book.onListed("deployments.apps");
  expect(book.look("deployments.apps")).toMatchObject({ is: "seen", objects: [{ metadata: { name: "b" } }] });
});

test("a change that no check could notice is none", () => {
  const { book, changes } = open();
  book.onApplied("deployments.apps", deployment("a"));
  const again = {
    ...deployment("a"),
    metadata: { ...deployment("a").metadata, resourceVersion: "2", managedFields: [1] },
  };
  book.onApplied("deployments.apps", again);
  expect(changes).toEqual(["soon"]);
  book.onApplied("deployments.apps", deployment("a", { spec: { replicas: 2 } }));
  book.onApplied("pods", deployment("p"));
  expect(changes).toEqual(["soon", "soon", "later"]);
});

test("of a pod's volumes the claims are kept, which checks of storage look for, and no others", () => {
  const { book } = open();
  const claim = { persistentVolumeClaim: { claimName: "data" } };
  const volumes = [
    { name: "a", ...claim },
    { name: "b", secret: { secretName: "key" } },
  ];
  book.onListStart("pods");
  book.onObject("pods", deployment("p", { spec: { volumes, containers: [] } }));
  book.onListed("pods");
  expect(book.look("pods")).toMatchObject({ objects: [{ spec: { volumes: [claim] } }] });
  const sighting = book.look("pods");
  expect(JSON.stringify(sighting?.is === "seen" && sighting.objects)).not.toContain("secret");
});

test("the same sighting says that nothing changed, whatever happened to other kinds", () => {
  const { book } = open();
  for (const key of ["deployments.apps", "pods"]) {
    book.onListStart(key);
    book.onObject(key, deployment("a"));
    book.onListed(key);
  }
  const [deployments, pods] = [book.look("deployments.apps"), book.look("pods")];
  book.onApplied("pods", deployment("b"));
  book.onApplied("deployments.apps", deployment("a"));
  book.rest();
  expect(book.look("deployments.apps")).toBe(deployments);
  expect(book.look("pods")).not.toBe(pods);
  book.onDeleted("deployments.apps", deployment("a"));
  expect(book.look("deployments.apps")).toMatchObject({ is: "seen", objects: [] });
  book.onListStart("pods");
  book.onListed("pods");
  expect(book.look("pods")).toMatchObject({ is: "seen", objects: [] });
});

test("a kind that can't be read any more is hidden with the reason, whatever was there", () => {
  const { book } = open();
  book.onListStart("deployments.apps");
  book.onListed("deployments.apps");
  book.onUnavailable("deployments.apps", { message: "forbidden" });
  expect(book.look("deployments.apps")).toEqual({ is: "hidden", why: "forbidden" });
});

test("neither Secrets nor ConfigMaps are kept, whatever is observed", () => {
  const { book } = open();
  for (const key of ["secrets", "configmaps"]) {
    book.onListStart(key);
    book.onApplied(key, deployment("a"));
    expect(book.look(key)).toBeUndefined();
  }
});

test("a kind of more bytes than there is room for is hidden, others go on, and a list that fits brings it back", () => {
  const { book } = open({ maxBytes: 4_000 });
  book.onListStart("deployments.apps");
  book.onListed("deployments.apps");
  book.onListStart("services");
  for (let at = 0; at < 100; at++) book.onObject("services", deployment(`s${at}`));
  book.onListed("services");
  expect(book.look("services")).toMatchObject({ is: "hidden" });
  book.onApplied("deployments.apps", deployment("a"));
  expect(book.look("deployments.apps")).toMatchObject({ is: "seen", objects: [{ metadata: { name: "a" } }] });
  book.onListStart("services");
  book.onListed("services");
  expect(book.look("services")).toMatchObject({ is: "seen", objects: [] });
});

test("it is as old as the kind that was vouched for longest ago", () => {
  const { book, clock } = open();
  for (const key of ["deployments.apps", "services"]) {
    book.onListStart(key);
    book.onListed(key);
  }
  clock.move(5_000);
  book.onAlive("services");
  expect(book.oldestMs()).toBe(5_000);
});
