// `npm run bench -- NAME [--json]`: runs one benchmark and prints its table, or the same figures as JSON.
import { runAccessBench } from "./access.ts";
import { runInventoryBench } from "./inventory.ts";
import { runLinkBench } from "./link.ts";
import { runScaleBench } from "./scale.ts";

const benches: Readonly<Record<string, (options: { json: boolean; quick: boolean }) => Promise<void>>> = {
  access: runAccessBench,
  inventory: runInventoryBench,
  link: runLinkBench,
  scale: runScaleBench,
};

const [name = "", ...flags] = process.argv.slice(2);
const bench = benches[name];
const unknownFlag = flags.find((flag) => flag !== "--json" && flag !== "--quick");
if (!bench || unknownFlag) {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join("|")} [--json] [--quick]`);
  process.exit(2);
}
await bench({ json: flags.includes("--json"), quick: flags.includes("--quick") });
