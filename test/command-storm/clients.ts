// Each client asks for commands of one target, one after another, and cancels some of them. The hub's answers are kept:
// one that was lost on the way is asked for again under the same key.
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "@fairlead/contract";
import { requestHub } from "../fleet/request-hub.ts";
import type { Bed, Ground } from "./bed.ts";
import type { Deed, DeedKind } from "./deeds/index.ts";

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

export async function keepAsking(bed: Bed, line: Line, pauseMs: readonly [number, number]): Promise<void> {
  const { ground, kind, target, asked } = line;
  for (let turn = 0; !bed.over.aborted; turn++) {
    const deed = kind.make(ground, target, turn);
    const id = await submit(bed, { ...line, deed, key: `${ground.joined.name}/${kind.kind}/${target}/${turn}` });
    const one: Asked = { id, turn, deed, isCancelled: false };
    asked.push(one);
    bed.count(`${kind.kind} commands`);
    if (bed.chance.between(0, 9) === 0) {
      await delay(bed.chance.between(0, 1_500));
      one.isCancelled = await cancel(bed, id);
    }
    await delay(bed.chance.between(...pauseMs), undefined, { signal: bed.over }).catch(() => undefined);
  }
}

async function submit(bed: Bed, { ground, kind, deed, key }: Line & { deed: Deed; key: string }): Promise<string> {
  const { spec } = deed;
  const wanted = { cluster: ground.joined.name, kind: kind.kind, spec, idempotencyKey: key };
  const body = JSON.stringify(wanted);
  for (;;) {
    const answer = await requestHub(bed.hub, "/api/v1/commands", { method: "POST", body }).catch(() => undefined);
    if (answer !== undefined && answer.status < 300) return (answer.json() as Command).id;
    if (answer !== undefined && answer.status < 500 && answer.status !== 429)
      throw new Error(`a command was answered ${answer.status}: ${answer.text}`);
    bed.count("requests asked again");
    await delay(500);
  }
}

/** True when it may have come to the hub. */
async function cancel(bed: Bed, id: string): Promise<boolean> {
  const path = `/api/v1/commands/${id}/cancel`;
  const answer = await requestHub(bed.hub, path, { method: "POST" }).catch(() => undefined);
  if (answer?.status === 409) return false;
  bed.count("cancels");
  return true;
}
