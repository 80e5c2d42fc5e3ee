export { readGitAddress } from "./address.ts";
export { type CheckedOut, type CheckOutOptions, checkOut } from "./check-out.ts";
export type { GitPrograms } from "./run-git.ts";
export { type GitSource, gitSourceSchema } from "./source.ts";
export { watchSize } from "./tree/watch-size.ts";
