import type { ConcurrencyPolicy, Schedule, ScheduleDetail, ScheduleTick } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";

const overlaps: Readonly<Record<ConcurrencyPolicy, string>> = {
  Allow: "one more is begun (Allow)",
  Forbid: "nothing is begun (Forbid)",
  Replace: "it is cancelled, and another one begun (Replace)",
};

type Here = Pick<CommandContext, "output">;

export const scheduleHeading: readonly string[] = ["NAME", "CRON", "ZONE", "KIND", "NEXT", "LAST", "AS"];

export function toScheduleRow({ output }: Here, schedule: Schedule): string[] {
  const { name, cron, timeZone, kind, nextTickAt = "-", paused, lastTick, owner } = schedule;
  return [
    output.safe(name),
    output.safe(cron),
    output.safe(timeZone),
    output.safe(kind),
    paused ? "paused" : nextTickAt,
    lastTick ? formatTick({ output }, lastTick) : "-",
    output.safe(owner),
  ];
}

export function describeSchedule({ output }: Here, schedule: ScheduleDetail): string {
  const { name, cron, timeZone, kind, missed, startingDeadlineSeconds, nextTickAt, paused, owner, ticks } = schedule;
  const { concurrencyPolicy } = schedule;
  const facts: [string, string | undefined][] = [
    ["Schedule", output.safe(name)],
    ["Ticks", `${output.safe(cron)} (${output.safe(timeZone)})`],
    ["Kind", output.safe(kind)],
    ["Next", paused ? "paused" : (nextTickAt ?? "never")],
    ["Missed ones", missed === "one" ? "the last is made up for" : "are left out"],
    ["So late at most", startingDeadlineSeconds === undefined ? undefined : `${startingDeadlineSeconds}s`],
    ["When one is under way", overlaps[concurrencyPolicy]],
    ["Asks as", output.safe(owner)],
  ];
  const known = facts.flatMap(([title, value]) => (value === undefined ? [] : [[`${title}:`, value]]));
  const rows = ticks.map((tick) => [
    tick.at,
    tick.state,
    output.safe(tick.rollout),
    tick.trouble ? `${output.safe(tick.trouble.message)} (${output.safe(tick.trouble.code)})` : "-",
  ]);
  return `${output.table(undefined, known)}\n${output.table(["TICK", "STATE", "ROLLOUT", "WHY"], rows)}`;
}

function formatTick({ output }: Here, { state, trouble }: ScheduleTick): string {
  return trouble ? `${state} (${output.safe(trouble.code)})` : state;
}
