import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  CONFIG_COMMAND_UNKNOWN: {
    httpStatus: 400,
    message: "The command {text} doesn't exist.",
    hint: "The commands are serve (the default), admin-token new, store backup, store restore and store copy.",
    meaning: "`fairlead-hub` doesn't have this command.",
    remedy: "Use a command from `fairlead-hub --help`, or no command to serve.",
  },
} as const;

export const configErrors: Errors<typeof table> = defineErrors(table);
