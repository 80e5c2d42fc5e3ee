import { expect, test } from "vitest";
import { Masked } from "../redact/index.ts";
import type { CommandHub } from "./command-hub.ts";
import { createOtherCommands } from "./other-commands.ts";
import type { RecordLife, RecordStore } from "./records/index.ts";

const { nothing } = Masked;
const outcome = { state: "failed", code: "X", message: nothing, hint: nothing, result: nothing, logBytes: 0 } as const;
const lives: Readonly<Record<string, RecordLife | undefined>> = {
  none: undefined,
  open: { is: "open", state: {} },
  ended: { is: "ended", outcome, sequence: 1 },
  settled: { is: "settled", outcomeDigest: "d" },
};

test.each([
  { life: "ended", place: undefined, over: false, hasEnded: true },
  { life: "settled", place: undefined, over: false, hasEnded: true },
  { life: "open", place: "namespace agents", over: false, hasEnded: false },
  { life: "open", place: undefined, over: true, hasEnded: true },
  { life: "none", place: "namespace agents", over: true, hasEnded: true },
  { life: "none", place: "namespace agents", over: false, hasEnded: false },
  { life: "none", place: "namespace agents", over: undefined, hasEnded: false },
  { life: "none", place: "namespace others", over: true, hasEnded: false },
  { life: "none", place: undefined, over: true, hasEnded: false },
])("a command has ended by its record, or by the hub's word where its record is ours: %j", async (given) => {
  const life = lives[given.life];
  const record = life && { id: "cmd_1", epoch: 1, kind: "tofu", expiresAtMs: 0, life };
  const records = { place: "Secrets", namespace: "agents", find: async () => record && { record, version: "1" } };
  const renewLeases = async () => ({ leases: [{ id: "cmd_1", held: false, over: given.over === true }] });
  const client = given.over === undefined ? undefined : { renewLeases };
  const others = createOtherCommands({
    records: records as unknown as RecordStore,
    hub: { client } as unknown as CommandHub,
    instanceId: "agent_1",
  });
  expect(others.place).toBe("namespace agents");
  const { signal } = new AbortController();
  expect(await others.hasEnded({ id: "cmd_1", epoch: 1, place: given.place }, signal)).toBe(given.hasEnded);
});
