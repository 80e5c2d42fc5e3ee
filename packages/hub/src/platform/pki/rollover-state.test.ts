import { createMovableClock } from "@fairlead/kernel/testing";
import { type Authority, createAuthority } from "@fairlead/protocol/x509";
import { beforeAll, describe, expect, it } from "vitest";
import { nextRollover, type Rollover, shownOf, signerOf, trustedOf } from "./rollover-state.ts";

const clock = createMovableClock(Date.UTC(2030, 0, 1));
const dayMs = 86_400_000;
let one: Authority;
let two: Authority;
let three: Authority;
beforeAll(async () => {
  one = await createAuthority({ commonName: "one", days: 10, clock });
  two = await createAuthority({ commonName: "two", days: 20, clock });
  three = await createAuthority({ commonName: "three", days: 30, clock });
});

const single = (): Rollover => ({ is: "single", current: one });
const overlapping = (): Rollover => ({ is: "overlapping", leaving: one, coming: two });

describe("each state with each event", () => {
  it("single, rotated: both are there", () => {
    expect(nextRollover(single(), { type: "rotated", coming: two })).toEqual(overlapping());
  });

  it("single, retired: means nothing", () => {
    const state = single();
    expect(nextRollover(state, { type: "retired" })).toBe(state);
  });

  it("overlapping, rotated: means nothing, a third one would have no place", () => {
    const state = overlapping();
    expect(nextRollover(state, { type: "rotated", coming: three })).toBe(state);
  });

  it("overlapping, retired: the coming one is the one", () => {
    expect(nextRollover(overlapping(), { type: "retired" })).toEqual({ is: "single", current: two });
  });
});

describe("a state that is found", () => {
  const found = (state: Rollover, other: Rollover): Rollover => nextRollover(state, { type: "found", state: other });

  it("means nothing where it is the same, whoever read it", () => {
    for (const state of [single(), overlapping()]) expect(found(state, { ...state })).toBe(state);
  });

  it("takes the place of any other", () => {
    const states: Rollover[] = [
      single(),
      overlapping(),
      { is: "single" as const, current: two },
      { is: "overlapping", leaving: two, coming: three },
    ];
    for (const state of states) {
      for (const other of states.filter((each) => each !== state)) expect(found(state, other)).toBe(other);
    }
  });
});

describe("while both are there", () => {
  it("the new one signs, the old one is shown, and both are trusted, the shown one first", () => {
    const now = clock.now();
    expect(signerOf(overlapping())).toBe(two);
    expect(shownOf(overlapping(), now)).toBe(one);
    expect(trustedOf(overlapping(), now)).toEqual([one, two]);
  });

  it("the new one is shown, and alone trusted, once the old one's time is over", () => {
    const later = clock.now() + 11 * dayMs;
    expect(shownOf(overlapping(), later)).toBe(two);
    expect(trustedOf(overlapping(), later)).toEqual([two]);
  });
});

it("with one alone it does all of it", () => {
  const now = clock.now();
  expect([signerOf(single()), shownOf(single(), now), ...trustedOf(single(), now)]).toEqual([one, one, one]);
});
