// Vitest's configuration names this file in `setupFiles`. A test file or test that fails because the Kubernetes binaries
// can neither be found nor built is reported as skipped with that reason, without a line in the test file itself.
import { aroundAll, aroundEach } from "vitest";
import type { TestkitCode } from "./errors.ts";

/** The members of vitest's tasks that are changed here; its own types show them read-only. */
interface Task {
  mode: string;
  result?: { state: string; note?: string; errors?: readonly { readonly code?: unknown; readonly message: string }[] };
  tasks?: Task[];
}

// A file whose beforeAll could not get its cluster. Nested suites are not looked at: they have been reported by then.
// biome-ignore lint/correctness/noEmptyPattern: vitest reads this parameter's pattern
aroundAll(async (runSuite, {}, suite) => {
  await runSuite();
  const file = suite as unknown as Task;
  const reason = missingTools(file);
  if (reason === undefined || file.result === undefined) return;
  file.mode = "skip";
  file.result.state = "skip";
  delete file.result.errors;
  for (const { result } of testsIn(file)) if (result !== undefined) result.note = reason;
});

aroundEach(async (runTest, { task, skip }) => {
  await runTest();
  const test = task as unknown as Task;
  const reason = missingTools(test);
  if (reason === undefined || test.result === undefined) return;
  delete test.result.errors;
  test.result.note = reason;
  skip(reason);
});

/** AfterAll and afterEach add other errors when nothing was set up. */
function missingTools({ result }: Task): string | undefined {
  return result?.errors?.find(({ code }) => code === unavailable)?.message;
}

function testsIn(suite: Task): Task[] {
  return (suite.tasks ?? []).flatMap((task) => (task.tasks === undefined ? [task] : testsIn(task)));
}

const unavailable: TestkitCode = "TOOLS_UNAVAILABLE";
