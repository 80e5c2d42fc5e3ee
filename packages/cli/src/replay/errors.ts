import { FairleadError } from "@fairlead/kernel";

export function recordingInvalid(why: string): FairleadError {
  return new FairleadError({
    code: "CLI_RECORDING_INVALID",
    message: `The recording can't be played: ${why}.`,
    hint: "Keep it as it is with --output FILE, and compare the versions of client and hub with 'fairlead version'.",
  });
}
