// Whether clusters are fit: how long the command takes for a large one, beside bare lists of the same kinds; what examining
// costs an agent, beside one that only observes; and the answer over a thousand clusters, beside a bare read of its rows.
import { measureAgent } from "./doctor/agent.ts";
import { measureMatrix } from "./doctor/matrix.ts";
import { measureOffline } from "./doctor/offline.ts";
import { formatTable, type Row } from "./harness/table.ts";

const columns = ["bare lists", "bare SQL", "plain", "fairlead", "examining", "beyond"];

export interface DoctorOptions {
  readonly json: boolean;
  readonly quick: boolean;
  /** All unless named. */
  readonly part?: string | undefined;
}

export async function runDoctorBench({ json, quick, part }: DoctorOptions): Promise<void> {
  const startedAt = performance.now();
  const say = (text: string) =>
    process.stderr.write(`${Math.round((performance.now() - startedAt) / 1000)} s: ${text}\n`);
  const wanted = Object.entries(parts).filter(([name]) => part === undefined || name === part);
  if (wanted.length === 0) throw new Error(`there is no part ${part}, but ${Object.keys(parts).join(", ")}`);
  const rows: Row[] = [];
  for (const [name, run] of wanted) {
    say(name);
    rows.push(...(await run(quick, say)));
  }
  say("done");
  if (json) return console.log(JSON.stringify({ bench: "doctor", rows }, undefined, 2));
  console.log(
    formatTable(
      columns.filter((column) => rows.some(({ figures }) => column in figures)),
      rows,
    ),
  );
}

const parts: Readonly<Record<string, (quick: boolean, say: (text: string) => void) => Promise<Row[]>>> = {
  offline: (quick, say) => measureOffline({ objects: quick ? 3_000 : 30_000, rounds: quick ? 2 : 5, say }),
  agent: (quick, say) => measureAgent({ objects: quick ? 3_000 : 30_000, changes: quick ? 4 : 20, say }),
  matrix: (quick, say) => measureMatrix({ clusters: quick ? 100 : 1_000, rounds: quick ? 2 : 5, say }),
};
