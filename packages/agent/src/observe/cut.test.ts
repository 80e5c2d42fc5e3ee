import type { KubeObject } from "@fairlead/kube";
import { cutAnnotation } from "@fairlead/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeWithin } from "./cut.ts";

const metadata = { uid: "u", name: "big", namespace: "default", resourceVersion: "7" };

test("what fits is left alone", () => {
  const object = { apiVersion: "v1", kind: "Thing", metadata, spec: { a: 1 } };
  expect(decode(encodeWithin(object, 4096))).toEqual(object);
});

test("the largest parts go first, and an annotation says which", () => {
  const object = {
    apiVersion: "v1",
    kind: "Workflow",
    metadata: { ...metadata, labels: { app: "x" }, annotations: { note: "n".repeat(20_000), short: "s" } },
    spec: { entrypoint: "main", templates: ["t".repeat(30_000)] },
    status: { phase: "Running", nodes: { a: "x".repeat(1_500_000) } },
  };
  const cut = decode(encodeWithin(object, 40_000));
  expect(cut).toEqual({
    apiVersion: "v1",
    kind: "Workflow",
    metadata: {
      ...metadata,
      labels: { app: "x" },
      annotations: { short: "s", [cutAnnotation]: "status.nodes,spec.templates", note: "n".repeat(20_000) },
    },
    spec: { entrypoint: "main" },
    status: { phase: "Running" },
  });
});

test("members that are no objects are parts as well", () => {
  const object = { apiVersion: "v1", kind: "Role", metadata, rules: ["r".repeat(10_000)], text: "kept" };
  const cut = decode(encodeWithin(object, 5_000));
  expect(cut).toMatchObject({ text: "kept", metadata: { name: "big", annotations: { [cutAnnotation]: "rules" } } });
  expect(cut["rules"]).toBeUndefined();
});

test("whatever an object holds, it fits afterwards, keeps its name, and is cut the same way each time", () => {
  const text = fc.string({ maxLength: 3_000, unit: "grapheme" });
  const members = fc.dictionary(text, text, { maxKeys: 6 });
  const objects = fc.record({
    metadata: fc.record({ labels: members, annotations: members, finalizers: fc.array(text, { maxLength: 3 }) }),
    spec: members,
    status: fc.oneof(members, fc.array(text, { maxLength: 4 }), text),
  });
  fc.assert(
    fc.property(objects, (object) => {
      const whole = { kind: "Thing", ...object, metadata: { ...object.metadata, ...metadata } };
      const encoded = encodeWithin(whole, 4_096);
      expect(encoded.length).toBeLessThanOrEqual(4_096);
      expect(decode(encoded).metadata).toMatchObject(metadata);
      expect(encodeWithin(structuredClone(whole), 4_096)).toEqual(encoded);
    }),
    { numRuns: 60 },
  );
});

function decode(json: Uint8Array): KubeObject {
  return JSON.parse(Buffer.from(json).toString("utf8"));
}
