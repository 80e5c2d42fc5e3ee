import { type Clock, sleep } from "@fairlead/kernel";
import type { IdentityKeeper } from "./keeper.ts";

/** Looks for a token that gives the roles which the identity lacks, until the signal aborts. */
export async function keepRoles(options: {
  readonly keeper: IdentityKeeper;
  /** There is an identity with more roles than the one that the link was opened with. */
  readonly onWidened: () => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { keeper, onWidened, clock, signal } = options;
  while (!signal.aborted) {
    await sleep(lookEveryMs, { clock, signal }).catch(() => undefined);
    if (signal.aborted || !keeper.shortfall) continue;
    if (await keeper.widen({ signal })) onWidened();
  }
}

const lookEveryMs = 5_000;
