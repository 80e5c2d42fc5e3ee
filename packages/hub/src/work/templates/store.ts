// Templates in the database. Each change gives a template another revision.
import { type PutTemplateRequest, templateLimits } from "@fairlead/contract";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { noParameters } from "./check-template.ts";
import { templateErrors } from "./errors.ts";
import { summaryColumns, type TemplateRow, type TemplateSummaryRow } from "./rows.ts";

export interface TemplateStore {
  find(name: string): Promise<TemplateRow | undefined>;
  list(): Promise<readonly TemplateSummaryRow[]>;
  /** The same again changes nothing. Throws TEMPLATE_CHANGED, TEMPLATE_TOO_MANY. */
  put(
    name: string,
    request: PutTemplateRequest,
    by: { readonly changedBy: string; readonly isVouched: boolean },
  ): Promise<TemplateRow>;
  /** False: there was none. */
  remove(name: string): Promise<boolean>;
}

export function createTemplateStore(db: Kysely<Tables>, limit: number = templateLimits.templates): TemplateStore {
  return {
    find: (name) => find(db, name),
    list: async () => await db.selectFrom("template").select(summaryColumns).orderBy("name").execute(),

    put: (name, request, { changedBy, isVouched }) =>
      db.transaction().execute(async (trx) => {
        // In turn, or two at once would take the same revision for the last one.
        await sql`select pg_advisory_xact_lock(hashtext('fairlead templates'))`.execute(trx);
        const before = await find(trx, name);
        const { revision: wanted } = request;
        const revision = before?.revision ?? 0;
        if (wanted !== undefined && wanted !== revision)
          throw templateErrors.TEMPLATE_CHANGED({ name, wanted, revision });
        if (!before) await requireRoom(trx, limit);
        const content = { ...toContent(request), is_vouched: isVouched };
        if (before && isSame(before, content)) return before;
        const values = { ...content, changed_by: changedBy };
        return await trx
          .insertInto("template")
          .values({ name, ...values })
          .onConflict((conflict) =>
            conflict.column("name").doUpdateSet({
              ...values,
              revision: sql<number>`nextval('template_revision')`,
              changed_at: sql<Date>`clock_timestamp()`,
            }),
          )
          .returningAll()
          .executeTakeFirstOrThrow();
      }),

    async remove(name) {
      const { numDeletedRows } = await db.deleteFrom("template").where("name", "=", name).executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

async function find(db: Kysely<Tables>, name: string): Promise<TemplateRow | undefined> {
  return await db.selectFrom("template").selectAll().where("name", "=", name).executeTakeFirst();
}

async function requireRoom(trx: Transaction<Tables>, limit: number): Promise<void> {
  const { count } = await trx
    .selectFrom("template")
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .executeTakeFirstOrThrow();
  if (Number(count) >= limit) throw templateErrors.TEMPLATE_TOO_MANY({ limit });
}

type Content = ReturnType<typeof toContent> & Pick<TemplateRow, "is_vouched">;

function toContent({ description, kind, clusters, parameters = noParameters, spec, ...fixed }: PutTemplateRequest) {
  const { approvals, deadlineSeconds, serviceAccount } = fixed;
  return {
    kind,
    description: description ?? null,
    clusters: JSON.stringify(clusters),
    parameters: JSON.stringify(parameters),
    spec: JSON.stringify(spec),
    approvals: approvals ? JSON.stringify(approvals) : null,
    deadline_seconds: deadlineSeconds ?? null,
    service_account: serviceAccount ?? null,
  };
}

function isSame(before: TemplateRow, content: Content): boolean {
  return Object.entries(content).every(([column, value]) => before[column as keyof Content] === value);
}
