export { type PortLease, reservePorts } from "./ports.ts";
export { type ExitInfo, type RunningProcess, type StartProcessOptions, startProcess } from "./start-process.ts";
