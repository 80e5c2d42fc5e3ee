import { joinAndLeave } from "./deeds/clusters.ts";
import { liveAsRobot } from "./deeds/robots.ts";
import { signInAndOut } from "./deeds/sessions.ts";
import type { Harness } from "./harness.ts";

const deeds = [liveAsRobot, joinAndLeave, signInAndOut] as const;

/** Does deeds of all kinds at once. Between two rounds the hub is killed in the midst of some, or stopped in order. */
export async function workInRounds(
  harness: Harness,
  { rounds, deedsEach }: { readonly rounds: number; readonly deedsEach: number },
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const numbers = Array.from({ length: deedsEach }, (_, index) => round * deedsEach + index);
    const isLast = round === rounds - 1;
    if (isLast || round % 2 === 1) await Promise.all(deeds.map((deed) => doInTurn(harness, deed, numbers)));
    else await workUntilKilled(harness, numbers);
    if (isLast) return;
    if (!harness.hub.process.hasExited) await harness.hub.stop();
    await harness.hub.start();
  }
}

async function workUntilKilled(harness: Harness, numbers: readonly number[]): Promise<void> {
  const half = numbers.slice(0, Math.ceil(numbers.length / 2));
  await Promise.all(deeds.map((deed) => doInTurn(harness, deed, half)));
  const rest = deeds.map((deed) => doInTurn(harness, deed, numbers.slice(half.length)));
  // Work that is under way when the hub dies may or may not be done; nobody was told.
  const outcomes = Promise.allSettled(rest);
  await Promise.race(rest);
  await harness.hub.stop("KILL");
  for (const outcome of await outcomes)
    if (outcome.status === "rejected" && !isCutOff(outcome.reason)) throw outcome.reason;
}

async function doInTurn(harness: Harness, deed: (typeof deeds)[number], numbers: readonly number[]): Promise<void> {
  for (const number of numbers) await deed(harness, number);
}

function isCutOff(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && ["ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(code);
}
