// How several reflectors become one kind; the reflectors are played by the test.
import { FairleadError, systemClock, untilAbort } from "@fairlead/kernel";
import type { ApiResource, KubeClient, KubeObject, ReflectorHandler, ReflectorOptions } from "@fairlead/kube";
import { afterEach, expect, test, vi } from "vitest";
import { watchKind } from "./watch-kind.ts";

interface Played {
  readonly namespace: string | undefined;
  readonly handler: ReflectorHandler;
  readonly signal: AbortSignal;
}

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

test("a kind in several namespaces is listed once, and whole when the last of them is", async () => {
  const { told, of, settled } = watch(["a", "b"]);
  await list(of("a"), ["a1"]);
  expect(told).toEqual(["start", "object a1"]);
  await of("a").handler.onApplied(object("a2"));
  await list(of("b"), ["b1"]);
  expect(told.splice(0)).toEqual(["start", "object a1", "applied a2", "object b1", "listed"]);
  expect(settled).toHaveBeenCalledTimes(1);
  await of("b").handler.onDeleted(object("b1"));
  expect(told).toEqual(["deleted b1"]);
});

test("when one namespace has to list again, all are, from the beginning", async () => {
  const { told, of, rounds } = watch(["a", "b"]);
  await list(of("a"), ["a1"]);
  await list(of("b"), ["b1"]);
  const before = [of("a"), of("b")];
  of("a").handler.onListStart();
  await of("a").handler.onObject(object("a1"));
  expect(before.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  await vi.waitFor(() => expect(rounds()).toBe(2));
  told.splice(0);
  // Events of the reflectors of before count for nothing.
  await before[1]?.handler.onApplied(object("late"));
  expect(told).toEqual([]);
  await list(of("a"), []);
  await list(of("b"), ["b2"]);
  expect(told).toEqual(["start", "object b2", "listed"]);
});

test("a namespace that may not be read makes the kind unknown, and the list that follows tells all", async () => {
  const { told, of, rounds, settled } = watch(["a", "b"]);
  of("b").handler.onState(failing("KUBE_FORBIDDEN", 403));
  expect(told).toEqual(["unavailable KUBE_FORBIDDEN"]);
  expect(settled).toHaveBeenCalledTimes(1);
  await list(of("a"), ["a1"]);
  of("a").handler.onState({ type: "live" });
  of("a").handler.onAlive();
  of("b").handler.onState(failing("KUBE_FORBIDDEN", 403));
  expect(told.splice(0)).toEqual(["unavailable KUBE_FORBIDDEN"]);
  expect(rounds()).toBe(1);

  await list(of("b"), ["b1"]);
  await vi.waitFor(() => expect(rounds()).toBe(2));
  await list(of("b"), ["b1"]);
  await list(of("a"), ["a1"]);
  expect(told).toEqual(["start", "object b1", "object a1", "listed"]);
});

test("a right that is withdrawn and given back is followed by a list, though the watch could have gone on", async () => {
  const { told, of, rounds } = watch([]);
  await list(of(undefined), ["x"]);
  of(undefined).handler.onState(failing("KUBE_FORBIDDEN", 403));
  of(undefined).handler.onState({ type: "live" });
  await vi.waitFor(() => expect(rounds()).toBe(2));
  await list(of(undefined), []);
  expect(told).toEqual(["start", "object x", "listed", "unavailable KUBE_FORBIDDEN", "start", "listed"]);
});

test("what passes by itself isn't told of a kind that was listed, and of one that wasn't only when it stays", async () => {
  const listed = watch([]);
  await list(listed.of(undefined), []);
  for (let time = 0; time < 9; time++) listed.of(undefined).handler.onState(failing("KUBE_UNREACHABLE", 503));
  expect(listed.told).toEqual(["start", "listed"]);
  const never = watch([]);
  for (let time = 0; time < 2; time++) never.of(undefined).handler.onState(failing("KUBE_UNREACHABLE", 503));
  expect(never.told).toEqual([]);
  never.of(undefined).handler.onState(failing("KUBE_UNREACHABLE", 503));
  expect(never.told).toEqual(["unavailable KUBE_UNREACHABLE"]);
});

test("a kind is as old as the namespace that was heard of longest ago", async () => {
  const { of, ages, pass } = watch(["a", "b"]);
  await list(of("a"), []);
  of("a").handler.onAlive();
  pass(40);
  expect(ages).toEqual([]);
  await list(of("b"), []);
  of("b").handler.onAlive();
  expect(ages).toEqual([40]);
  of("a").handler.onAlive();
  pass(7);
  of("a").handler.onAlive();
  expect(ages).toEqual([40, 0, 7]);
});

function watch(namespaces: readonly string[]) {
  const played: Played[] = [];
  const told: string[] = [];
  const ages: number[] = [];
  const settled = vi.fn();
  const stop = new AbortController();
  stops.push(stop);
  let nowMs = 1_000;
  void watchKind({
    client: {} as KubeClient,
    resource: { resource: "pods", kind: "Pod", group: "" } as ApiResource,
    namespaces,
    sink: {
      onListStart: () => void told.push("start"),
      onObject: ({ metadata }) => void told.push(`object ${metadata.name}`),
      onListed: () => void told.push("listed"),
      onApplied: ({ metadata }) => void told.push(`applied ${metadata.name}`),
      onDeleted: ({ metadata }) => void told.push(`deleted ${metadata.name}`),
    },
    onAlive: (agoMs) => void ages.push(agoMs),
    onUnavailable: ({ code }) => void told.push(`unavailable ${code}`),
    onSettled: settled,
    clock: { ...systemClock, steadyMs: () => nowMs },
    log: { warn: () => undefined },
    signal: stop.signal,
    runReflector: ({ namespace, handler, signal }: ReflectorOptions) => {
      played.push({ namespace, handler, signal });
      return untilAbort(signal);
    },
  });
  return {
    told,
    ages,
    settled,
    /** The newest reflector of a namespace. */
    of(namespace: string | undefined): Played {
      const found = played.findLast((one) => one.namespace === namespace);
      if (!found) throw new Error(`nobody reads ${namespace}`);
      return found;
    },
    rounds: () => played.length / Math.max(1, namespaces.length),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

async function list({ handler }: Played, names: readonly string[]): Promise<void> {
  handler.onListStart();
  for (const name of names) await handler.onObject(object(name));
  handler.onListed("1");
}

function object(name: string): KubeObject {
  return { metadata: { uid: name, name, resourceVersion: "1" } };
}

function failing(
  code: "KUBE_FORBIDDEN" | "KUBE_UNREACHABLE",
  httpStatus: number,
): { type: "failing"; error: FairleadError; retryInMs: number } {
  return { type: "failing", error: new FairleadError({ code, message: code, httpStatus }), retryInMs: 1 };
}
