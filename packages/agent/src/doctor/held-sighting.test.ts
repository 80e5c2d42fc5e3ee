import { expect, test } from "vitest";
import { HeldObject, HeldSighting } from "./held-sighting.ts";

const held = ["a", "b"].map((name) => new HeldObject(JSON.stringify({ metadata: { name } })));

test("objects are read when they are asked for, and again after they were let go of", () => {
  const sighting = new HeldSighting(held);
  const { objects } = sighting;
  expect(objects.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
  expect(sighting.objects).toBe(objects);
  sighting.forget();
  expect(sighting.objects).toEqual(objects);
  expect(sighting.objects[0]).not.toBe(objects[0]);
});

test("those that stay read are the same objects in the next sighting", () => {
  const [first] = new HeldSighting(held, { isRead: true }).objects;
  const changed = new HeldObject('{"metadata":{"name":"b","uid":"2"}}');
  const next = new HeldSighting([...held.slice(0, 1), changed], { isRead: true });
  expect(next.objects[0]).toBe(first);
  expect(next.objects[1]).toEqual({ metadata: { name: "b", uid: "2" } });
});

test("its source gives the same one by one", () => {
  for (const options of [{}, { isRead: true }]) {
    const sighting = new HeldSighting(held, options);
    expect([...sighting.source.each()]).toEqual(sighting.objects);
    sighting.forget();
    expect([0, 1, 2].map((index) => sighting.source.at(index)?.metadata.name)).toEqual(["a", "b", undefined]);
  }
});

test("it says in which namespaces it was seen, and otherwise nothing of namespaces", () => {
  expect(new HeldSighting([], { namespaces: ["shop"] }).namespaces).toEqual(["shop"]);
  expect(new HeldSighting([]).namespaces).toBeUndefined();
});
