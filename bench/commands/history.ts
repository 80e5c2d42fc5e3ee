import { askHub } from "../harness/hub-api.ts";
import { percentile } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import type { CommandStage } from "./stage.ts";

/** Lists of runs as people ask for them, while the hub keeps a hundred thousand that have ended. */
export async function measureHistory(options: { stage: CommandStage; runs: number; times: number }): Promise<Row[]> {
  const { stage, runs, times } = options;
  await fill(stage, runs);
  const rows: Row[] = [];
  for (const { name, query } of questions) {
    const tookMs: number[] = [];
    for (let time = 0; time < times; time++) {
      const begunMs = performance.now();
      await askHub(stage.hub, `/api/v1/commands?${query}`);
      tookMs.push(performance.now() - begunMs);
    }
    const p99 = percentile(tookMs, 99);
    rows.push({
      name: `${name}, of ${runs}, p99`,
      unit: "ms",
      figures: { fairlead: p99, p50: percentile(tookMs, 50) },
      targets: [atMost(p99, 50, "ms")],
    });
  }
  return rows;
}

const questions = [
  { name: "the newest 100 runs", query: "limit=100" },
  { name: "the newest 100 failed runs of a cluster", query: "limit=100&cluster=bench&state=failed" },
  { name: "the newest 100 runs of one who asked", query: "limit=100&requester=person-7" },
];

async function fill({ postgres }: CommandStage, runs: number): Promise<void> {
  await postgres.query(
    `insert into command (id, cluster, incarnation, kind, target, namespace, dry_run, spec, spec_bytes, requester,
       requester_uid, asker, priority, deadline_at, state, epoch, finished_at, result, result_bytes)
     select 'cmd_' || lpad(i::text, 26, '0'), cluster.name, incarnation, 'manifests', 'manifests/shop/set-' || i % 500,
       'shop', false, '{"set":"web"}', 13, 'person-' || i % 50, 'uid-' || i % 50, '{}', 5, clock_timestamp() + interval '1 day',
       case when i % 20 = 0 then 'failed' else 'succeeded' end, 1, clock_timestamp(), '{"objects":[]}', 14
     from cluster, generate_series(1, $1::integer) as i where cluster.name = 'bench'`,
    [runs],
  );
  await postgres.query("analyze command");
}
