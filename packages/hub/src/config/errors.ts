import { FairleadError } from "@fairlead/kernel";

export function settingUnknown(name: string, where: string, nearest: string | undefined): FairleadError {
  return new FairleadError({
    code: "CONFIG_UNKNOWN",
    message: `${where} has an unknown setting: ${name}`,
    hint: nearest === undefined ? "`fairlead-hub --help` lists the settings." : `Did you mean ${nearest}?`,
    httpStatus: 400,
  });
}

export function settingInvalid(name: string, where: string, reason: string): FairleadError {
  return new FairleadError({
    code: "CONFIG_INVALID",
    message: `${name} (from ${where}) isn't valid: ${reason}`,
    hint: "`fairlead-hub --help` says what each setting takes.",
    httpStatus: 400,
  });
}

export function fileUnreadable(path: string, reason: string): FairleadError {
  return new FairleadError({
    code: "CONFIG_FILE_UNREADABLE",
    message: `the configuration file ${path} can't be read: ${reason}`,
    hint: "It is one YAML mapping of settings; `fairlead-hub --print-config` shows their names.",
    httpStatus: 400,
  });
}

export function commandUnknown(text: string): FairleadError {
  return new FairleadError({
    code: "CONFIG_COMMAND_UNKNOWN",
    message: `there is no command ${text}`,
    hint: "`fairlead-hub serve` is the only one, and the default.",
    httpStatus: 400,
  });
}
