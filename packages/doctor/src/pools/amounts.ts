import { type Fields, parseQuantity } from "@fairlead/kernel";

/** Amounts by the name of their resource: cores for `cpu`, bytes for `memory`, pieces for `nvidia.com/gpu`. */
export type Amounts = Readonly<Record<string, number>>;

export function readAmounts(fields: Fields): Amounts {
  return Object.fromEntries(fields.entries().map(([resource, value]) => [resource, parseQuantity(value.raw)]));
}

export function addAmounts(all: readonly Amounts[]): Amounts {
  const sums = new Map<string, number>();
  for (const amounts of all) {
    for (const [resource, amount] of Object.entries(amounts)) sums.set(resource, (sums.get(resource) ?? 0) + amount);
  }
  return Object.fromEntries(sums);
}

/** The larger of both, resource by resource. */
export function maxAmounts(a: Amounts, b: Amounts): Amounts {
  const resources = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...resources].map((resource) => [resource, Math.max(a[resource] ?? 0, b[resource] ?? 0)]));
}

export function subtractAmounts(from: Amounts, taken: Amounts): Amounts {
  return Object.fromEntries(
    Object.entries(from).map(([resource, amount]) => [resource, amount - (taken[resource] ?? 0)]),
  );
}

/** `1.5 cpu`, `4 Gi memory`, `1 nvidia.com/gpu`. */
export function formatAmount(resource: string, amount: number): string {
  const isBytes = resource === "memory" || resource === "ephemeral-storage";
  return isBytes ? `${round(amount / 2 ** 30)} Gi ${resource}` : `${round(amount)} ${resource}`;
}

const round = (amount: number): number => Math.round(amount * 1000) / 1000;
