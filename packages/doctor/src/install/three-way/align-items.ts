/** Items of up to three lists that are about the same thing; `name` is `[name=server]`, or `[0]`. */
export interface AlignedItem {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly live: unknown;
}

/**
 * By what names them, as Kubernetes does; else one by one where the lists are equally long. Undefined: such lists are
 * compared as a whole.
 */
export function alignItems(lists: {
  readonly before: unknown;
  readonly after: unknown;
  readonly live: unknown;
}): readonly AlignedItem[] | undefined {
  const [before, after, live] = [lists.before, lists.after, lists.live].map((list) =>
    Array.isArray(list) ? (list as readonly unknown[]) : undefined,
  );
  const given = [before, after, live].filter((list) => list !== undefined);
  if (!given.every((list) => list.every(isMap))) return undefined;
  const key = identities.find((each) => given.every((list) => isIdentity(list as readonly Item[], each)));
  if (key !== undefined) {
    const values = new Set(given.flatMap((list) => list.map((item) => (item as Item)[key])));
    const pick = (list: readonly unknown[] | undefined, value: unknown) =>
      list?.find((item) => (item as Item)[key] === value);
    return [...values].map((value) => ({
      name: `[${key}=${String(value)}]`,
      before: pick(before, value),
      after: pick(after, value),
      live: pick(live, value),
    }));
  }
  const [first] = given;
  if (!first || given.some(({ length }) => length !== first.length)) return undefined;
  return first.map((_item, index) => ({
    name: `[${index}]`,
    before: before?.[index],
    after: after?.[index],
    live: live?.[index],
  }));
}

export function isMap(value: unknown): value is Item {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Item = Readonly<Record<string, unknown>>;

/** Every item has it, and no two the same. */
function isIdentity(list: readonly Item[], key: string): boolean {
  const values = list.map((item) => item[key]);
  return (
    values.every((value) => typeof value === "string" || typeof value === "number") &&
    new Set(values).size === values.length
  );
}

const identities = ["name", "mountPath", "containerPort", "port", "topologyKey", "ip"];
