import type { Addon, ChartInstall } from "../catalogue/index.ts";

export function chartAddon(id: string, install: Partial<ChartInstall> | undefined): Addon {
  return {
    id,
    title: id,
    need: { generic: "optional" },
    signals: { resources: [], components: [] },
    checks: [],
    unlocks: [],
    ...(install && {
      install: {
        chart: id,
        repository: "https://charts.example.com",
        version: "1.2.3",
        versionRange: "^1.0.0",
        namespace: id,
        release: id,
        order: 0,
        after: [],
        values: () => ({ grafana: { enabled: false, port: 1 }, replicas: 2 }),
        ...install,
      },
    }),
  };
}
