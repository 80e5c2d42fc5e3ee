import { expect, test } from "vitest";
import { FairleadError, isFairleadError } from "./errors.ts";
import { toProblem } from "./problem.ts";
import { toFairleadError } from "./to-fairlead-error.ts";

test("an error keeps its code, hint, status and cause", () => {
  const cause = new Error("disk says no");
  const error = new FairleadError({ code: "TEST_FULL", message: "Full.", hint: "Make room.", httpStatus: 507, cause });
  expect(error).toMatchObject({ name: "FairleadError", code: "TEST_FULL", hint: "Make room.", httpStatus: 507, cause });
  expect(error.retryable).toBe(false);
  expect(isFairleadError(error)).toBe(true);
  expect(isFairleadError(cause)).toBe(false);
});

test("an error of another copy of this package is recognised", () => {
  const foreign = Object.assign(new Error("x"), { [Symbol.for("fairlead.error")]: true, code: "TEST_OTHER" });
  expect(toFairleadError(foreign)).toBe(foreign);
});

test("whatever else was thrown becomes INTERNAL and shows nothing of its text", () => {
  const error = toFairleadError(new Error("password is hunter2"));
  expect(error.code).toBe("INTERNAL");
  expect(JSON.stringify(toProblem(error, { requestId: "req_1" }))).not.toContain("hunter2");
  expect(toProblem(error, { requestId: "req_1" })).toMatchObject({ status: 500, requestId: "req_1" });
});
