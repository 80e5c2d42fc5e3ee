// Checks after the storm that the hub has the whole log of each run, or that the log says what is missing.
import { setTimeout as delay } from "node:timers/promises";
import type { CommandDetail } from "@fairlead/contract";
import { type HubAnswer, requestHub } from "../fleet/request-hub.ts";
import type { Asked, Line } from "./clients.ts";
import type { Harness } from "./harness.ts";
import { judgeLog, saysWhatIsMissing } from "./judge-log.ts";

/** For all logs together. Every command has ended. */
export async function checkLogs(options: {
  readonly harness: Harness;
  readonly lines: readonly Line[];
  readonly patienceMs: number;
}): Promise<void> {
  const { harness, lines, patienceMs } = options;
  const left = lines.flatMap(({ asked }) => asked);
  const ending = new AbortController();
  const deadline = delay(patienceMs, undefined, { signal: ending.signal }).catch(() => undefined);
  let isLate = false;
  void deadline.then(() => (isLate = true));
  const readers = Array.from({ length: readersAtOnce }, async () => {
    while (!isLate) {
      const asked = left.shift();
      if (asked === undefined) return;
      const isRead = await Promise.race([checkLog(harness, asked), deadline.then(() => false)]);
      if (!isRead) harness.breaks(`the log of ${asked.id} has no end`);
    }
  });
  await Promise.all(readers);
  ending.abort();
  if (left.length > 0) harness.breaks(`${left.length} logs weren't read in ${patienceMs / 1000} s`);
}

/** False when it can't be read. */
async function checkLog(harness: Harness, { id, deed }: Asked): Promise<boolean> {
  const log = await ask(harness, `/api/v1/commands/${id}/log?follow=true`);
  const detail = await ask(harness, `/api/v1/commands/${id}`);
  if (log?.status !== 200 || detail?.status !== 200) return false;
  const { text } = log;
  const { state, logBytes, history } = detail.json() as CommandDetail;
  const claims = history.filter(({ to }) => to === "claimed").length;
  const fault = judgeLog({ text, logBytes, state, claims, deed });
  if (fault !== undefined) {
    const steps = history.map(({ at, to }) => `${at} ${to}`).join(", ");
    const others = text.split("\n").filter((line) => !/numbered (?!1 of)/.test(line));
    harness.breaks(
      `the log of ${id} (${state}, ${claims} claims) ${fault}; ${steps}; without numbers:\n${others.join("\n")}`,
    );
    return true;
  }
  if (saysWhatIsMissing(text)) harness.count("logs that say what is missing");
  else harness.count("whole logs");
  return true;
}

/** A hub that has too much to do says so, and is asked again. */
async function ask({ hub }: Harness, path: string): Promise<HubAnswer | undefined> {
  for (let tries = 0; tries < mostTries; tries++) {
    const answer = await requestHub(hub, path).catch(() => undefined);
    if (answer !== undefined && answer.status !== 429 && answer.status < 500) return answer;
    await delay(500);
  }
  return undefined;
}

/** A person may follow a few logs at a time. */
const readersAtOnce = 6;
const mostTries = 20;
