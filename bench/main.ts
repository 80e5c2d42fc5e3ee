// `npm run bench -- NAME [--json] [--quick]`: runs one benchmark and prints its table, or the same figures as JSON.
import { parseArgs } from "node:util";
import { runAccessBench } from "./access.ts";
import { runArgocdBench } from "./argocd.ts";
import { runCliBench } from "./cli.ts";
import { runCommandsBench } from "./commands.ts";
import { runDoctorBench } from "./doctor.ts";
import { runInventoryBench } from "./inventory.ts";
import { runLinkBench } from "./link.ts";
import { runScaleBench, type ScaleOptions } from "./scale.ts";

const benches: Readonly<Record<string, (options: ScaleOptions) => Promise<void>>> = {
  access: runAccessBench,
  argocd: runArgocdBench,
  cli: runCliBench,
  commands: runCommandsBench,
  doctor: runDoctorBench,
  inventory: runInventoryBench,
  link: runLinkBench,
  scale: runScaleBench,
};

const given = readGiven();
if (given === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join("|")} [--json] [--quick]`);
  console.error("       npm run bench -- commands|argocd|doctor [--part NAME]");
  console.error("       npm run bench -- scale [--part NAME] [--agents N]");
  process.exit(2);
}
await given.bench(given.options);

function readGiven() {
  try {
    const { values, positionals } = parseArgs({
      options: {
        json: { type: "boolean", default: false },
        quick: { type: "boolean", default: false },
        part: { type: "string" },
        agents: { type: "string" },
      },
      allowPositionals: true,
    });
    const bench = benches[positionals[0] ?? ""];
    const agents = values.agents === undefined ? undefined : Number(values.agents);
    if (bench === undefined || positionals.length > 1 || agents === 0 || Number.isNaN(agents)) return undefined;
    return { bench, options: { ...values, agents } };
  } catch {
    return undefined;
  }
}
