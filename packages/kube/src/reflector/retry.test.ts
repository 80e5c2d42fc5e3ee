import { expect, test } from "vitest";
import { kubeUnreachable } from "../errors/errors.ts";
import { toKubeError } from "../errors/status.ts";
import { ReflectorRetry } from "./retry.ts";

const errorOf = (httpStatus: number, details?: object) =>
  toKubeError({ httpStatus, body: { kind: "Status", details } });

test.each([403, 404, 405])("a refusal (%i) is asked about ever more seldom, and after minutes still", (httpStatus) => {
  const retry = new ReflectorRetry(() => 1);
  const waits = Array.from({ length: 12 }, () => retry.nextMs(errorOf(httpStatus)) / 1000);
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  retry.reset();
  expect(retry.nextMs(errorOf(httpStatus))).toBe(1000);
});

test("what passes by itself is retried at once, then within half a minute", () => {
  const retry = new ReflectorRetry(() => 0.999999);
  const waits = Array.from({ length: 8 }, () => Math.round(retry.nextMs(errorOf(503)) / 100) / 10);
  expect(waits).toEqual([0, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30]);
});

test("an API server that is away is looked for at least each ten seconds", () => {
  const retry = new ReflectorRetry(() => 0.999999);
  const waits = Array.from({ length: 8 }, () => Math.round(retry.nextMs(kubeUnreachable("x", undefined)) / 100) / 10);
  expect(waits).toEqual([0, 0.8, 1.6, 3.2, 6.4, 10, 10, 10]);
});

test("waits differ, so that the reflectors of many kinds don't come back at once", () => {
  const waitsOf = (random: number) => {
    const retry = new ReflectorRetry(() => random);
    return [403, 503, 503].map((status) => retry.nextMs(errorOf(status)));
  };
  expect(waitsOf(0)).toEqual([500, 0, 0]);
  expect(waitsOf(0.5)).toEqual([750, 0, 400]);
});

test("the API server's own wish is a lower bound", () => {
  const retry = new ReflectorRetry(() => 0);
  expect(retry.nextMs(errorOf(429, { retryAfterSeconds: 3 }))).toBe(3000);
});
