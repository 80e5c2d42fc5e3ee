import type { KubeObject } from "@fairlead/kube";

/** The printer columns that CRDs declare, by the CRD's name (which is the kind's key) and version. */
export class PrinterColumns {
  readonly #byName = new Map<string, Readonly<Record<string, unknown>>>();

  /** True when something changed. */
  learn(crd: KubeObject): boolean {
    const { name } = crd.metadata;
    const columns = columnsByVersion(crd["spec"]);
    const known = this.#byName.get(name);
    if (JSON.stringify(columns) === JSON.stringify(known ?? {})) return false;
    if (Object.keys(columns).length === 0) this.#byName.delete(name);
    else this.#byName.set(name, columns);
    return true;
  }

  forget(name: string): void {
    this.#byName.delete(name);
  }

  of(key: string, version: string): unknown {
    return this.#byName.get(key)?.[version];
  }
}

function columnsByVersion(spec: unknown): Record<string, unknown> {
  const versions = (spec as { versions?: unknown } | undefined)?.versions;
  if (!Array.isArray(versions)) return {};
  const found = (versions as { name?: unknown; additionalPrinterColumns?: unknown }[]).flatMap((version) =>
    typeof version?.name === "string" && Array.isArray(version.additionalPrinterColumns)
      ? [[version.name, version.additionalPrinterColumns] as const]
      : [],
  );
  return Object.fromEntries(found);
}
