export { type CreditBudget, spareOf } from "./credit-budget.ts";
export { baseWindowBytes, CreditPool } from "./credit-pool.ts";
export type { Breach } from "./inbound.ts";
export { ReceiveWindow } from "./receive-window.ts";
export { linkLost, streamReset } from "./reset-errors.ts";
export { Scheduler, type Way } from "./scheduler.ts";
export { MuxStream, type StreamOwner } from "./stream.ts";
export type { LinkStream, StreamAcceptor, StreamHandlers } from "./types.ts";
export { type TunerOptions, WindowTuner } from "./window-tuner.ts";
