import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CONFIG_UNKNOWN: {
    httpStatus: 400,
    message: "{where} has an unknown setting: {name}",
    hint: "{advice}",
    meaning:
      "A flag, an environment variable that begins with FAIRLEAD_HUB_, or a key of the hub's YAML file isn't a setting.",
    remedy: "Use the name that the hint suggests, or look at `fairlead-hub --help`.",
  },
  CONFIG_INVALID: {
    httpStatus: 400,
    message: "{name} (from {where}) isn't valid: {reason}",
    hint: "`fairlead-hub --help` says what each setting takes.",
    meaning: "A setting of the hub has a value that it doesn't take; the message says which, from where, and why.",
    remedy: "Correct it there. Flags go before the environment, the environment before the file.",
  },
  CONFIG_FILE_UNREADABLE: {
    httpStatus: 400,
    message: "the configuration file {path} can't be read: {reason}",
    hint: "It is one YAML mapping of settings; `fairlead-hub --print-config` shows their names.",
  },
  CONFIG_COMMAND_UNKNOWN: {
    httpStatus: 400,
    message: "there is no command {text}",
    hint: "The commands are serve, which is the default, admin-token new, store backup, store restore and store copy.",
    meaning: "`fairlead-hub` was called with a command other than `serve`.",
    remedy: "Leave it away: serving is the default.",
  },
  CONFIG_SECRET_IN_FLAG: {
    httpStatus: 400,
    message:
      "the address of a database on the command line holds a password, and flags are in the process list for everybody to see",
    hint: "Put it into a file that only the hub's user may read, and name that by {flag}-file; or use the environment variable.",
  },
} as const;

export const configErrors: Errors<typeof table> = defineErrors(table);

export function settingUnknown(name: string, where: string, nearest: string | undefined): FairleadError {
  return configErrors.CONFIG_UNKNOWN({
    where,
    name,
    advice: nearest === undefined ? "`fairlead-hub --help` lists the settings." : `Did you mean ${nearest}?`,
  });
}
