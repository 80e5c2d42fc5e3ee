// A setting is one row. Its flag, its variable, its key in the file, its help and its row in the documentation come from it.
import type { Kind } from "./kinds.ts";

export type Setting<Value> = {
  /** As the file spells it, without a unit. Undefined: the member's own name. */
  readonly name?: string;
  readonly group: string;
  readonly kind: Kind<NonNullable<Value>>;
  /** A noun phrase or an imperative, without a full stop. Kind and default are added to it. */
  readonly help: string;
  /** What the documentation says besides, as Markdown. */
  readonly details?: string;
  /** Where the fallback says less, or differs from machine to machine. As Markdown. */
  readonly defaultText?: string;
  readonly secret?: Secret;
  /** A plain number in a fixed unit, from before settings were written with theirs. */
  readonly former?: Former;
} & (undefined extends Value ? { readonly fallback?: Value } : { readonly fallback: Value | (() => Value) });

/** Each member of the configuration has its setting. */
export type SettingTable<Config> = { readonly [Key in keyof Config]-?: Setting<Config[Key]> };

export interface Former {
  readonly name: string;
  /** What one of it is in the unit of the member. */
  readonly factor: number;
}

/** Flags are in the process list, so a value that holds a secret must not be in one; and it is never printed. */
export interface Secret {
  holdsSecret(value: string): boolean;
  hide(value: string): string;
}

export const wholly: Secret = { holdsSecret: () => true, hide: () => "[set, not shown]" };

export interface Program<Config> {
  readonly name: string;
  readonly variablePrefix: string;
  readonly settings: SettingTable<Config>;
  /** Flags of the command line that say what to do, by name. True: with a value. */
  readonly commandFlags?: Readonly<Record<string, boolean>>;
}

type Ungrouped<Config> = { readonly [Key in keyof Config]-?: UngroupedSetting<Setting<Config[Key]>> };
/** Distributes over the two shapes of a setting. */
type UngroupedSetting<Row> = Row extends unknown ? Omit<Row, "group"> : never;

/** Puts settings under one heading. */
export function group<Config>(title: string, rows: Ungrouped<Config>): SettingTable<Config> {
  const grouped = Object.entries(rows).map(([member, row]) => [member, { ...(row as object), group: title }]);
  return Object.fromEntries(grouped) as SettingTable<Config>;
}

/** A setting by the member that it fills, whatever its value is. */
export interface NamedSetting {
  readonly member: string;
  readonly name: string;
  readonly setting: Setting<unknown>;
}

export function namedSettings<Config>({ settings }: Program<Config>): readonly NamedSetting[] {
  return Object.entries<Setting<unknown>>(settings as unknown as Record<string, Setting<unknown>>).map(
    ([member, setting]) => ({ member, name: setting.name ?? member, setting }),
  );
}

export function fallbackOf({ fallback }: Setting<unknown>): unknown {
  return typeof fallback === "function" ? (fallback as () => unknown)() : fallback;
}
