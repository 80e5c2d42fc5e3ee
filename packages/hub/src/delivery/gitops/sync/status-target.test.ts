import { createMovableClock } from "@fairlead/kernel/testing";
import { type Application, type StatusPart, toContent } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { createMemoryOperations } from "../memory-holds.fixture.ts";
import type { HubObjects, HubWrite, HubWriteResult } from "../types.ts";
import { HubApplications } from "./hub-applications.ts";
import { OperationRecords } from "./operation-records.ts";
import { createStatusTarget, type StatusTarget } from "./status-target.ts";

const signal = new AbortController().signal;
const uidOf = (index: number): string => `uid-${index}`;

test("a cluster that tells of a thousand applications has sixteen written at a time, and is read on when most are written", async () => {
  const waiting: (() => void)[] = [];
  let most = 0;
  const { status } = open(async ({ object }) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      most = Math.max(most, waiting.length);
    });
    return { is: "written", object };
  });
  for (let index = 0; index < 1_000; index++) tell(status, index);
  let isRead = false;
  void status.untilRoom().then(() => {
    isRead = true;
  });
  for (let written = 0; written < 700; written++) await finishOne(waiting);
  expect([most, isRead]).toEqual([16, false]);
  for (let written = 700; written < 1_000; written++) await finishOne(waiting);
  expect([most, isRead]).toEqual([16, true]);
});

test("what the hub doesn't have is refused, and nothing of it is kept", async () => {
  const { status } = open(() => Promise.reject(new Error("nothing is to be written")));
  tell(status, 2_000);
  await expect.poll(() => status.target.take()).toMatchObject({ type: "refusal", uid: uidOf(2_000), reason: "failed" });
  expect(status.target.status()).toEqual({ objects: 0, applying: 0, drifted: 0 });
});

test("a part that can't be read is refused, and others are written", async () => {
  const { status } = open(async ({ object }) => ({ is: "written", object }));
  tell(status, 1, "no part");
  tell(status, 2);
  const said = [await next(status), await next(status)].map(
    (message) => message && [message.type, "uid" in message && message.uid],
  );
  expect(new Map(said as [string, string][])).toEqual(
    new Map([
      ["refusal", uidOf(1)],
      ["acknowledgement", uidOf(2)],
    ]),
  );
});

function open(write: (write: HubWrite) => Promise<HubWriteResult>): { readonly status: StatusTarget } {
  const objects = { writeStatus: write } as unknown as HubObjects;
  const fence = { cluster: "east", term: 1n };
  const applications = new HubApplications({ objects, fence, isOwn: () => true, signal });
  for (let index = 0; index < 1_000; index++) applications.newest.take(applicationOf(index));
  const clock = createMovableClock();
  const ignore = (): void => undefined;
  const status = createStatusTarget({
    applications,
    records: new OperationRecords(createMemoryOperations()),
    pending: () => new Set(),
    onWritten: ignore,
    onCaughtUp: () => undefined,
    onWork: ignore,
    onFenced: ignore,
    clock,
    signal,
  });
  status.target.connect();
  return { status };
}

function tell({ target }: StatusTarget, index: number, part?: unknown): void {
  const said: StatusPart = { status: { sync: { status: "Synced" } }, refresh: {} };
  const content = toContent({ namespace: "argocd", name: `a${index}` }, part ?? said);
  target.receive({ type: "entry", uid: uidOf(index), generation: 1, ...content });
}

function applicationOf(index: number): Application {
  const metadata = { name: `a${index}`, namespace: "east", uid: uidOf(index), resourceVersion: "1" };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata, spec: {} };
}

async function next({ target }: StatusTarget) {
  let message: ReturnType<StatusTarget["target"]["take"]>;
  await expect.poll(() => (message = target.take())).toBeDefined();
  return message;
}

async function finishOne(waiting: (() => void)[]): Promise<void> {
  while (waiting.length === 0) await Promise.resolve();
  waiting.shift()?.();
  await Promise.resolve();
}
