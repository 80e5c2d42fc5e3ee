import type { ChangeQuery, HubClient, ObjectChange, ObjectChangeList } from "@fairlead/contract";
import { printable } from "@fairlead/kernel";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { formatSpan, parseTime } from "../../output/index.ts";
import { limitOf } from "../limit.ts";
import { addChoiceOptions, type ChoiceOptions, toChoice } from "./choice.ts";
import { describeAge, tellTroubles } from "./data-age.ts";
import { paintHealth, typeName } from "./table-row.ts";

interface ChangesOptions extends ChoiceOptions {
  readonly kind?: string;
  readonly selector?: string;
  readonly search?: string;
  readonly since: string;
  readonly until?: string;
  readonly status?: boolean;
  readonly limit?: number;
}

export function addChanges(program: Command, open: OpenContext): void {
  const changes = program
    .command("change")
    .description("See what changed in clusters")
    .command("list")
    .formerly("changes")
    .description("List changes of objects across clusters, newest last")
    .examples("fairlead change list --since 2h --kind deploy,cm");
  addChoiceOptions(changes)
    .option("--kind <kinds>", "Only objects of these kinds, for example deploy,cm")
    .option("-l, --selector <selector>", "Only objects whose labels match, for example app=web,tier!=cache")
    .option("--search <text>", "Only objects with this text in their name, namespace, labels or images")
    .option("--since <time>", "Start of the period: an age (2h, 7d) or a date (2026-05-06, 2026-05-06T12:00:00Z)", "1h")
    .option("--until <time>", "End of the period, written as for --since")
    .option("--status", "Include changes of the status alone")
    .option("--limit <number>", "Maximum number of entries, counted from the newest (default: all)", limitOf("objects"))
    .action((options: ChangesOptions, command: Command) => listChanges(open(command), options));
}

async function listChanges(context: CommandContext, options: ChangesOptions): Promise<void> {
  const { output, signal, terminal } = context;
  const { kind, selector: labelSelector, search, since, until, status, limit } = options;
  const now = terminal.now();
  const query: ChangeQuery = {
    ...toChoice(options),
    kind,
    labelSelector,
    search,
    status,
    since: parseTime(since, now),
    until: until === undefined ? undefined : parseTime(until, now),
  };
  const list = await listAll(await context.hub(), query, { limit, signal });
  const ages = new Map(list.clusters.map((age) => [age.cluster, age]));
  const rowOf = ({ at, change, specChangedAt, object, healthMessage }: ObjectChange): string[] => [
    // A status that changed afterwards is not what was asked for.
    formatSpan(now - Date.parse(change === "status" && !status ? specChangedAt : at)),
    paintChange(context, change === "status" && !status ? "updated" : change),
    output.safe(object.cluster),
    output.safe(object.namespace),
    printable(`${typeName(object)}/${object.name}`),
    paintHealth(output, object),
    describeAge(output, ages.get(object.cluster), object.kind),
    healthMessage === undefined ? "" : output.safe(healthMessage),
  ];
  const heading = ["AGO", "CHANGE", "CLUSTER", "NAMESPACE", "OBJECT", "HEALTH", "AGE-OF-DATA", "MESSAGE"];
  output.answer(list, () => (list.items.length === 0 ? "" : output.table(heading, list.items.map(rowOf))));
  if (list.items.length === 0) output.remark("Nothing has changed.");
  tellTroubles(output, list.clusters);
}

/** Turned round for reading: the newest last. */
async function listAll(
  client: HubClient,
  query: ChangeQuery,
  { limit = Number.POSITIVE_INFINITY, signal }: { readonly limit: number | undefined; readonly signal: AbortSignal },
): Promise<ObjectChangeList> {
  const items: ObjectChange[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.listChanges({ ...query, cursor, limit: Math.min(500, limit - items.length) }, { signal });
    items.push(...page.items);
    cursor = page.next;
    if (cursor === undefined || items.length >= limit) return { clusters: page.clusters, items: items.reverse() };
  }
}

function paintChange({ output: { colors } }: CommandContext, change: ObjectChange["change"]): string {
  switch (change) {
    case "created":
      return colors.green(change);
    case "deleted":
      return colors.red(change);
    case "updated":
    case "status":
      return change;
    default:
      return change satisfies never;
  }
}
