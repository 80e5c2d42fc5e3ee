// For `setupFiles` in vitest's configuration. A test file or test that fails because the Kubernetes binaries can
// neither be found nor built is reported as skipped with that reason, without a line in the test file itself.
import { aroundAll, aroundEach, type RunnerTask, type RunnerTestSuite, type TestError } from "vitest";

// A file whose beforeAll could not get its cluster. Nested suites are not looked at: they have been reported by then.
// biome-ignore lint/correctness/noEmptyPattern: vitest reads this parameter's pattern
aroundAll(async (runSuite, {}, suite) => {
  await runSuite();
  const reason = missingTools(suite.result?.errors);
  if (reason === undefined || suite.result === undefined) return;
  suite.mode = "skip";
  suite.result.state = "skip";
  delete suite.result.errors;
  for (const test of testsIn(suite)) if (test.result !== undefined) test.result.note = reason;
});

aroundEach(async (runTest, { task, skip }) => {
  await runTest();
  const { result } = task;
  const reason = missingTools(result?.errors);
  if (reason === undefined || result === undefined) return;
  delete result.errors;
  result.note = reason;
  skip(reason);
});

/** Other errors beside it are what afterAll and afterEach stumble over when nothing was set up. */
function missingTools(errors: readonly TestError[] | undefined): string | undefined {
  return errors?.find(({ code }) => code === "TOOLS_UNAVAILABLE")?.message;
}

function testsIn(suite: RunnerTestSuite): RunnerTask[] {
  return suite.tasks.flatMap((task) => (task.type === "suite" ? testsIn(task) : [task]));
}
