import { expect, it } from "vitest";
import { createReadiness } from "./index.ts";

it("is ready only when every check's round trip works in time, and never again once it stops", async () => {
  const readiness = createReadiness({ timeoutMs: 50 });
  expect((await readiness.check()).ready).toBe(false);
  let answer: () => Promise<void> | void = () => undefined;
  readiness.add({ name: "store", run: () => answer() });
  expect((await readiness.check()).ready).toBe(true);
  answer = () => Promise.reject(new Error("gone"));
  expect(await readiness.check()).toMatchObject({ ready: false, checks: [{ name: "store", ok: false }, { ok: true }] });
  answer = () => new Promise(() => undefined);
  expect((await readiness.check()).ready).toBe(false);
  answer = () => undefined;
  readiness.add({ name: "bus", isForInformation: true, run: () => Promise.reject(new Error("away")) });
  expect(await readiness.check()).toMatchObject({
    ready: true,
    checks: [{ ok: true }, { name: "bus", ok: false }, {}],
  });
  readiness.stop();
  expect((await readiness.check()).ready).toBe(false);
});
