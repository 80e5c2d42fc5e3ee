import { createMovableClock } from "@fairlead/kernel/testing";
import type { GitopsObject } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { createMemoryHolds } from "../../memory-holds.fixture.ts";
import { createMirrorGuard, type MirrorGuard } from "./guarded-mirrors.ts";
import { sourceNameAnnotation } from "./marks.ts";

test("a single deletion is refused for two seconds, and then isn't", async () => {
  await using harness = open(20);
  expect(harness.guard.refuse("uid-0")).toMatchObject({ reason: "unconfirmed" });
  await harness.pass(2_500);
  expect(harness.guard.refuse("uid-0")).toBeUndefined();
});

test("a mass deletion is refused until it is confirmed", async () => {
  await using harness = open(20);
  for (let time = 0; time < 4; time++) {
    for (let index = 0; index < 6; index++)
      expect(harness.guard.refuse(`uid-${index}`)).toMatchObject({ reason: "unconfirmed" });
    await harness.pass(2_500);
  }
  expect(harness.guard.heldCount).toBe(6);
  await harness.holds.confirm();
  for (let index = 0; index < 6; index++) expect(harness.guard.refuse(`uid-${index}`)).toBeUndefined();
});

test("what the cluster asks for no more doesn't wait any longer, and what has no mirror never does", async () => {
  await using harness = open(20);
  for (let index = 0; index < 6; index++) harness.guard.refuse(`uid-${index}`);
  await harness.pass(2_500);
  for (let time = 0; time < 25; time++) {
    harness.guard.refuse("uid-0");
    await harness.pass(2_500);
  }
  expect(harness.guard.heldCount).toBe(1);
  expect(harness.guard.refuse("uid-99")).toBeUndefined();
});

interface Harness extends AsyncDisposable {
  readonly guard: MirrorGuard;
  readonly holds: ReturnType<typeof createMemoryHolds>;
  pass(ms: number): Promise<void>;
}

function open(count: number): Harness {
  const clock = createMovableClock(1_000_000);
  const holds = createMemoryHolds();
  const mirrors = new Map(Array.from({ length: count }, (_, index) => [`uid-${index}`, mirrorOf(index)]));
  const log = { warn: () => undefined, info: () => undefined };
  const guard = createMirrorGuard({
    fence: { cluster: "east", term: 1n },
    rules: { guardPercent: 20, guardMin: 5 },
    holds,
    clock,
    log,
  });
  guard.connect({
    all: () => mirrors.values(),
    mirrorOf: (uid) => mirrors.get(uid),
    sourceOf: ({ metadata }) => metadata.uid,
  });
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const running = guard.run(() => over);
  guard.loaded();
  return {
    guard,
    holds,
    async pass(ms) {
      for (let passedMs = 0; passedMs < ms; passedMs += 500) {
        clock.move(500);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    async [Symbol.asyncDispose]() {
      end();
      await running;
    },
  };
}

function mirrorOf(index: number): GitopsObject {
  const annotations = { [sourceNameAnnotation]: `argocd/web-${index}` };
  return {
    apiVersion: "v1",
    kind: "Application",
    metadata: { name: `web-${index}`, namespace: "east", uid: `uid-${index}`, annotations },
  };
}
