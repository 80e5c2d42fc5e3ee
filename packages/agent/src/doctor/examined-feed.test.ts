import { systemClock } from "@fairlead/kernel";
import type { KubeClient } from "@fairlead/kube";
import { afterEach, expect, test, vi } from "vitest";
import type { ObservedObject, ObserveHandler } from "../observe/index.ts";
import { createDoctor, type Doctor } from "./index.ts";
import { examinationKind } from "./kinds.ts";

const stop = new AbortController();
afterEach(() => stop.abort());

test("each verdict names what it was made with: nothing that the hub said, then what it says, and never what can't be read", async () => {
  const { doctor, seen, warn } = open();
  await expect.poll(() => seen.at(-1)).toEqual({ profile: "fairlead", generation: 0, catalogue: "1.2.3" });
  doctor.examineBy({ generation: 1n, profile: "truefoundry", content: "" });
  await expect.poll(() => seen.at(-1)).toMatchObject({ profile: "truefoundry", generation: 1 });
  doctor.examineBy({ generation: 2n, profile: "newest", content: "" });
  expect(warn.mock.calls).toMatchObject([
    [{ generation: 2, err: { code: "DOCTOR_PROFILE_UNKNOWN" } }, expect.any(String)],
  ]);
  doctor.examineBy({ generation: 3n, profile: "ours", content: "name: ours\nextends: fairlead\n" });
  await expect.poll(() => seen.at(-1)).toMatchObject({ profile: "ours", generation: 3 });
  expect(seen.map(({ generation }) => generation)).not.toContain(2);
});

interface Seen {
  readonly profile: string;
  readonly generation: number;
}

/** In a cluster that has nothing. */
function open(): { doctor: Doctor; seen: readonly Seen[]; warn: ReturnType<typeof vi.fn> } {
  const warn = vi.fn();
  const doctor = createDoctor({
    // The feed has every kind already, so the client is never called.
    client: undefined as unknown as KubeClient,
    choice: { include: [], exclude: [], namespaces: [] },
    labelSelector: undefined,
    envValues: "mask",
    isProbing: false,
    agentVersion: "1.2.3",
    kubeSystemUid: async () => "uid",
    clock: systemClock,
    log: { debug: () => undefined, warn },
  });
  doctor.learn({ resources: [], unavailable: [] });
  const seen: Seen[] = [];
  const keep = (key: string, { json }: ObservedObject): void => {
    if (key !== examinationKind.key) return;
    seen.push((JSON.parse(Buffer.from(json).toString()) as { status: { examinedWith: Seen } }).status.examinedWith);
  };
  const nothing = (): void => undefined;
  const handler = {
    onKind: nothing,
    onKindsComplete: nothing,
    onListStart: nothing,
    onListed: nothing,
    onDeleted: nothing,
    onKindGone: nothing,
    onUnavailable: nothing,
    onAlive: nothing,
    onObject: keep,
    onApplied: keep,
  } satisfies ObserveHandler;
  const feed = doctor.join({
    isSynced: () => true,
    fetcher: {
      fetch: () => {
        throw new Error("nothing is fetched");
      },
    },
    run: (_handler, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
  });
  void feed.run(handler, stop.signal).catch(nothing);
  return { doctor, seen, warn };
}
