import { relative } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";

/**
 * Ends the run with a table of where its time went and one plain line that any CI can read: `N passed, N failed,
 * N skipped`. A file that could not be loaded counts as failed, because its tests did not run. Skipped tests are named
 * with their reason above that line.
 */
export default class PlainSummary implements Reporter {
  #startedAtMs = 0;

  onTestRunStart(): void {
    this.#startedAtMs = performance.now();
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed += 1;
      for (const test of module.children.allTests()) count(test, counts);
    }
    const wallMs = performance.now() - this.#startedAtMs;
    // The default reporter prints its own summary in the same hook: wait for it, so that ours is the last line.
    process.on("exit", () => {
      if (modules.length > longestShown) console.log(showTimes(modules, wallMs));
      console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    });
  }
}

/** As a Markdown table, for CONTRIBUTING.md: each project's sum, then the files that take longest. */
function showTimes(modules: readonly TestModule[], wallMs: number): string {
  const files = modules.map((module) => {
    const { collectDuration, setupDuration, environmentSetupDuration, duration } = module.diagnostic();
    const loadMs = collectDuration + setupDuration + environmentSetupDuration;
    return { project: module.project.name, path: relative(process.cwd(), module.moduleId), loadMs, runMs: duration };
  });
  const projects = Map.groupBy(files, ({ project }) => project);
  const rows = [
    ...[...projects].map(([project, own]) => [`all ${own.length} files of \`${project}\``, ...sumUp(own)]),
    ...files
      .toSorted((one, other) => other.loadMs + other.runMs - one.loadMs - one.runMs)
      .slice(0, longestShown)
      .map((file) => [`\`${file.path}\``, ...sumUp([file])]),
  ];
  const head = ["| Tests | Loading, s | Running, s |", "|---|---|---|"];
  const wall = `The run took ${Math.round(wallMs / 1_000)} s.`;
  return ["", ...head, ...rows.map((row) => `| ${row.join(" | ")} |`), "", wall].join("\n");
}

function sumUp(files: readonly { readonly loadMs: number; readonly runMs: number }[]): string[] {
  const sum = (read: (file: (typeof files)[number]) => number): string =>
    (files.reduce((total, file) => total + read(file), 0) / 1_000).toFixed(1);
  return [sum(({ loadMs }) => loadMs), sum(({ runMs }) => runMs)];
}

function count(test: TestCase, counts: { passed: number; failed: number; skipped: number }): void {
  const result = test.result();
  switch (result.state) {
    case "passed":
      counts.passed += 1;
      return;
    case "failed":
      counts.failed += 1;
      return;
    case "pending":
      counts.failed += 1;
      return;
    case "skipped":
      counts.skipped += 1;
      console.log(`skipped: ${test.fullName}${result.note ? ` (${result.note})` : ""}`);
      return;
  }
}

const longestShown = 20;
