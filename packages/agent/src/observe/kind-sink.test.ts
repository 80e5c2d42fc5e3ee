import type { ApiResource, KubeObject } from "@fairlead/kube";
import { expect, test } from "vitest";
import { createEventSink } from "./kind-sink.ts";
import type { ObservedObject, ObserveHandler } from "./types.ts";

test("of a list of 20,000 events only what stays is told, once it is whole", async () => {
  const { sink, told } = open();
  sink.onListStart();
  for (let at = 0; at < 20_000; at++) await sink.onObject(event(`e${at}`, `o${at % 40}`, at));
  expect(told).toEqual(["start"]);
  await sink.onListed();
  expect(told).toHaveLength(2 + 40 * 10);
  expect(told.at(-1)).toBe("listed");
  expect(told).toContain("object e19999");
  expect(told).not.toContain("object e0");
});

test("an event that comes pushes the oldest of its object out, and what was never told isn't told gone", async () => {
  const { sink, told } = open();
  sink.onListStart();
  for (let at = 0; at < 10; at++) await sink.onObject(event(`e${at}`, "o", at));
  await sink.onListed();
  told.splice(0);
  await sink.onApplied(event("new", "o", 50));
  expect(told.splice(0)).toEqual(["deleted e0", "applied new"]);
  await sink.onApplied(event("late", "o", 0));
  await sink.onDeleted(event("e0", "o", 0));
  await sink.onDeleted(event("late", "o", 0));
  expect(told).toEqual([]);
  await sink.onDeleted(event("new", "o", 50));
  expect(told).toEqual(["deleted new"]);
});

function open() {
  const told: string[] = [];
  const handler = {
    onListStart: () => void told.push("start"),
    onObject: (_key: string, { uid }: ObservedObject) => void told.push(`object ${uid}`),
    onListed: () => void told.push("listed"),
    onApplied: (_key: string, { uid }: ObservedObject) => void told.push(`applied ${uid}`),
    onDeleted: (_key: string, uid: string) => void told.push(`deleted ${uid}`),
  } as unknown as ObserveHandler;
  const project = (_resource: ApiResource, { metadata }: KubeObject): ObservedObject => ({
    uid: metadata.uid,
    name: metadata.name,
    namespace: "",
    version: 0n,
    json: new Uint8Array(),
  });
  return { told, sink: createEventSink({ key: "events", resource: {} as ApiResource, handler, project }) };
}

function event(uid: string, about: string, atSeconds: number): KubeObject {
  return {
    metadata: { uid, name: uid, resourceVersion: "1" },
    involvedObject: { uid: about },
    reason: "Because",
    message: uid,
    lastTimestamp: new Date(Date.UTC(2026, 0, 1) + atSeconds * 1000).toISOString(),
  };
}
