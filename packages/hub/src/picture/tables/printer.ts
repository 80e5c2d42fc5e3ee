import { autoscalerPrinter } from "./autoscaler.ts";
import { createCustomPrinter } from "./custom.ts";
import { machineryPrinters } from "./machinery.ts";
import { networkPrinters } from "./network.ts";
import { defaultPrinter, plainPrinters } from "./plain.ts";
import { platformPrinters } from "./platform.ts";
import { podPrinter } from "./pod.ts";
import { policyPrinters } from "./policy.ts";
import { resourcePrinters } from "./resource.ts";
import { storagePrinters } from "./storage.ts";
import type { Printer } from "./types.ts";
import { workloadPrinters } from "./workloads.ts";

/**
 * How kubectl shows a kind. `kind` is `pods`, `deployments.apps`; `printerColumns` what its CRD says, if it has one.
 * Ages are dates, so that whoever shows them can let them run; spans inside a text are those of `nowMs`.
 */
export function findPrinter(kind: string, printerColumns?: unknown): Printer {
  return printers.get(kind) ?? createCustomPrinter(printerColumns) ?? defaultPrinter;
}

const printers: ReadonlyMap<string, Printer> = new Map(
  Object.entries({
    pods: podPrinter,
    "horizontalpodautoscalers.autoscaling": autoscalerPrinter,
    ...workloadPrinters,
    ...networkPrinters,
    ...platformPrinters,
    ...storagePrinters,
    ...policyPrinters,
    ...machineryPrinters,
    ...resourcePrinters,
    ...plainPrinters,
  }),
);
