import { createMovableClock } from "@fairlead/kernel/testing";
import type { KubeObject } from "@fairlead/kube";
import { expect, test } from "vitest";
import type { Target } from "../prepare/target.ts";
import { Awaited } from "./awaited.ts";

function claim(phase: string, metadata: object = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    status: { phase },
    metadata: { name: "x", uid: "1", resourceVersion: "10", ...metadata },
  };
}

function job(condition: string): KubeObject {
  const status = { conditions: [{ type: condition, status: "True" }] };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name: "x", uid: "1", resourceVersion: "10" }, status };
}

const target = { key: "x" } as Target;

function awaiting(object: KubeObject) {
  const clock = createMovableClock();
  return { clock, awaited: new Awaited([{ target, object }], clock) };
}

test("what is ready when it is applied isn't awaited, and what becomes ready isn't any more", async () => {
  expect(awaiting(claim("Bound")).awaited.isOver).toBe(true);
  const { awaited } = awaiting(claim("Pending"));
  expect(awaited.isOver).toBe(false);
  awaited.see("x", claim("Bound", { resourceVersion: "11" }));
  await awaited.untilEmpty();
  expect(awaited.isOver).toBe(true);
});

test("what was before it was applied says nothing", () => {
  const { awaited } = awaiting(claim("Pending"));
  awaited.see("x", claim("Bound", { resourceVersion: "9" }));
  awaited.see("y", claim("Bound"));
  expect(awaited.left().get("x")).toMatchObject({ type: "pending" });
});

test("after the cluster was restored a read is the truth, and a watch is believed from there on", async () => {
  const { awaited } = awaiting(claim("Pending"));
  const before = { resourceVersion: "10" };
  awaited.see("x", claim("Bound", { resourceVersion: "5" }));
  awaited.know("x", claim("Pending", { resourceVersion: "4" }), before);
  expect(awaited.left().get("x")).toMatchObject({ type: "pending" });
  awaited.see("x", claim("Lost", { resourceVersion: "3" }));
  expect(awaited.left().get("x")).toMatchObject({ type: "pending" });
  awaited.see("x", claim("Bound", { resourceVersion: "5" }));
  await awaited.untilEmpty();
});

test("a read that a watch has overtaken says nothing", () => {
  const { awaited } = awaiting(claim("Pending"));
  awaited.see("x", claim("Lost", { resourceVersion: "11" }));
  awaited.know("x", claim("Bound", { resourceVersion: "10" }), { resourceVersion: "10" });
  awaited.know("x", undefined, { resourceVersion: "10" });
  expect(awaited.left().get("x")).toMatchObject({ message: "the volume that was bound to it is gone" });
});

test("an object that the restored cluster has as it was before it was applied isn't ready", () => {
  const { awaited } = awaiting(claim("Pending", { generation: 2 }));
  const before = { resourceVersion: "10" };
  awaited.know("x", claim("Bound", { resourceVersion: "4", generation: 1 }), before);
  const message = "the cluster was put back to before it was applied";
  expect(awaited.left().get("x")).toMatchObject({ type: "failed", message });
  awaited.know("x", claim("Bound", { resourceVersion: "6", generation: 2 }), { resourceVersion: "4" });
  expect(awaited.isOver).toBe(true);
});

test("another object of the same name isn't the one that was applied, and one that is gone has failed", () => {
  const { awaited } = awaiting(claim("Pending"));
  awaited.see("x", claim("Bound", { uid: "2", resourceVersion: "12" }));
  expect(awaited.left().get("x")).toMatchObject({
    type: "failed",
    message: "somebody deleted it and made another one",
  });
  awaited.miss("x");
  expect(awaited.left().get("x")).toMatchObject({ type: "failed", message: "somebody deleted it" });
});

test("what has failed is given some time to mend itself, and no more", () => {
  const { awaited, clock } = awaiting(job("Failed"));
  clock.move(9_000);
  expect(awaited.isOver).toBe(false);
  clock.move(1_000);
  expect(awaited.isOver).toBe(true);
  expect(awaited.left().size).toBe(1);
});
