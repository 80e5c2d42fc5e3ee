// The charts rendered by real Helm with the least values that they need, and what a test adds to them.
import { type ChartName, chartFolder, type Helm, imageRegistry, type Manifest, openHelm } from "@fairlead/testkit";

export interface ChartRenderer extends AsyncDisposable {
  readonly helm: Helm;
  render(chart: ChartName, values?: object): Promise<readonly Manifest[]>;
  /** Returns Helm's complaint about these values; throws when it takes them. */
  refuse(chart: ChartName, values: object): Promise<string>;
}

const image = { image: { registry: imageRegistry } };
const leastValues: Readonly<Record<ChartName, object>> = {
  "fairlead-agent": { ...image, hub: { url: "https://hub.example.com:8444" }, token: { existingSecret: "join" } },
  "fairlead-hub": { ...image, publicUrl: "https://hub.example.com" },
};

export async function openRenderer(): Promise<ChartRenderer> {
  const helm = await openHelm();
  return {
    helm,
    render: (chart, values = {}) => helm.render({ chart, values: merge(leastValues[chart], values) }),
    async refuse(chart, values) {
      const path = await helm.writeValues(merge(leastValues[chart], values));
      const template = ["template", chart, chartFolder(chart), "--values", path];
      const { code, stderr } = await helm.run(template, { allowFailure: true });
      if (code === 0) throw new Error(`${chart} takes ${JSON.stringify(values)}`);
      return stderr;
    },
    [Symbol.asyncDispose]: () => helm[Symbol.asyncDispose](),
  };
}

export function ofKind(objects: readonly Manifest[], ...kinds: string[]): Manifest[] {
  return objects.filter(({ kind }) => kinds.includes(kind));
}

function merge(base: object, more: object): object {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(more)) {
    const known = result[key];
    result[key] = isMapping(known) && isMapping(value) ? merge(known, value) : value;
  }
  return result;
}

function isMapping(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
