// Each client asks for commands of one target, one after another, and cancels some of them. The hub's answers are kept:
// one that was lost on the way is asked for again under the same key.
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "@fairlead/contract";
import { requestHub } from "../fleet/request-hub.ts";
import type { Deed, DeedKind } from "./deeds/index.ts";
import type { Ground, Harness } from "./harness.ts";

export interface Asked {
  readonly id: string;
  readonly turn: number;
  readonly deed: Deed;
  isCancelled: boolean;
}

export interface Line {
  readonly ground: Ground;
  readonly kind: DeedKind;
  readonly target: string;
  /** In the order of the hub's answers. */
  readonly asked: Asked[];
}

export async function keepAsking(harness: Harness, line: Line, pauseMs: readonly [number, number]): Promise<void> {
  const { ground, kind, target, asked } = line;
  for (let turn = 0; !harness.over.aborted; turn++) {
    await untilEnded(harness, asked.at(-mostUnderWay)?.id);
    const deed = kind.make(ground, target, turn);
    const id = await submit(harness, { ...line, deed, key: `${ground.joined.name}/${kind.kind}/${target}/${turn}` });
    const one: Asked = { id, turn, deed, isCancelled: false };
    asked.push(one);
    harness.count(`${kind.kind} commands`);
    if (harness.chance.between(0, 9) === 0) {
      await delay(harness.chance.between(0, 1_500));
      one.isCancelled = await cancel(harness, id);
    }
    await delay(harness.chance.between(...pauseMs), undefined, { signal: harness.over }).catch(() => undefined);
  }
}

/** A slow machine is asked for less. What waits when the storm is over is bounded then. */
async function untilEnded({ hub, over }: Harness, id: string | undefined): Promise<void> {
  while (id !== undefined && !over.aborted) {
    const answer = await requestHub(hub, `/api/v1/commands/${id}`).catch(() => undefined);
    if (answer?.status === 200 && (answer.json() as Command).finishedAt !== undefined) return;
    await delay(500, undefined, { signal: over }).catch(() => undefined);
  }
}

async function submit(
  harness: Harness,
  { ground, kind, deed, key }: Line & { deed: Deed; key: string },
): Promise<string> {
  const { spec } = deed;
  const wanted = { cluster: ground.joined.name, kind: kind.kind, spec, idempotencyKey: key };
  const body = JSON.stringify(wanted);
  for (;;) {
    const answer = await requestHub(harness.hub, "/api/v1/commands", { method: "POST", body }).catch(() => undefined);
    if (answer !== undefined && answer.status < 300) return (answer.json() as Command).id;
    if (answer !== undefined && answer.status < 500 && answer.status !== 429)
      throw new Error(`a command was answered ${answer.status}: ${answer.text}`);
    harness.count("requests asked again");
    await delay(500);
  }
}

/** True when it may have come to the hub. */
async function cancel(harness: Harness, id: string): Promise<boolean> {
  const path = `/api/v1/commands/${id}/cancel`;
  const answer = await requestHub(harness.hub, path, { method: "POST" }).catch(() => undefined);
  if (answer?.status === 409) return false;
  harness.count("cancels");
  return true;
}

/** Of a client's commands. */
const mostUnderWay = 3;
