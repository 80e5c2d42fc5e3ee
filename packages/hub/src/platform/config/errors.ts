import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  CONFIG_COMMAND_UNKNOWN: {
    httpStatus: 400,
    message: "There is no command {text}.",
    hint: "The commands are serve (the default), admin-token new, store backup, store restore and store copy.",
  },
} as const;

export const configErrors: Errors<typeof table> = defineErrors(table);
