import { type Clock, systemClock } from "@fairlead/kernel";

/** Goes on evenly, whoever sets the machine's clock. Its times mean nothing outside of this process. */
export const steadyClock: Clock = { now: () => performance.now(), after: systemClock.after };
