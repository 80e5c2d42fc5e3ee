/** `failed` is what the object says now; it may still mend itself. */
export type Readiness =
  | { readonly type: "ready"; readonly message: string }
  | { readonly type: "pending" | "failed"; readonly message: string };

export const ready: Readiness = { type: "ready", message: "it is ready" };

export function pending(message: string): Readiness {
  return { type: "pending", message };
}

export function failing(message: string): Readiness {
  return { type: "failed", message };
}

/** The first of these counts that isn't so. */
export function firstLack(lacks: readonly (readonly [isLacking: boolean, message: string])[]): Readiness {
  const lack = lacks.find(([isLacking]) => isLacking);
  return lack ? pending(lack[1]) : ready;
}
