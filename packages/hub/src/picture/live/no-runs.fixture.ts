import type { SubscribeToRuns } from "./index.ts";

/** Where nobody asks for runs. */
export const noRuns: SubscribeToRuns = () => () => Promise.reject(new Error("there are no runs here"));
