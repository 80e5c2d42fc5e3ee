import { namedSettings, type Program } from "./setting.ts";

export interface PrintedSetting {
  readonly name: string;
  readonly help: string;
  /** As the file has it, without secrets. */
  readonly value: unknown;
}

/** The settings that are in effect, in the order of the table. */
export function printSettings<Config>(program: Program<Config>, config: Config): readonly PrintedSetting[] {
  const values = config as Readonly<Record<string, unknown>>;
  return namedSettings(program).map(({ member, name, setting }) => {
    const value = values[member];
    const { secret, kind, help } = setting;
    if (value === undefined || value === null) return { name, help, value: undefined };
    const written = kind.write(value);
    return { name, help, value: secret ? secret.hide(String(written)) : written };
  });
}
