import { fallbackOf, type NamedSetting } from "./setting.ts";
import { toFlag } from "./spellings.ts";

/** `--drain DURATION`. */
export function describeFlag({ name, setting: { kind } }: NamedSetting): string {
  return kind.placeholder === undefined ? toFlag(name) : `${toFlag(name)} ${kind.placeholder}`;
}

/** As Markdown; undefined where nothing is set unless it is given. */
export function describeDefault({ setting }: NamedSetting): string | undefined {
  if (setting.defaultText !== undefined) return setting.defaultText;
  const fallback = fallbackOf(setting);
  if (fallback === undefined || fallback === null) return undefined;
  const written = String(setting.kind.write(fallback));
  return written === "" ? undefined : `\`${written}\``;
}

/** In the order in which they first appear. */
export function groupSettings(all: readonly NamedSetting[]): ReadonlyMap<string, readonly NamedSetting[]> {
  return Map.groupBy(all, ({ setting }) => setting.group);
}
