import { relative } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import { type IdleShare, openIdleShare } from "./idle-share.ts";

/**
 * Ends the run with a table of where its time went and one plain line that any CI can read: `N passed, N failed,
 * N skipped`. A file that could not be loaded counts as failed, because its tests did not run. Skipped tests are named
 * with their reason above that line.
 */
export default class PlainSummary implements Reporter {
  #startedAtMs = 0;
  readonly #idle = new Map<string, { readonly share: IdleShare; latest: number | undefined }>();

  onTestRunStart(): void {
    this.#startedAtMs = performance.now();
  }

  onTestModuleStart({ project }: TestModule): void {
    if (!this.#idle.has(project.name)) this.#idle.set(project.name, { share: openIdleShare(), latest: undefined });
  }

  onTestModuleEnd({ project }: TestModule): void {
    const idle = this.#idle.get(project.name);
    if (idle !== undefined) idle.latest = idle.share.read();
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
      if (modules.length > longestShown) console.log(`${showTimes(modules, wallMs)}${this.#showIdle()}`);
      console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    });
  }

  /** More tests at once make a run shorter only while the processors have time for them. */
  #showIdle(): string {
    const shares = [...this.#idle].flatMap(([project, { latest }]) =>
      latest === undefined ? [] : [`${project} ${Math.round(latest * 100)} %`],
    );
    return shares.length === 0
      ? ""
      : ` Idle time of the processors from each project's first file to its last: ${shares.join(", ")}.`;
  }
}

/** As a Markdown table, for CONTRIBUTING.md: each project's sum, then the files that last longest. */
function showTimes(modules: readonly TestModule[], wallMs: number): string {
  const files = modules.map((module) => {
    const { collectDuration, setupDuration, environmentSetupDuration, duration } = module.diagnostic();
    const loadMs = collectDuration + setupDuration + environmentSetupDuration;
    const { cpuMs = 0 } = module.meta();
    const path = relative(process.cwd(), module.moduleId);
    return { project: module.project.name, path, loadMs, runMs: duration, cpuMs };
  });
  const projects = Map.groupBy(files, ({ project }) => project);
  const rows = [
    ...[...projects].map(([project, own]) => [`all ${own.length} files of \`${project}\``, ...sumUp(own)]),
    ...files
      .toSorted((one, other) => other.loadMs + other.runMs - one.loadMs - one.runMs)
      .slice(0, longestShown)
      .map((file) => [`\`${file.path}\``, ...sumUp([file])]),
  ];
  const head = ["| Tests | Loading, s | Running, s | CPU, s |", "|---|---|---|---|"];
  const wall = `The run took ${Math.round(wallMs / 1_000)} s.`;
  return ["", ...head, ...rows.map((row) => `| ${row.join(" | ")} |`), "", wall].join("\n");
}

type Times = Readonly<Record<"loadMs" | "runMs" | "cpuMs", number>>;

function sumUp(files: readonly Times[]): string[] {
  const sum = (time: keyof Times): string => (files.reduce((total, file) => total + file[time], 0) / 1_000).toFixed(1);
  return [sum("loadMs"), sum("runMs"), sum("cpuMs")];
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

const longestShown = 50;
