import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  CLI_RECORDING_INVALID: {
    message: "The recording can't be played: {why}.",
    hint: "Save it unchanged with --output FILE, and compare the versions of client and hub with 'fairlead version'.",
    meaning: "The hub returned a recording that isn't an asciicast of version 2.",
  },
} as const;

export const replayErrors: Errors<typeof table> = defineErrors(table);
