import { FairleadError, forComponent, setLogCluster } from "@fairlead/kernel";
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

it("writes lines of one shape: when, how bad, who, and what is known of cluster and request", () => {
  const lines: string[] = [];
  const log = createLogger({ level: "info", name: "hub", destination: { write: (line) => void lines.push(line) } });
  const links = forComponent(log, "hub/links");
  log.info("hub is ready");
  links.info({ cluster: "east", requestId: "req-1" }, "link opened");
  forComponent(links, "hub/proxy").child({}).info({}, "request ended");
  setLogCluster(log, () => "west");
  links.info({}, "link closed");
  links.info({ cluster: "east" }, "link closed");
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { time, level: "info", component: "hub", msg: "hub is ready" },
    { time, level: "info", component: "hub/links", cluster: "east", requestId: "req-1", msg: "link opened" },
    { time, level: "info", component: "hub/proxy", msg: "request ended" },
    { time, level: "info", component: "hub/links", cluster: "west", msg: "link closed" },
    { time, level: "info", component: "hub/links", cluster: "east", msg: "link closed" },
  ]);
  // A member that is there twice is one to `JSON.parse`, and an error to others.
  for (const line of lines) {
    const members = [...line.matchAll(/"(\w+)":/g)].map(([, name]) => name);
    expect(members, line).toEqual([...new Set(members)]);
  }
});

it("writes the stack of an error that nobody foresaw, and none of work that was asked to stop", () => {
  const lines: string[] = [];
  const log = createLogger({ level: "info", name: "hub", destination: { write: (line) => void lines.push(line) } });
  const aborted = AbortSignal.abort().reason as Error;
  const ours = new FairleadError({ code: "A_B", message: "no", cause: aborted });
  // As a call's, whose stream was reset.
  const around = new Error("[canceled]", { cause: ours });
  const circle = new Error("circle");
  circle.cause = circle;
  for (const err of [new Error("bug"), circle, aborted, ours, around]) log.warn({ err }, "failed");
  expect(lines.map((line) => line.includes('"stack"'))).toEqual([true, true, false, false, false]);
});
