import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  CONFIG_COMMAND_UNKNOWN: {
    httpStatus: 400,
    message: "There is no command {text}.",
    hint: "The commands are serve (the default), admin-token new, store backup, store restore and store copy.",
    meaning: "`fairlead-hub` has no such command.",
    remedy: "Leave it out to serve, or use one of those in `fairlead-hub --help`.",
  },
} as const;

export const configErrors: Errors<typeof table> = defineErrors(table);
