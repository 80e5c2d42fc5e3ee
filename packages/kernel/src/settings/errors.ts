import { defineErrors, type Errors } from "../define-errors.ts";
import type { FairleadError } from "../errors.ts";

const table = {
  CONFIG_UNKNOWN: { httpStatus: 400, message: "There is no setting {name} (from {where}).", hint: "{advice}" },
  CONFIG_INVALID: {
    httpStatus: 400,
    message: "{name} is invalid: {reason}.",
    hint: "Run `{program} --help` to see what each setting takes.",
  },
  CONFIG_GIVEN_TWICE: {
    httpStatus: 400,
    message: "{former} and {name} are both given, and they are the same setting.",
    hint: "Remove {former}: it is the former spelling.",
  },
  CONFIG_FILE_UNREADABLE: {
    httpStatus: 400,
    message: "The configuration file {path} can't be read: {reason}.",
    hint: "Check its path and permissions. It must be one YAML mapping of settings, as `{program} --print-config` writes it.",
  },
  CONFIG_SECRET_IN_FLAG: {
    httpStatus: 400,
    message: "{flag} holds a secret, and every user of this machine can read it in the process list.",
    hint: "{advice}",
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
