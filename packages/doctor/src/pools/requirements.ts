import type { Fields } from "@fairlead/kernel";

/** A demand of Karpenter on a label of new nodes. */
export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export interface Trait {
  /** In alphabetical order. */
  readonly values: readonly string[];
  /** A requirement or a label says so. Otherwise anything may come. */
  readonly isStated: boolean;
}

export function readRequirements(list: Fields): Requirement[] {
  return list.list().map((requirement) => ({
    key: requirement.at("key").text() ?? "",
    operator: requirement.at("operator").text() ?? "",
    values: requirement
      .at("values")
      .list()
      .flatMap((value) => value.scalar() ?? []),
  }));
}

/** Those of the known values that every requirement of the key lets through; all of them, when none names the key. */
export function readTrait(requirements: readonly Requirement[], key: string, known: readonly string[]): Trait {
  const own = requirements.filter((requirement) => requirement.key === key && requirement.operator !== "Exists");
  const named = own.flatMap(({ operator, values }) => (operator === "In" ? values : []));
  const candidates = [...new Set([...known, ...named])].toSorted();
  return {
    values: candidates.filter((value) => own.every((requirement) => admits(requirement, value))),
    isStated: own.length > 0,
  };
}

export function admits({ operator, values }: Requirement, value: string): boolean {
  switch (operator) {
    case "In":
      return values.includes(value);
    case "NotIn":
      return !values.includes(value);
    case "Exists":
      return true;
    case "DoesNotExist":
      return false;
    case "Gt":
      return Number(value) > Number(values[0]);
    case "Gte":
      return Number(value) >= Number(values[0]);
    case "Lt":
      return Number(value) < Number(values[0]);
    case "Lte":
      return Number(value) <= Number(values[0]);
    default:
      return false;
  }
}

/** The largest number that the requirements of any of the keys let through; undefined where they set no bound. */
export function readUpperBound(requirements: readonly Requirement[], keys: readonly string[]): number | undefined {
  const bounds = requirements
    .filter(({ key }) => keys.includes(key))
    .flatMap(({ operator, values }) => {
      if (operator === "In") return [Math.max(...values.map(Number))];
      if (operator === "Lte") return [Number(values[0])];
      return operator === "Lt" ? [Number(values[0]) - 1] : [];
    })
    .filter(Number.isFinite);
  return bounds.length === 0 ? undefined : Math.min(...bounds);
}
