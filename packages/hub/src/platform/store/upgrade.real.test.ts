// This hub opens the data folder that an older one has left.
import { type Authority, createAuthority, createCsr } from "@fairlead/protocol/x509";
import { type Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAlarmStore } from "../../reach/clusters/alarm-store.ts";
import { openMemoryStore } from "./memory-store.fixture.ts";
import { migrate } from "./migrate.ts";
import type { Tables } from "./tables.ts";
import type { Store } from "./types.ts";

let store: Store;
let db: Kysely<Tables>;
let authority: Authority;

beforeAll(async () => {
  store = await openMemoryStore({ isEmpty: true });
  db = store.db;
  await migrate(db, { through: "0006-inventory-created.sql" });
  await sql`insert into cluster (name, labels, roles, created_at, kube_system_uid) values
    ('right', '{}', '{proxy}', now(), 'uid-1'), ('moved', '{}', '{proxy}', now(), 'uid-of-the-last-hello'),
    ('unseen', '{}', '{proxy}', now(), null), ('unobserved', '{}', '{proxy}', now(), 'uid-4')`.execute(db);
  await sql`insert into inventory_cluster (cluster, kube_system_uid, replacement_uid) values
    ('right', 'uid-1', null), ('moved', 'uid-of-the-copy', 'uid-of-the-last-hello')`.execute(db);
  for (let index = 0; index < 60; index += 1) {
    const [level, message] = index % 2 === 0 ? ["alarm", `from ${Math.min(index, 50)}`] : ["info", "noise"];
    await sql`insert into cluster_event (cluster, at, level, type, message)
      values ('right', ${new Date(firstAlarmMs + index)}, ${level}, 'token-misused', ${message})`.execute(db);
  }
  authority = await createAuthority({ commonName: "the only one", days: 1 });
  const { csrDer } = await createCsr();
  const request = { csrDer, trustDomain: "fairlead.test", cluster: "right", roles: ["proxy" as const], ttlMs: 60_000 };
  const { certPem } = await authority.issueAgentCertificate(request);
  await sql`insert into identity (serial, cluster, roles, epoch, key_thumbprint, certificate_pem, issued_at, not_after)
    values ('1', 'right', '{proxy}', 0, 'a', ${certPem}, now(), now()), ('2', 'right', '{proxy}', 0, 'a', 'x', now(), now())
  `.execute(db);
  await migrate(db);
}, 120_000);
afterAll(() => store[Symbol.asyncDispose]());

const firstAlarmMs = Date.UTC(2030, 0, 1);

describe("a data folder of the version before", () => {
  it("means by each name the cluster that the copy is of, and not whichever said Hello last", async () => {
    const { rows } = await sql`select name, kube_system_uid, replacement_uid from cluster order by name`.execute(db);
    expect(rows).toEqual([
      { name: "moved", kube_system_uid: "uid-of-the-copy", replacement_uid: "uid-of-the-last-hello" },
      { name: "right", kube_system_uid: "uid-1", replacement_uid: null },
      { name: "unobserved", kube_system_uid: "uid-4", replacement_uid: null },
      { name: "unseen", kube_system_uid: null, replacement_uid: null },
    ]);
  });

  it("knows which authority signed each certificate", async () => {
    const { rows } = await sql`select serial, issuer, confirmed_at from identity order by serial`.execute(db);
    expect(rows).toMatchObject([{ issuer: authority.fingerprint, confirmed_at: null }, { confirmed_at: null }]);
  });

  it("keeps the alarms that were among its events", async () => {
    const alarms = await createAlarmStore(db).list("right");
    expect(alarms).toHaveLength(21);
    expect(alarms[0]).toMatchObject({ isSum: true, message: "from 50", count: 10 });
    const firstAt = new Date(firstAlarmMs).toISOString();
    expect(alarms.at(-1)).toMatchObject({ isSum: false, message: "from 0", count: 1, firstAt });
  });

  it("is opened as it is by the next start", async () => {
    await expect(migrate(db)).resolves.toBe(store.schemaVersion);
  });
});
