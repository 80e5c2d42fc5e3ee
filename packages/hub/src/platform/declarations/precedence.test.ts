import { describe, expect, it } from "vitest";
import { createPrecedence } from "./precedence.ts";

const inForce = { digest: "new", confirmedMs: 1 };

describe("a hub may put its files in force", () => {
  it.each([
    ["when nothing is", { ours: "any", before: undefined, inForce: undefined }, true],
    ["when they are it already", { ours: "new", before: undefined, inForce }, true],
    ["when they follow what is", { ours: "newer", before: "new", inForce }, true],
    ["not when it has just come with them", { ours: "old", before: undefined, inForce }, false],
    ["not when they follow something else", { ours: "old", before: "older", inForce }, false],
  ])("%s", (_, question, answer) => {
    expect(createPrecedence().judge(question)).toBe(answer);
  });

  const ask = { ours: "old", before: undefined, inForce };

  it("when nobody has had what is in force at twenty looks", () => {
    const { judge } = createPrecedence();
    for (let look = 0; look < 20; look++) expect(judge(ask)).toBe(false);
    expect(judge(ask)).toBe(true);
  });

  it("not before twenty more when somebody had it, something else came, or the database was away", () => {
    const { judge, forget } = createPrecedence();
    const breaks = [
      () => judge({ ...ask, inForce: { ...inForce, confirmedMs: 2 } }),
      () => judge({ ...ask, inForce: { digest: "newer", confirmedMs: 1 } }),
      forget,
    ];
    for (const interrupt of breaks) {
      for (let look = 0; look < 20; look++) judge(ask);
      interrupt();
      for (let look = 0; look < 20; look++) expect(judge(ask)).toBe(false);
    }
  });
});
