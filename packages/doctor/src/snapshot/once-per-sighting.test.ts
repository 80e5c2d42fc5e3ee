import { expect, test } from "vitest";
import { oncePerSighting } from "./once-per-sighting.ts";
import { type Look, type Sighting, Snapshot } from "./snapshot.ts";

const pods = { is: "seen" as const, objects: [{ metadata: { name: "a" } }, { metadata: { name: "b" } }] };

test("what was made of a sighting is used again as long as the reader shows the same, also in another snapshot", () => {
  const { count, made } = counting();
  expect([count(snapshotOf(pods)), count(snapshotOf(pods)), count(snapshotOf({ ...pods }))]).toEqual([2, 2, 2]);
  expect(made()).toBe(2);
});

test("each snapshot is told of the look and of the doubt, whether anything is read or not", () => {
  const { count } = counting();
  const some: Sighting = { ...pods, namespaces: ["shop"] };
  for (const sighting of [some, some]) {
    const looks: Look[] = [];
    const doubts: string[] = [];
    const sightings = new Map([["pods", sighting]]);
    const snapshot = new Snapshot({ sightings, configMaps: new Map(), onLook: (look) => looks.push(look) });
    count(snapshot.tellingDoubts((why) => doubts.push(why)));
    expect(looks).toEqual([{ at: "resource", resource: "pods" }]);
    expect(doubts).toEqual(["not all pods could be read: only these namespaces were read: shop"]);
  }
});

test("of what is hidden or not served there is nothing, and it isn't remembered", () => {
  const { count, made } = counting();
  expect(count(snapshotOf({ is: "hidden", why: "no" }))).toBe(0);
  expect(count(snapshotOf({ is: "not-served" }))).toBe(0);
  expect(count(snapshotOf(pods))).toBe(2);
  expect(made()).toBe(3);
});

test("a reader that has objects one by one isn't asked for all of them at once", () => {
  const { count } = counting();
  const [first] = pods.objects;
  const one: Sighting = {
    is: "seen",
    get objects(): never {
      throw new Error("all at once");
    },
    source: { each: () => (first ? [first] : []), at: () => first },
  };
  expect(count(snapshotOf(one))).toBe(1);
});

function counting() {
  let made = 0;
  const count = oncePerSighting("pods", (objects) => {
    made += 1;
    return [...objects].length;
  });
  return { count, made: () => made };
}

function snapshotOf(sighting: Sighting): Snapshot {
  return new Snapshot({ sightings: new Map([["pods", sighting]]), configMaps: new Map() });
}
