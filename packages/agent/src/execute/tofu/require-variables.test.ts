import { expect, test } from "vitest";
import { requireVariables } from "./require-variables.ts";

const unset = (name: string): string =>
  `No value for required variable (main.tf line 1) The root module input variable "${name}" is not set, and has no default value. Use a -var or -var-file command line argument to provide a value for this variable.`;

test("variables without a value are named, each once, with where to give them", () => {
  const errors = [unset("size"), "Invalid value for variable (main.tf line 9) no", unset("color"), unset("size")];
  expect(() => requireVariables(errors)).toThrow(
    expect.objectContaining({
      code: "TOFU_VARIABLES_MISSING",
      message: "The configuration needs a value for color, size.",
      hint: expect.stringContaining("spec.variables"),
    }),
  );
});

test("other errors are left as OpenTofu says them", () => {
  requireVariables([]);
  requireVariables(['Invalid value for variable (main.tf line 1) the root module input variable "x" is not set up']);
});
