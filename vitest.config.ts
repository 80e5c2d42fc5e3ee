import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./scripts/sequencer.ts";
import { keepTemporaryFilesInMemory } from "./scripts/temporary-files.ts";

keepTemporaryFilesInMemory();
// API servers collect their garbage less often, which takes a third of their time. Set here and not in `env` below, which
// the cluster that files share doesn't get.
process.env["GOGC"] ??= "1000";
process.env["GOMEMLIMIT"] ??= "1GiB";

// `unit` needs nothing but Node and PostgreSQL and stays under a minute; `hub` plays whole hubs in its own process; `real`
// starts Kubernetes API servers and whole programs.
// Neither "import" nor "default" is among the conditions: both are added where they hold, and Node would take the one for
// packages that are required, too.
const conditions = ["@fairlead/source", "node", "module"];
const shared = {
  env: {
    // Programs start in a third of the time.
    NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules", ".cache", "fairlead", "compiled"),
  },
  environment: "node" as const,
  // A loaded machine takes longer than a second for anything.
  expect: { poll: { timeout: 60_000 } },
  pool: "forks" as const,
  restoreMocks: true,
  setupFiles: ["./scripts/count-cpu.ts"],
  unstubEnvs: true,
  unstubGlobals: true,
};

/** Many workers for tests that wait far more than they compute. */
const workers = 6;

/** The hub's own tests that start an API server. */
const onClusters = [
  "packages/hub/src/picture/tables/*.real.test.ts",
  "packages/hub/src/reach/proxy/watch/*.real.test.ts",
  "packages/hub/src/**/argo-*.real.test.ts",
];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    reporters: ["default", "./scripts/reporter.ts"],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: "unit",
          globalSetup: ["./packages/hub/src/platform/store/test-server.fixture.ts"],
          include: [
            "packages/*/src/**/*.test.ts",
            "test/architecture/**/*.test.ts",
            "test/command-storm/**/*.test.ts",
            "test/compat/**/*.test.ts",
            "test/fleet/**/*.test.ts",
            "test/hardening/**/*.test.ts",
            "scripts/**/*.test.ts",
            "demo/**/*.test.ts",
            "deploy/**/*.test.ts",
          ],
          exclude: ["**/*.real.test.ts", "**/node_modules/**", "**/dist/**"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // A process for many files: most of the time went into loading the same modules for each of them again.
          isolate: false,
          // This is one more than the runner would take on two cores: these tests wait more than they compute.
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: "hub",
          globalSetup: [
            "./packages/hub/src/platform/store/test-server.fixture.ts",
            "./packages/testkit/src/vitest-bundle-programs.ts",
          ],
          include: ["packages/hub/src/**/*.real.test.ts"],
          exclude: [...onClusters, "**/node_modules/**", "**/dist/**"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // As for `unit`: the hub's modules are loaded once for many files.
          isolate: false,
          maxWorkers: workers,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: "real",
          globalSetup: [
            "./packages/hub/src/platform/store/test-server.fixture.ts",
            "./packages/testkit/src/vitest-global-setup.ts",
            "./packages/testkit/src/vitest-bundle-programs.ts",
          ],
          setupFiles: [...shared.setupFiles, "./packages/testkit/src/vitest-setup.fixture.ts"],
          // What is asked again and again here is a hub or an API server, whose answer takes 5 ms of a core.
          expect: { poll: { ...shared.expect.poll, interval: 100 } },
          include: ["packages/!(hub)/src/**/*.real.test.ts", ...onClusters, "test/**/*.real.test.ts"],
          exclude: ["**/node_modules/**", "**/dist/**"],
          testTimeout: 180_000,
          hookTimeout: 600_000,
          // As for the others.
          isolate: false,
          maxWorkers: workers,
          // In the group of `hub`, whose last files then don't keep the first ones of these waiting.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
