import type { Reporter, TestCase, TestModule } from "vitest/node";

/**
 * Ends the run with one plain line that any CI can read: `N passed, N failed, N skipped`. A file that could not be
 * loaded counts as failed, because its tests did not run. Skipped tests are named with their reason above that line.
 */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed += 1;
      for (const test of module.children.allTests()) count(test, counts);
    }
    // The default reporter prints its own summary in the same hook: wait for it, so that ours is the last line.
    process.on("exit", () =>
      console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`),
    );
  }
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
