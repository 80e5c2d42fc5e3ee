// Vitest's configuration names this file in `setupFiles`: each test file says what it took of the processors, in this
// process and in programs that it started and that have ended. `reporter.ts` shows it.
import { readFileSync } from "node:fs";
import { aroundAll } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    cpuMs?: number;
  }
}

// biome-ignore lint/correctness/noEmptyPattern: vitest reads this parameter's pattern
aroundAll(async (runSuite, {}, suite) => {
  const before = readCpuMs();
  await runSuite();
  suite.meta.cpuMs = readCpuMs() - before;
});

function readCpuMs(): number {
  const own = process.cpuUsage();
  return (own.user + own.system) / 1_000 + readChildrenMs();
}

/** `cutime` and `cstime` of proc(5), in hundredths of a second; 0 where there is no such file. */
function readChildrenMs(): number {
  if (process.platform !== "linux") return 0;
  const text = readFileSync("/proc/self/stat", "utf8");
  // The name before them may have blanks and brackets.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [cutime = 0, cstime = 0] = fields.slice(13, 15).map(Number);
  return (cutime + cstime) * 10;
}
