// Tells other hubs how the reports do that this one has: all together, every other second at most, and of each only when it
// is another than the last time.
import { type Clock, repeat } from "@fairlead/kernel";
import { writeApart } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { ClusterRecord, ReportRecord } from "./freshness.ts";
import { markNames, namesOf } from "./kinds-mark.ts";
import type { KindRefusal, ReportNews, ReportStore, Used } from "./report-store.ts";

export interface OwnReport {
  readonly cluster: string;
  readonly fence: number;
  readonly record: ClusterRecord;
  readonly state: ReportRecord;
}

export interface ReportPublisher extends AsyncDisposable {
  begin(report: OwnReport): void;
  /** Other hubs hear of it at once. */
  end(report: OwnReport, end: { readonly atMs: number; readonly reason: string }): void;
}

export function publishReports(options: {
  readonly store: Pick<ReportStore, "put">;
  readonly usedOf: (cluster: string) => Used | undefined;
  readonly onPut: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}): ReportPublisher {
  const { store, usedOf, onPut, clock, log } = options;
  const reports = new Map<OwnReport, { said: string }>();
  const ended = new Map<OwnReport, ReportNews>();
  let isFailing = false;
  let putting: Promise<void> = Promise.resolve();
  const ticking = repeat({ clock, intervalMs: everyMs, run: put, onError: () => undefined });
  return {
    begin: (report) => void reports.set(report, { said: "" }),
    end(report, end) {
      if (!reports.delete(report)) return;
      ended.set(report, describe(report, end));
      void put();
    },
    async [Symbol.asyncDispose]() {
      ticking[Symbol.dispose]();
      await put();
    },
  };

  /** Never rejects: what can't be said now is said the next time. */
  function put(): Promise<void> {
    putting = putting.then(putNews).then(
      () => {
        isFailing = false;
      },
      (error: unknown) => {
        if (!isFailing) log.warn({ err: error }, "other hubs can't be told how old the inventory is");
        isFailing = true;
      },
    );
    return putting;
  }

  async function putNews(): Promise<void> {
    const live = [...reports].flatMap(([report, last]) => {
      const news = describe(report);
      const text = JSON.stringify(news);
      return text === last.said ? [] : [{ news, text, last }];
    });
    const over = [...ended];
    if (live.length + over.length === 0) return;
    await putAll([...live.map(({ news }) => news), ...over.map(([, news]) => news)]);
    for (const { last, text } of live) last.said = text;
    for (const [report] of over) ended.delete(report);
    onPut();
  }

  /** What the database can't hold of one report must not keep those of other clusters from it. */
  async function putAll(news: readonly ReportNews[]): Promise<void> {
    await writeApart({
      rows: news,
      write: (rows) => store.put(rows),
      onRefused: ({ cluster }, error) =>
        log.warn({ err: error, cluster }, "other hubs can't be told of a cluster's report"),
    });
  }

  function describe({ cluster, fence, record, state }: OwnReport, end?: ReportNews["end"]): ReportNews {
    const names = namesOf(record);
    const refusals = names.flatMap((name) => toRefusal(name, record, state.heardMs));
    return {
      cluster,
      fence,
      heardMs: state.heardMs,
      end,
      pendingChanges: state.pendingChanges,
      oldestPendingMs: state.oldestPendingMs,
      kindsMark: `${fence}.${record.kindsChanges}.${markNames(names)}`,
      ages: names.map((name) => {
        const verifiedMs = record.kinds.get(name)?.row.verifiedMs;
        return verifiedMs === undefined ? undefined : state.heardMs - verifiedMs;
      }),
      refusals: refusals.length === 0 ? undefined : Object.fromEntries(refusals),
      used: usedOf(cluster),
    };
  }
}

function toRefusal(name: string, record: ClusterRecord, heardMs: number): [kind: string, refusal: KindRefusal][] {
  const refused = record.kinds.get(name)?.refused;
  if (!refused) return [];
  const { code, message, sinceMs } = refused;
  return [[name, { code, message, ageMs: heardMs - sinceMs }]];
}

const everyMs = 2_000;
