import { expect, expectTypeOf, test } from "vitest";
import { defineErrors } from "./define-errors.ts";
import { FairleadError } from "./errors.ts";

const errors = defineErrors({
  LAMP_BROKEN: { message: "The lamp is broken.", retryable: true },
  LAMP_FAR: {
    httpStatus: 404,
    message: "The lamp is {meters} m from {place}.",
    hint: "Move to {place}.",
  },
});

test("an error has what its row says, with the words of this time", () => {
  const cause = new Error("why");
  expect(errors.LAMP_FAR({ meters: 5, place: "{meters}", cause })).toMatchObject({
    code: "LAMP_FAR",
    message: "The lamp is 5 m from {meters}.",
    hint: "Move to {meters}.",
    cause,
    httpStatus: 404,
    retryable: false,
  });
  const broken = errors.LAMP_BROKEN();
  expect(broken).toBeInstanceOf(FairleadError);
  expect(broken).toMatchObject({ code: "LAMP_BROKEN", hint: undefined, httpStatus: 500, retryable: true });
  expect("cause" in broken).toBe(false);
  expect(errors.LAMP_BROKEN({ retryable: false, httpStatus: 418 })).toMatchObject({
    retryable: false,
    httpStatus: 418,
  });
});

test("an error is known by its code, or as one of the table", () => {
  const far = errors.LAMP_FAR({ meters: 1, place: "here" });
  expect([errors.is(far), errors.is(far, "LAMP_FAR"), errors.is(far, "LAMP_BROKEN")]).toEqual([true, true, false]);
  expect(errors.is(new FairleadError({ code: "toString", message: "" }))).toBe(false);
  expect(errors.is(new Error("LAMP_FAR"))).toBe(false);
  expect(errors.is(undefined)).toBe(false);
});

test("a misspelt code and a forgotten word don't compile", () => {
  expectTypeOf(errors.is).parameter(1).toEqualTypeOf<"LAMP_BROKEN" | "LAMP_FAR">();
  expectTypeOf(errors.LAMP_FAR).toBeCallableWith({ meters: 1, place: "here" });
  // @ts-expect-error The place is missing.
  errors.LAMP_FAR({ meters: 1 });
  // @ts-expect-error No such code.
  expect(errors.is(errors.LAMP_BROKEN(), "LAMP_BROEKN")).toBe(false);
});

test("a comparison of a code with a text doesn't compile", () => {
  const far: FairleadError = errors.LAMP_FAR({ meters: 1, place: "here" });
  // @ts-expect-error A code is compared by its table.
  expect(far.code === "LAMP_FAR").toBe(true);
  // @ts-expect-error So is its beginning.
  expect(() => far.code.startsWith("LAMP_")).not.toThrow();
  const told: string = far.code;
  expect(told).toBe("LAMP_FAR");
  if (errors.is(far, "LAMP_BROKEN")) return;
  expectTypeOf(far).toEqualTypeOf<FairleadError>();
});
