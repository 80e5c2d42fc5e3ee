import { defineConfig } from "vitest/config";

// `unit` needs nothing but Node and stays under a minute; `real` starts Kubernetes API servers and whole processes.
const conditions = ["@fairlead/source", "node", "module", "import", "default"];
const shared = {
  environment: "node" as const,
  pool: "forks" as const,
  restoreMocks: true,
  unstubEnvs: true,
  unstubGlobals: true,
};

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    reporters: ["default", "./scripts/reporter.ts"],
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: "unit",
          include: [
            "packages/*/src/**/*.test.ts",
            "test/architecture/**/*.test.ts",
            "test/hardening/**/*.test.ts",
            "scripts/**/*.test.ts",
            "demo/**/*.test.ts",
            "deploy/**/*.test.ts",
          ],
          exclude: ["**/*.real.test.ts", "**/node_modules/**", "**/dist/**"],
          testTimeout: 20_000,
          hookTimeout: 20_000,
          // A process for many files: most of the time went into loading the same modules for each of them again.
          isolate: false,
          // One more than the runner would take on two cores: these tests wait more than they compute.
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: "real",
          globalSetup: ["./packages/testkit/src/vitest-global-setup.ts"],
          setupFiles: ["./packages/testkit/src/vitest-setup.fixture.ts"],
          include: ["packages/*/src/**/*.real.test.ts", "test/**/*.real.test.ts"],
          exclude: ["**/node_modules/**", "**/dist/**"],
          testTimeout: 180_000,
          hookTimeout: 600_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
