import { createMovableClock } from "@fairlead/kernel/testing";
import { pino } from "pino";
import { expect, test } from "vitest";
import { storeErrors } from "../../platform/store/index.ts";
import { type OwnReport, publishReports } from "./publish-reports.ts";
import type { ReportNews } from "./report-store.ts";

test("a report that the database can't hold keeps no other one from it, and isn't tried for ever", async () => {
  const hub = open(async (news) => {
    if (news.some(({ cluster }) => cluster === "bad")) throw new RangeError("integer out of range");
  });
  for (const cluster of ["east", "bad", "west"]) hub.publisher.begin(report(cluster));
  hub.publisher.end(hub.first("bad"), { atMs: 1, reason: "gone" });
  await expect.poll(() => hub.stored).toEqual(["east", "west"]);
  hub.clock.move(2_000);
  await hub.publisher[Symbol.asyncDispose]();

  expect(hub.stored).toEqual(["east", "west"]);
  expect(hub.puts.filter((clusters) => clusters.includes("bad"))).toHaveLength(2);
});

test("while the store fails, every report waits for the next time", async () => {
  let isDown = true;
  const hub = open(async () => {
    if (isDown) throw storeErrors.STORE_FAILED();
  });
  for (const cluster of ["east", "west"]) hub.publisher.begin(report(cluster));
  hub.clock.move(2_000);
  await expect.poll(() => hub.puts).toEqual([["east", "west"]]);
  isDown = false;
  await hub.publisher[Symbol.asyncDispose]();

  expect(hub.stored).toEqual(["east", "west"]);
});

function open(put: (news: readonly ReportNews[]) => Promise<void>) {
  const clock = createMovableClock(0);
  const stored: string[] = [];
  const puts: string[][] = [];
  const store = {
    async put(news: readonly ReportNews[]) {
      puts.push(news.map(({ cluster }) => cluster));
      await put(news);
      stored.push(...news.map(({ cluster }) => cluster));
    },
  };
  const log = pino({ level: "silent" });
  const publisher = publishReports({ store, usedOf: () => undefined, onPut: () => undefined, clock, log });
  const reports: OwnReport[] = [];
  return {
    clock,
    stored,
    puts,
    first: (cluster: string) => reports.find((one) => one.cluster === cluster) as OwnReport,
    publisher: {
      ...publisher,
      begin(one: OwnReport) {
        reports.push(one);
        publisher.begin(one);
      },
    },
  };
}

function report(cluster: string): OwnReport {
  const record = {
    row: undefined,
    kinds: new Map(),
    kindsChanges: 0,
    session: undefined,
    endedMs: 0,
    endReason: undefined,
  };
  const state = { startedMs: 0, heardMs: 0, pendingChanges: 0, oldestPendingMs: undefined };
  return { cluster, fence: 1, record, state };
}
