// Stacks and their runs as people read them.
import type {
  Stack,
  StackDetail,
  StackList,
  StackListQuery,
  StackRun,
  StackRunDetail,
  StackRunList,
  StackRunListQuery,
  StackStepState,
} from "@fairlead/contract";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { listResources, namesByKey } from "./resources.ts";
import { type RunRow, type StepRow, stepColumns, toResource, toRun, toStep } from "./rows.ts";

/** By name, of those that `isSeen` lets through. */
export async function listStacks(
  db: Kysely<Tables>,
  { limit = 100, cursor = "" }: StackListQuery,
  isSeen: (name: string) => boolean,
): Promise<StackList> {
  const known = await db.selectFrom("stack").select("name").where("name", ">", cursor).orderBy("name").execute();
  const seen = known.map(({ name }) => name).filter(isSeen);
  const names = seen.slice(0, limit);
  if (names.length === 0) return { items: [] };
  const rows = await db
    .selectFrom("stack")
    .selectAll()
    .select(sql<number>`(select count(*) from stack_resource where stack_resource.stack = stack.name)`.as("resources"))
    .where("name", "in", names)
    .orderBy("name")
    .execute();
  const runs = await readNewestRuns(db, names);
  return {
    items: rows.map(({ resources, ...row }): Stack => ({ ...toStack(row, runs.get(row.name)), resources })),
    ...(seen.length > names.length ? { next: names.at(-1) ?? "" } : {}),
  };
}

export async function readStack(db: Kysely<Tables>, name: string): Promise<StackDetail | undefined> {
  const row = await db.selectFrom("stack").selectAll().where("name", "=", name).executeTakeFirst();
  if (!row) return undefined;
  const resources = await listResources(db, name);
  const names = namesByKey(resources);
  const run = (await readNewestRuns(db, [name])).get(name);
  return { ...toStack(row, run), resources: resources.map((resource) => toResource(resource, names)) };
}

export async function listStackRuns(
  db: Kysely<Tables>,
  stack: string,
  { limit = 20, cursor }: StackRunListQuery,
): Promise<StackRunList> {
  const rows = await db
    .selectFrom("stack_run")
    .selectAll()
    .where("stack", "=", stack)
    .where("number", "<", cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor))
    .orderBy("number", "desc")
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit);
  const items = [...(await withCounts(db, page)).values()];
  return { items, ...(rows.length > limit ? { next: String(page.at(-1)?.number) } : {}) };
}

export async function readStackRun(db: Kysely<Tables>, stack: string, id: string): Promise<StackRunDetail | undefined> {
  const row = await db
    .selectFrom("stack_run")
    .selectAll()
    .where("id", "=", id)
    .where("stack", "=", stack)
    .executeTakeFirst();
  if (!row) return undefined;
  return toRunDetail(row, await readSteps(db, id));
}

export async function readSteps(db: Kysely<Tables>, run: string): Promise<readonly StepRow[]> {
  return await db.selectFrom("stack_step").select(stepColumns).where("run", "=", run).orderBy("place").execute();
}

export function toRunDetail(row: RunRow, steps: readonly StepRow[]): StackRunDetail {
  return { ...toRun(row, steps), steps: steps.map(toStep) };
}

/** By the name of the stack. */
async function readNewestRuns(db: Kysely<Tables>, stacks: readonly string[]): Promise<ReadonlyMap<string, StackRun>> {
  const rows = await db
    .selectFrom("stack_run")
    .selectAll()
    .distinctOn("stack")
    .where("stack", "in", stacks)
    .orderBy("stack")
    .orderBy("number", "desc")
    .execute();
  const counted = await withCounts(db, rows);
  return new Map(rows.flatMap(({ id, stack }) => (counted.has(id) ? [[stack, counted.get(id) as StackRun]] : [])));
}

async function withCounts(db: Kysely<Tables>, rows: readonly RunRow[]): Promise<ReadonlyMap<string, StackRun>> {
  if (rows.length === 0) return new Map();
  const ids = rows.map(({ id }) => id);
  const states = await db.selectFrom("stack_step").select(["run", "state"]).where("run", "in", ids).execute();
  const byRun = Map.groupBy<string, { run: string; state: StackStepState }>(states, ({ run }) => run);
  return new Map(rows.map((row) => [row.id, toRun(row, byRun.get(row.id) ?? [])]));
}

function toStack(
  row: { readonly name: string; readonly owner: string; readonly created_at: Date },
  run: StackRun | undefined,
): Omit<Stack, "resources"> {
  const { name, owner, created_at: createdAt } = row;
  return { name, owner, createdAt: createdAt.toISOString(), ...(run ? { run } : {}) };
}
