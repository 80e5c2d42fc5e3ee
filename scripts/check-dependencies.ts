// Refuses dependencies by licence, by what they run, and by known faults: `npm run check`. A registry without an audit
// fails nothing; the list beside this file is used then.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Advisory, judgeDependencies, type LockedPackages } from "./dependencies.ts";

const grave: ReadonlySet<string> = new Set(["moderate", "high", "critical"]);
const answerMs = 5_000;
const lock = JSON.parse(read("../package-lock.json")) as { readonly packages: LockedPackages };
const advisories = JSON.parse(read("advisories.json")) as readonly Advisory[];
const audited = askRegistry();
if (audited === undefined) console.log(`No audit from this registry; using the list (${advisories.length} entries).`);
const findings = [...judgeDependencies(lock.packages, advisories), ...(audited ?? [])];
for (const finding of findings) console.error(finding);
if (findings.length > 0) process.exitCode = 1;

/** Undefined where the registry has no answer. */
function askRegistry(): readonly string[] | undefined {
  const args = ["audit", "--json", "--package-lock-only", "--fetch-retries=0", `--fetch-timeout=${answerMs}`];
  const { stdout, error } = spawnSync("npm", args, {
    cwd: join(import.meta.dirname, ".."),
    encoding: "utf8",
    timeout: 2 * answerMs,
    stdio: ["ignore", "pipe", "ignore"],
  });
  if (error) return undefined;
  const { vulnerabilities } = parse(stdout);
  if (vulnerabilities === undefined) return undefined;
  return Object.entries(vulnerabilities)
    .filter(([, { severity }]) => grave.has(severity))
    .map(([name, { severity }]) => `${name}: the registry's audit names a fault (${severity}). Run: npm audit`);
}

interface Report {
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string }>>;
}

function parse(text: string): Report {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return {};
  }
}

function read(name: string): string {
  return readFileSync(join(import.meta.dirname, name), "utf8");
}
