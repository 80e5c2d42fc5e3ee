// Sends to an API server that may go away in the middle of it.
import { setTimeout as delay } from "node:timers/promises";
import type { ClusterAccess } from "@fairlead/testkit";

type Call = Parameters<ClusterAccess["api"]["send"]>[0];

export interface SureAnswer {
  readonly status: number;
  readonly text: string;
  /** It was sent before, and nobody knows what became of that. */
  readonly isRepeated: boolean;
}

/** Again until an answer comes. The answer to a call that was repeated may be about what the call itself did before. */
export async function sendSurely(api: Pick<ClusterAccess["api"], "send">, call: Call): Promise<SureAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await api.send(call).catch(() => undefined);
    if (answer !== undefined && isFinal(answer))
      return { status: answer.status, text: answer.text, isRepeated: attempt > 1 };
    await delay(retryMs);
  }
}

/** A server that begins has no kind of a CRD yet: it answers with a page, and not with a Status. */
function isFinal({ status, text }: Pick<SureAnswer, "status" | "text">): boolean {
  return status < 500 && !passing.has(status) && (status !== 404 || text.includes('"Status"'));
}

/** It knows no token and no role yet, either. */
const passing: ReadonlySet<number> = new Set([401, 403, 429]);
const retryMs = 200;
