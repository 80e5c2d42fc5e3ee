import { FairleadError } from "@fairlead/kernel";
import { expect, it } from "vitest";
import { createLogger } from "./index.ts";

it("logs errors with code, hint and causes, and no secret by name or by shape", () => {
  const lines: string[] = [];
  const log = createLogger({ level: "info", name: "test", destination: { write: (line) => void lines.push(line) } });
  const cause = new Error("refused: Authorization: Bearer abcdef123456");
  const err = new FairleadError({
    code: "TEST_FAILED",
    message: "no luck with fla_0123456789abcdef",
    hint: "try",
    cause,
  });
  log.warn(
    { err, token: "secret-one", request: { headers: { authorization: "secret-two" }, password: "secret-three" } },
    "failed",
  );
  log.info({ msg2: "x", privateKey: "secret-four" }, "second");
  const text = lines.join("");
  expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({
    level: "warn",
    err: { code: "TEST_FAILED", hint: "try", cause: { message: "refused: Authorization: Bearer [redacted]" } },
  });
  expect(text).not.toMatch(/abcdef|secret-/);
});
