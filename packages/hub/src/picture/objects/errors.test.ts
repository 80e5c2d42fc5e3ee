import { questionCodes } from "@fairlead/contract";
import { expect, it } from "vitest";
import { objectsErrors } from "./errors.ts";

it("has the codes that clients take for a fault of the question, and no others", () => {
  const { is: _, ...rows } = objectsErrors;
  expect(Object.keys(rows).sort()).toEqual([...questionCodes].sort());
});
