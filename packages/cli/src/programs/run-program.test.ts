import { expect, test } from "vitest";
import { lastLine } from "./run-program.ts";

const failed = (stderr: string, stdout = "") => lastLine({ code: 1, stdout, stderr });

test("a program's last line says why it failed, without the advice that Helm puts after it", () => {
  expect(failed("Error: no registry\n\nUse --debug flag to render out invalid YAML\n")).toBe("no registry");
  expect(failed("warning\nerror: no such context\n")).toBe("no such context");
  expect(failed("", "said on standard output\n")).toBe("said on standard output");
  expect(failed("")).toBe("");
});
