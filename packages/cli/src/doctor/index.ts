export type { DoctorOptions } from "./options.ts";
export { runDoctor } from "./run-doctor.ts";
