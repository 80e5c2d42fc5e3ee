import type { FairleadError } from "../errors.ts";
import { settingErrors } from "./errors.ts";
import { namedSettings, type Program } from "./setting.ts";
import { toFlag, toVariable } from "./spellings.ts";

/** Names the other ways to give this setting: a file where the program has one for it, and its variable. */
export function secretInFlag<Config>(program: Program<Config>, name: string): FairleadError {
  const fileFlag = namedSettings(program).some((other) => other.name === `${name}File`) && toFlag(`${name}File`);
  const variable = toVariable(program.variablePrefix, name);
  const advice = fileFlag
    ? `Write it to a file that only the program's user can read, and name the file with ${fileFlag}; or set ${variable}.`
    : `Set ${variable} instead.`;
  return settingErrors.CONFIG_SECRET_IN_FLAG({ flag: toFlag(name), advice });
}
