import { accessSync, constants, realpathSync } from "node:fs";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { isSea } from "node:sea";

/** How another program, such as kubectl, starts this one. */
export interface Program {
  /** How a person types it: `fairlead`, or `kubectl fairlead` where kubectl found it as its plugin. */
  readonly typedName: string;
  command(): { readonly command: string; readonly args: readonly string[] };
}

/**
 * `fairlead` where that is what the shell finds; elsewhere this very file, with its Node in front of it (a source
 * checkout, npx) unless the file is a program by itself.
 */
export function readProgram(searchPath: string, self: Self = thisProcess()): Program {
  const file = self.isSingleFile ? self.execPath : (self.argv[1] ?? "");
  return {
    typedName: /^kubectl-fairlead\b/.test(basename(self.argv[1] ?? "")) ? "kubectl fairlead" : "fairlead",
    command() {
      const found = findOnPath(searchPath, "fairlead");
      if (found !== undefined && realPath(found) === realPath(file)) return { command: "fairlead", args: [] };
      if (self.isSingleFile) return { command: realPath(file), args: [] };
      return { command: self.execPath, args: [...conditionsOf(self.execArgv), realPath(file)] };
    },
  };
}

/** The part of `process` that says what runs. */
export interface Self {
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly argv: readonly string[];
  /** True when the program and its Node are a single file. */
  readonly isSingleFile: boolean;
}

function thisProcess(): Self {
  const { execPath, execArgv, argv } = process;
  return { execPath, execArgv, argv, isSingleFile: isSea() };
}

function findOnPath(searchPath: string, name: string): string | undefined {
  // A relative folder of PATH means another file in every working folder.
  const folders = searchPath.split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/**
 * Keeps those of Node's own flags without which the sources wouldn't load; a debugger's port must not be handed on.
 */
function conditionsOf(execArgv: readonly string[]): string[] {
  return execArgv.flatMap((flag, index) => {
    if (flag === "-C" || flag === "--conditions") return [`--conditions=${execArgv[index + 1] ?? ""}`];
    return flag.startsWith("--conditions=") ? [flag] : [];
  });
}
