import type { AccessBinding, AccessRole, BindingSubject } from "@fairlead/contract";
import type { Kysely } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";

export interface GrantStore {
  load(): Promise<{ roles: AccessRole[]; bindings: AccessBinding[] }>;
  putRole(role: AccessRole): Promise<void>;
  removeRole(name: string): Promise<void>;
  insertBinding(binding: AccessBinding): Promise<void>;
  renameSubject(kind: BindingSubject["kind"], from: string, to: string): Promise<void>;
  removeBindings(ids: readonly string[]): Promise<void>;
}

export function createGrantStore(db: Kysely<Tables>): GrantStore {
  return {
    async load() {
      const roles = await db.selectFrom("access_role").selectAll().execute();
      const bindings = await db.selectFrom("access_binding").selectAll().orderBy("created_at").orderBy("id").execute();
      return {
        roles: roles.map(({ name, rules }) => ({
          ...(rules as Omit<AccessRole, "name" | "isBuiltIn">),
          ...named(name),
        })),
        bindings: bindings.map((row) => ({
          id: row.id,
          subject: { kind: row.subject_kind as BindingSubject["kind"], name: row.subject_name },
          role: row.role,
          clusters: row.clusters as AccessBinding["clusters"],
          record: row.record,
          createdAt: row.created_at.toISOString(),
          createdBy: row.created_by,
          ...(row.ends_at === null ? {} : { endsAt: row.ends_at.toISOString() }),
          ...(row.reason === null ? {} : { reason: row.reason }),
          ...(row.request === null ? {} : { request: row.request }),
        })),
      };
    },

    async putRole({ name, isBuiltIn: _, ...rules }) {
      const text = JSON.stringify(rules);
      await db
        .insertInto("access_role")
        .values({ name, rules: text })
        .onConflict((conflict) => conflict.column("name").doUpdateSet({ rules: text }))
        .execute();
    },

    async removeRole(name) {
      await db.deleteFrom("access_role").where("name", "=", name).execute();
    },

    async insertBinding({ id, subject, role, clusters, record = false, createdAt, createdBy, ...rest }) {
      const { endsAt, reason = null, request = null } = rest;
      await db
        .insertInto("access_binding")
        .values({
          id,
          role,
          record,
          subject_kind: subject.kind,
          subject_name: subject.name,
          clusters: JSON.stringify(clusters),
          created_at: new Date(createdAt),
          created_by: createdBy,
          ends_at: endsAt === undefined ? null : new Date(endsAt),
          reason,
          request,
        })
        .execute();
    },

    async renameSubject(kind, from, to) {
      await db
        .updateTable("access_binding")
        .set({ subject_name: to })
        .where("subject_kind", "=", kind)
        .where("subject_name", "=", from)
        .execute();
    },

    async removeBindings(ids) {
      if (ids.length > 0) await db.deleteFrom("access_binding").where("id", "in", ids).execute();
    },
  };
}

function named(name: string): Pick<AccessRole, "name" | "isBuiltIn"> {
  return { name, isBuiltIn: false };
}
