// The SQL of this room: reads of inventory_object, which the inventory room writes.
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

export interface FitnessStore {
  /** Clusters without an examination aren't in it. */
  revisions(clusters: readonly string[]): Promise<readonly FoundRevision[]>;
  statuses(clusters: readonly string[]): Promise<readonly FoundStatus[]>;
}

export interface FoundRevision {
  readonly cluster: string;
  readonly revision: string;
}

export interface FoundStatus extends FoundRevision {
  /** Null where the examination is larger than any agent makes it. */
  readonly status: unknown;
}

export function createFitnessStore(db: Kysely<Tables>): FitnessStore {
  return {
    async revisions(clusters) {
      const found = await sql<FoundRevision>`
        select distinct on (cluster) cluster, revision::text from inventory_object ${theOne(clusters)}`.execute(db);
      return found.rows;
    },
    async statuses(clusters) {
      const found = await sql<FoundStatus>`
        select distinct on (cluster) cluster, revision::text,
          case when pg_column_size(body || '{}'::jsonb) <= ${maxBodyBytes} then body -> 'status' end as status
        from inventory_object ${theOne(clusters)}`.execute(db);
      return found.rows;
    },
  };
}

/** An agent makes one of this name; of several the newest counts. */
function theOne(clusters: readonly string[]) {
  return sql`where kind = ${examinationKind} and namespace = '' and name = 'cluster'
    and cluster = any(${clusters}) and deleted_at is null order by cluster, inventory_object.revision desc`;
}

export const examinationKind = "examinations.fairlead.dev";
/** Compressed ones are weighed as they are unpacked, which adding an empty object does. */
const maxBodyBytes = 256 * 1024;
