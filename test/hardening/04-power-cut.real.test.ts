// Every answer of a hub is on record after it was killed and its journal's end was torn, as by a power cut.
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AuditList, AuditVerification } from "@fairlead/contract";
import { startHub } from "@fairlead/testkit";
import { describe, expect, it } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";

describe("04: a hub that is killed the moment it has answered", () => {
  it("has every change that it answered on record, torn journal or not", async () => {
    await using hub = await startHub();
    for (let index = 1; index <= 10; index += 1) {
      const body = JSON.stringify({ name: `made-${index}` });
      expect((await requestHub(hub, "/api/v1/robots", { method: "POST", body })).status).toBe(201);
    }
    await hub.stop("KILL");
    const journal = join(hub.dataDir, "audit-journal.jsonl");
    expect((await readFile(journal, "utf8")).match(/"name":"made-\d+"/g)).toHaveLength(10);
    await appendFile(journal, `{"seq":99,"at":"20${"\0".repeat(512)}`);
    await hub.start();

    const { items } = (await requestHub(hub, "/api/v1/audit?verb=create&limit=10")).json() as AuditList;
    expect(items.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, (_, index) => `made-${10 - index}`));
    expect(await readFile(hub.logFile, "utf8")).toContain("ALARM: the journal of audit records is torn");
    expect((await requestHub(hub, "/api/v1/audit/verify")).json() as AuditVerification).toMatchObject({ ok: true });
    expect(await readFile(journal, "utf8")).not.toContain("\0");
  });
});
