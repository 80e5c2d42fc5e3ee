export { openAccess, readCluster } from "./cluster/index.ts";
export type { DoctorOptions } from "./options.ts";
export { readQuestion } from "./question.ts";
export { readProfile } from "./read-profile.ts";
export { runDoctor } from "./run-doctor.ts";
