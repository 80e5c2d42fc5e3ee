export { askVersion, type VersionQuestion } from "./ask-version.ts";
export { type ChildEnvironment, childEnvironment } from "./environment.ts";
export { processErrors } from "./errors.ts";
export { type FoundProgram, findProgram } from "./find-program.ts";
export { type ProcessOptions, type ProcessResult, runProcess, type StopPace } from "./run-process.ts";
export type { OnLine } from "./split-lines.ts";
export { openWorkFolder, removeWorkFolders, type WorkFolder } from "./work-folder.ts";
