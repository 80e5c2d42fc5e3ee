// Addons and features of a thousand clusters in one answer, beside a bare read of the same rows. The rows are put into the
// database while the hub is down: what agents' reports cost is the inventory's own benchmark.
import type { FitnessList } from "@fairlead/contract";
import { catalogue, featureIds } from "@fairlead/doctor";
import { ensureBuilt, type Postgres, startHubs, type TestHub } from "@fairlead/testkit";
import { readCpuMs } from "../harness/cpu.ts";
import { askHub, downloadFromHub } from "../harness/hub-api.ts";
import { percentile } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import { atMost, ratioOf } from "../harness/targets.ts";

export async function measureMatrix(options: {
  readonly clusters: number;
  readonly rounds: number;
  readonly say: (text: string) => void;
}): Promise<Row[]> {
  const { clusters, rounds, say } = options;
  await ensureBuilt();
  await using hubs = await startHubs({ count: 1, isBuilt: true });
  const [hub] = hubs.hubs;
  if (!hub) throw new Error("this takes a hub");
  const { postgres } = hubs;
  say(`filling the store with ${clusters} clusters of ${catalogue.length} addons`);
  await hub.stop();
  await fill(postgres, clusters);
  await hub.start();
  // The first answer alone reads all rows, and so is measured on several starts.
  const first = await measureAnswers({ hub, postgres, clusters, rounds, before: () => restart(hub) });
  const later = await measureAnswers({ hub, postgres, clusters, rounds: 5 * rounds, before: async () => undefined });
  const name = `matrix of ${clusters} clusters x ${catalogue.length} addons`;
  return [
    {
      name: `${name}, the first after a start, p50`,
      unit: "ms",
      figures: first.p50,
      targets: [atMost(ratioOf(first.p50, "fairlead", "bare SQL"), 3, "of bare SQL")],
    },
    {
      name: `${name}, p50`,
      unit: "ms",
      figures: later.p50,
      targets: [
        atMost(later.p50.fairlead, 100, "ms"),
        atMost(ratioOf(later.p50, "fairlead", "bare SQL"), 1, "of bare SQL"),
      ],
    },
    { name: `${name}, p99`, unit: "ms", figures: later.p99 },
    { name: `${name}, hub's CPU time`, unit: "ms", figures: { fairlead: later.cpuMs } },
    { name: `${name}, the answer`, unit: "KiB", figures: { fairlead: later.answerKib } },
  ];
}

/** In turns. Of the hub until its answer is there as bytes, of the database until the rows are. */
async function measureAnswers(options: {
  readonly hub: TestHub;
  readonly postgres: Postgres;
  readonly clusters: number;
  readonly rounds: number;
  readonly before: () => Promise<void>;
}) {
  const { hub, postgres, clusters, rounds, before } = options;
  const tookMs: Record<"fairlead" | "bare SQL", number[]> = { fairlead: [], "bare SQL": [] };
  let cpuMs = 0;
  let answer: Buffer = Buffer.alloc(0);
  for (let round = 0; round < rounds; round++) {
    await before();
    // On the connection that the answer comes by, and with the caller known.
    await askHub(hub, "/api/v1/whoami");
    const usedMs = readCpuMs(hub.process.pid);
    tookMs.fairlead.push(
      await timed(async () => {
        answer = await downloadFromHub(hub, "/api/v1/fitness");
      }),
    );
    cpuMs += readCpuMs(hub.process.pid) - usedMs;
    tookMs["bare SQL"].push(await timed(() => postgres.query(bareRead)));
  }
  const { items } = JSON.parse(answer.toString("utf8")) as FitnessList;
  const complete = items.filter(({ found }) => found?.addons.length === catalogue.length).length;
  if (complete !== clusters) throw new Error(`${complete} of ${clusters} clusters are in the answer`);
  const of = (rank: number) => ({
    fairlead: percentile(tookMs.fairlead, rank),
    "bare SQL": percentile(tookMs["bare SQL"], rank),
  });
  return { p50: of(50), p99: of(99), cpuMs: cpuMs / rounds, answerKib: answer.length / 1024 };
}

const bareRead = `select cluster, body::text from inventory_object
  where kind = 'examinations.fairlead.dev' and name = 'cluster' and deleted_at is null order by cluster`;

async function restart(hub: TestHub): Promise<void> {
  await hub.stop();
  await hub.start();
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

async function fill(postgres: Postgres, clusters: number): Promise<void> {
  const places = `select 'fleet-' || i as cluster from generate_series(1, $1::integer) as i`;
  const inserts = [
    `insert into cluster (name, labels, roles, created_at) select cluster, '{}', '{observe}', now() from (${places}) x`,
    `insert into inventory_cluster (cluster, kube_system_uid) select cluster, cluster from (${places}) x`,
    `insert into inventory_kind (cluster, kind, api_group, api_version, resource, kind_name, namespaced, state, state_since, verified_at)
     select cluster, 'examinations.fairlead.dev', 'fairlead.dev', 'v1', 'examinations', 'Examination', false, 'synced', now(), now()
     from (${places}) x`,
  ];
  for (const insert of inserts) await postgres.query(insert, [clusters]);
  for (let cluster = 1; cluster <= clusters; cluster++) await putExamination(postgres, cluster);
  await postgres.query("analyze");
}

async function putExamination(postgres: Postgres, cluster: number): Promise<void> {
  const name = `fleet-${cluster}`;
  const metadata = { name: "cluster", uid: `${name}-examination`, labels: { "fairlead.dev/fitness": "unfit" } };
  const body = { apiVersion: "fairlead.dev/v1", kind: "Examination", metadata, spec: {}, status: makeStatus(cluster) };
  await postgres.query(
    `insert into inventory_object (cluster, kind, uid, namespace, name, bucket, version, revision, labels, owners,
       created_at, changed_at, change, spec_changed_at, body)
     values ($1, 'examinations.fairlead.dev', $2, '', 'cluster', 0, 0, nextval('inventory_revision'), $3, '{}', now(), now(),
       'created', now(), $4)`,
    [name, metadata.uid, JSON.stringify(metadata.labels), JSON.stringify(body)],
  );
}

/** As an agent makes it: `describeExamination` in its room `doctor/objects`. */
function makeStatus(cluster: number): object {
  const states = ["healthy", "absent", "misconfigured", "healthy", "degraded"];
  return {
    fitness: "unfit",
    clusterType: "eks",
    isTypeOverridden: false,
    verdicts: { pass: 60, warn: 4, fail: 7, unknown: 3 },
    because: [{ addon: "argocd", message: `No Argo CD was found in cluster ${cluster}.` }],
    addons: catalogue.map(({ id }, index) => ({
      id,
      need: index % 3 === 0 ? "essential" : "optional",
      state: states[(cluster + index) % states.length],
      version: `3.${index}.${cluster % 7}`,
      chartVersion: `9.${index}.${cluster % 5}`,
    })),
    features: featureIds.map((id, index) => ({ id, state: (cluster + index) % 4 === 0 ? "blocked" : "available" })),
    domains: [{ host: `*.apps-${cluster}.example.com`, port: 443, isSecure: true }],
    gpus: [],
    hidden: [{ resource: "configmaps", why: "the agent never reads all of them" }],
    examinedWith: { profile: "fairlead", generation: 1, catalogue: "0.1.0" },
  };
}
