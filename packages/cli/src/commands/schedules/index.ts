// The commands about schedules.
import type { HubClient, Schedule } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { findOrNone, showDifference } from "../../difference/index.ts";
import { confirm } from "../confirm.ts";
import { compareSchedule } from "./compare-schedule.ts";
import { readSchedule } from "./read-schedule.ts";
import { describeSchedule, scheduleHeading, toScheduleRow } from "./schedule-text.ts";

export function addScheduleCommands(program: Command, open: OpenContext): void {
  const schedule = program.command("schedule").description("Manage schedules: rollouts that start by the clock");
  const add = (name: string, description: string): Command =>
    schedule.command(name).description(description).argument("<name>", "Name of the schedule");
  schedule
    .command("list")
    .prints("schedule")
    .formerly("schedules")
    .description("List schedules")
    .examples("fairlead schedule list")
    .action((_options: object, command: Command) => list(open(command)));
  schedule
    .command("apply")
    .description("Create or replace a schedule")
    .examples("fairlead schedule apply -f nightly.yaml", "fairlead schedule apply -f nightly.yaml --dry-run")
    .requiredOption("-f, --file <file>", "File with the schedule in YAML or JSON; - for standard input")
    .option("--dry-run", "Print what would change without changing it, and exit with 1 if anything would")
    .action((options: ApplyOptions, command: Command) => apply(open(command), options));
  add("get", "Show a schedule with its latest ticks")
    .prints("schedule")
    .examples("fairlead schedule get nightly")
    .formerly("schedule show")
    .action((name: string, _options: object, command: Command) => show(open(command), name));
  add("pause", "Pause a schedule")
    .examples("fairlead schedule pause nightly")
    .action((name: string, _options: object, command: Command) => change(open(command), name, "pauseSchedule"));
  add("resume", "Resume a schedule at its next tick")
    .examples("fairlead schedule resume nightly")
    .action((name: string, _options: object, command: Command) => change(open(command), name, "resumeSchedule"));
  add("delete", "Delete a schedule; runs in progress continue")
    .examples("fairlead schedule delete nightly")
    .formerly("schedule remove")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((name: string, { yes }: { readonly yes?: boolean }, command: Command) => remove(open(command), name, yes));
}

interface ApplyOptions {
  readonly file: string;
  readonly dryRun?: boolean;
}

async function apply(context: CommandContext, { file, dryRun }: ApplyOptions): Promise<void> {
  const { terminal, signal } = context;
  const { name, request } = await readSchedule(terminal, file);
  const hub = await context.hub();
  if (dryRun) {
    const schedule = await findOrNone(() => hub.getSchedule(name, { signal }));
    return showDifference(context, { what: `schedule/${name}`, ...compareSchedule(schedule, request) });
  }
  say(context, await hub.putSchedule(name, request, { signal }));
}

async function change(
  context: CommandContext,
  name: string,
  how: keyof Pick<HubClient, "pauseSchedule" | "resumeSchedule">,
): Promise<void> {
  const hub = await context.hub();
  say(context, await hub[how](name, { signal: context.signal }));
}

function say({ output }: CommandContext, schedule: Schedule): void {
  const { name, nextTickAt, paused } = schedule;
  const next = paused ? "is paused" : nextTickAt === undefined ? "has no more ticks" : `ticks next at ${nextTickAt}`;
  output.answer(schedule, () => `${output.safe(name)} ${next}.\n`);
}

async function show(context: CommandContext, name: string): Promise<void> {
  const schedule = await (await context.hub()).getSchedule(name, { signal: context.signal });
  context.output.answer(schedule, () => describeSchedule(context, schedule));
}

async function remove(context: CommandContext, name: string, isYes: boolean | undefined): Promise<void> {
  const { output, terminal, signal } = context;
  const hub = await context.hub();
  await confirm(terminal, { isYes, action: `remove schedule '${name}'`, question: `Remove schedule '${name}'?` });
  await hub.removeSchedule(name, { signal });
  output.answer({ name, removed: true }, () => `Schedule '${name}' is removed.\n`);
}

async function list(context: CommandContext): Promise<void> {
  const { output, signal } = context;
  const { items } = await (await context.hub()).listSchedules({ signal });
  output.answer({ items }, () =>
    items.length === 0
      ? ""
      : output.table(
          scheduleHeading,
          items.map((one) => toScheduleRow(context, one)),
        ),
  );
  if (items.length === 0) output.remark("No schedules.");
}
