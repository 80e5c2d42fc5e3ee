import { createMovableClock } from "@fairlead/kernel/testing";
import { expect, it, vi } from "vitest";
import { createLookUps, type WantedToken } from "./look-ups.ts";

function wanted(name: string, kind: WantedToken["kind"] = "session"): WantedToken {
  return { kind, sha256: name };
}

it("asks for all that wait in one question, one question at a time, and for each token once", async () => {
  const asked: string[][] = [];
  const waits: PromiseWithResolvers<void>[] = [];
  const lookUps = createLookUps({
    clock: createMovableClock(),
    async lookUp(tokens) {
      asked.push(tokens.map(({ sha256 }) => sha256));
      const wait = Promise.withResolvers<void>();
      waits.push(wait);
      await wait.promise;
      return new Map([["good", "good"]]);
    },
  });
  const finds = ["a", "good", "b", "a", "good"].map((name) => lookUps.find(wanted(name)));
  expect(asked).toEqual([["a"]]);
  waits[0]?.resolve();
  await vi.waitFor(() => expect(asked).toEqual([["a"], ["good", "b"]]));
  waits[1]?.resolve();
  expect(await Promise.all(finds)).toEqual(["unknown", "good", "unknown", "unknown", "good"]);
});

it("refuses those for whom there is no room, and takes others when there is", async () => {
  const wait = Promise.withResolvers<void>();
  const lookUps = createLookUps({
    clock: createMovableClock(),
    maxWaiting: 3,
    async lookUp() {
      await wait.promise;
      return new Map();
    },
  });
  const finds = Array.from({ length: 4 }, (_, index) => lookUps.find(wanted(`${index}`)));
  await expect(lookUps.find(wanted("more"))).rejects.toMatchObject({ code: "AUTH_TOO_MANY_UNKNOWN", httpStatus: 503 });
  expect(lookUps.known("more")).toBeUndefined();
  wait.resolve();
  expect(await Promise.all(finds)).toEqual(["unknown", "unknown", "unknown", "unknown"]);
  expect(await lookUps.find(wanted("more"))).toBe("unknown");
});

it("remembers a bounded number of those that nobody knows, for a while, and no admin tokens", async () => {
  const clock = createMovableClock();
  const lookUp = vi.fn(async () => new Map());
  const lookUps = createLookUps({ clock, lookUp, maxRemembered: 2 });
  for (const name of ["a", "b", "c", "b", "c"]) await lookUps.find(wanted(name));
  expect(lookUp).toHaveBeenCalledTimes(3);
  expect(["a", "b", "c"].map(lookUps.known)).toEqual([undefined, "unknown", "unknown"]);
  clock.move(10 * 60_000);
  expect(lookUps.known("c")).toBeUndefined();
  for (let count = 0; count < 2; count++) await lookUps.find(wanted("d", "admin"));
  expect(lookUp).toHaveBeenCalledTimes(5);
});

it("tells who waits when the database can't be asked, and asks again for the next", async () => {
  let isAway = true;
  const lookUps = createLookUps({
    clock: createMovableClock(),
    async lookUp() {
      if (isAway) throw new Error("away");
      return new Map([["a", "over"]]);
    },
  });
  await expect(Promise.all([lookUps.find(wanted("a")), lookUps.find(wanted("b"))])).rejects.toThrow("away");
  isAway = false;
  expect(await lookUps.find(wanted("a"))).toBe("over");
  expect(lookUps.known("a")).toBe("over");
});
