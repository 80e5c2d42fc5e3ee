import { defineErrors, type Errors } from "../define-errors.ts";
import type { FairleadError } from "../errors.ts";

const table = {
  CONFIG_UNKNOWN: {
    httpStatus: 400,
    message: "The setting {name} (from {where}) doesn't exist.",
    hint: "{advice}",
    meaning:
      "A flag, an environment variable that begins with FAIRLEAD_HUB_ or FAIRLEAD_AGENT_, or a key of the YAML file isn't a setting of the program.",
    remedy: "Use the name that the hint suggests, or run the program with `--help`.",
  },
  CONFIG_INVALID: {
    httpStatus: 400,
    message: "{name} is invalid: {reason}.",
    hint: "Run `{program} --help` to see the allowed values of each setting.",
    meaning:
      "A setting of the hub or the agent has a value that isn't allowed, alone or in combination with other settings. The message names the flag, variable or key, and the expected value.",
    remedy: "Correct the value there. Flags override environment variables, which override the file.",
  },
  CONFIG_GIVEN_TWICE: {
    httpStatus: 400,
    message: "{former} and {name} are both set, but they are the same setting.",
    hint: "Remove {former}, which is the former name.",
    meaning: "A setting is set under both its current and its former name, such as `--drain` and `--drain-ms`.",
  },
  CONFIG_FILE_UNREADABLE: {
    httpStatus: 400,
    message: "The configuration file {path} can't be read: {reason}.",
    hint: "Check its path and permissions. The file must be one YAML mapping of settings, as `{program} --print-config` writes it.",
    meaning: "The file named by `--config` can't be read, or isn't one YAML mapping; the message says why.",
    remedy: "Check its path and permissions, and write it as `name: value` lines.",
  },
  CONFIG_SECRET_IN_FLAG: {
    httpStatus: 400,
    message: "{flag} contains a secret, which every user of this machine can read in the process list.",
    hint: "{advice}",
    meaning:
      "A flag contains a secret: a token, or an address with a password. Every user of the machine can read flags in the process list.",
    remedy:
      "Write the secret to a file and name it with the setting's `…-file` flag, or use the environment variable that the hint names.",
  },
} as const;

export const settingErrors: Errors<typeof table> = defineErrors(table);

export function settingUnknown({
  name,
  where,
  nearest,
  program,
}: {
  readonly name: string;
  readonly where: string;
  readonly nearest: string | undefined;
  readonly program: string;
}): FairleadError {
  const advice = nearest === undefined ? `Run \`${program} --help\` to list all settings.` : `Did you mean ${nearest}?`;
  return settingErrors.CONFIG_UNKNOWN({ name, where, advice });
}
