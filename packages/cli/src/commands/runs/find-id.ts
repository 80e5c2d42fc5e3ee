// Which run or rollout a person means: by its ID, by the beginning of its ID, or by being the last.
import type { HubClient } from "@fairlead/contract";
import { isFairleadError } from "@fairlead/kernel";
import type { Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { cliErrors, usage } from "../../errors.ts";
import { readPages } from "../read-pages.ts";

export interface LastOptions {
  readonly last?: boolean;
}

export function addRunArgument(command: Command): Command {
  return addArgument(command, runs);
}

export function addRolloutArgument(command: Command): Command {
  return addArgument(command, rollouts);
}

/** Throws CLI_USAGE, CLI_ID_UNKNOWN, CLI_ID_AMBIGUOUS and CLI_LAST_MISSING. */
export function findRunId(context: CommandContext, typed: string | undefined, options?: LastOptions): Promise<string> {
  return findId(context, runs, { typed, last: options?.last });
}

/** Throws the same. */
export function findRolloutId(
  context: CommandContext,
  typed: string | undefined,
  options?: LastOptions,
): Promise<string> {
  return findId(context, rollouts, { typed, last: options?.last });
}

interface Kept {
  readonly noun: "run" | "rollout";
  readonly prefix: string;
  readonly example: string;
  readonly get: (hub: HubClient, id: string, signal: AbortSignal) => Promise<Found>;
  readonly page: (hub: HubClient, query: PageQuery, signal: AbortSignal) => Promise<FoundPage>;
}

interface Found {
  readonly id: string;
  readonly target: string;
  readonly state: string;
  readonly requester: string;
}

interface PageQuery {
  readonly cursor: string | undefined;
  readonly limit: number;
}

interface FoundPage {
  readonly items: readonly Found[];
  readonly next?: string | undefined;
}

const runs: Kept = {
  noun: "run",
  prefix: "cmd_",
  example: "cmd_3h7k…",
  get: (hub, id, signal) => hub.getCommand(id, { signal }),
  page: (hub, query, signal) => hub.listCommands(query, { signal }),
};

const rollouts: Kept = {
  noun: "rollout",
  prefix: "rol_",
  example: "rol_7c2d…",
  get: (hub, id, signal) => hub.getRollout(id, { signal }),
  page: (hub, query, signal) => hub.listRollouts(query, { signal }),
};

function addArgument(command: Command, { noun, example }: Kept): Command {
  return command
    .argument(`[${noun}]`, `ID of the ${noun} or its beginning, for example ${example}`)
    .option("--last", `The ${noun} that you requested last`);
}

async function findId(
  context: CommandContext,
  kept: Kept,
  { typed, last = false }: { readonly typed: string | undefined; readonly last: boolean | undefined },
): Promise<string> {
  const { noun, prefix, example } = kept;
  if (last && typed !== undefined) throw usage(`Use either the ID of a ${noun} or --last, not both.`);
  if (last) return findLast(context, kept);
  if (typed === undefined)
    throw usage(`The ${noun} isn't specified.`, `Use its ID, for example ${example}, or --last.`);
  const id = typed.startsWith(prefix) ? typed : `${prefix}${typed}`;
  // Whole, or too short for a beginning: the hub says by itself that there is no such thing.
  const length = id.length - prefix.length;
  if (length >= wholeLength || length < shortest) return id;
  return (await isThere(context, kept, id)) ? id : findByBeginning(context, kept, id);
}

async function isThere({ hub, signal }: CommandContext, kept: Kept, id: string): Promise<boolean> {
  try {
    await kept.get(await hub(), id, signal);
    return true;
  } catch (thrown) {
    if (isFairleadError(thrown) && [400, 404].includes(thrown.httpStatus)) return false;
    throw thrown;
  }
}

async function findByBeginning(context: CommandContext, kept: Kept, beginning: string): Promise<string> {
  const { noun } = kept;
  const found = (await readNewest(context, kept, mostLookedAt)).filter(({ id }) => id.startsWith(beginning));
  const [first, ...more] = found;
  if (!first) throw cliErrors.CLI_ID_UNKNOWN({ noun, beginning, most: String(mostLookedAt) });
  if (more.length === 0) return first.id;
  const named = found.slice(0, mostNamed).map(({ id, target, state }) => `${id} (${target}, ${state})`);
  const rest = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : "";
  throw cliErrors.CLI_ID_AMBIGUOUS({ noun, beginning, ids: `${named.join(", ")}${rest}` });
}

async function findLast(context: CommandContext, kept: Kept): Promise<string> {
  const { name } = await (await context.hub()).whoami({ signal: context.signal });
  // The hub's pages come newest first.
  const mine = (await readNewest(context, kept, mostLookedAt, name)).find(({ requester }) => requester === name);
  if (!mine) throw cliErrors.CLI_LAST_MISSING({ noun: kept.noun });
  return mine.id;
}

/** Pages until one has something of the requester, where one is given. */
async function readNewest(
  context: CommandContext,
  kept: Kept,
  limit: number,
  requester?: string,
): Promise<readonly Found[]> {
  const hub = await context.hub();
  const { signal } = context;
  let isSeen = false;
  return readPages(
    async (query) => {
      const { items, next } = await kept.page(hub, query, signal);
      isSeen ||= requester !== undefined && items.some((item) => item.requester === requester);
      return { items, next: isSeen ? undefined : next };
    },
    { limit, mostOnPage },
  );
}

const shortest = 4;
const wholeLength = 26;
const mostLookedAt = 5_000;
const mostOnPage = 200;
const mostNamed = 5;
