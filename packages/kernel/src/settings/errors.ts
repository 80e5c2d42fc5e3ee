import { defineErrors, type Errors } from "../define-errors.ts";
import type { FairleadError } from "../errors.ts";

const table = {
  CONFIG_UNKNOWN: {
    httpStatus: 400,
    message: "There is no setting {name} (from {where}).",
    hint: "{advice}",
    meaning:
      "A flag, an environment variable that begins with FAIRLEAD_HUB_ or FAIRLEAD_AGENT_, or a key of the YAML file isn't a setting of the program.",
    remedy: "Use the name that the hint suggests, or look at `--help`.",
  },
  CONFIG_INVALID: {
    httpStatus: 400,
    message: "{name} is invalid: {reason}.",
    hint: "Run `{program} --help` to see what each setting takes.",
    meaning:
      "A setting of the hub or the agent has a value that isn't allowed, alone or together with other settings. The message names the flag, variable or key and what is expected.",
    remedy: "Correct the value there. Flags win over the environment, and that wins over the file.",
  },
  CONFIG_GIVEN_TWICE: {
    httpStatus: 400,
    message: "{former} and {name} are both given, and they are the same setting.",
    hint: "Remove {former}: it is the former spelling.",
    meaning: "A setting is given both in its current and in its former spelling, such as `--drain` and `--drain-ms`.",
  },
  CONFIG_FILE_UNREADABLE: {
    httpStatus: 400,
    message: "The configuration file {path} can't be read: {reason}.",
    hint: "Check its path and permissions. It must be one YAML mapping of settings, as `{program} --print-config` writes it.",
    meaning: "The file named by `--config` can't be read, or isn't one YAML mapping; the message says why.",
    remedy: "Check its path and permissions, and write it as `name: value` lines.",
  },
  CONFIG_SECRET_IN_FLAG: {
    httpStatus: 400,
    message: "{flag} holds a secret, and every user of this machine can read it in the process list.",
    hint: "{advice}",
    meaning:
      "A flag holds a secret: a token, or an address with a password. Every user of the machine can read flags in the process list.",
    remedy:
      "Put the secret into a file and name that with the setting's `…-file` flag, or use the environment variable that the hint names.",
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
