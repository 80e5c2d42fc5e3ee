import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** How another program, such as kubectl, starts this one. */
export interface Program {
  command(): { readonly command: string; readonly args: readonly string[] };
}

/** `fairlead` where that is what the shell finds; elsewhere (a source checkout, npx) this Node with this very file. */
export function readProgram(searchPath: string, self: Self = process): Program {
  return {
    command() {
      const file = self.argv[1] ?? "";
      const found = findOnPath(searchPath, "fairlead");
      if (found !== undefined && realPath(found) === realPath(file)) return { command: "fairlead", args: [] };
      return { command: self.execPath, args: [...conditionsOf(self.execArgv), realPath(file)] };
    },
  };
}

/** The part of `process` that says what runs. */
export interface Self {
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly argv: readonly string[];
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

/** Of Node's own flags those without which the sources wouldn't load; a debugger's port must not be handed on. */
function conditionsOf(execArgv: readonly string[]): string[] {
  return execArgv.flatMap((flag, index) => {
    if (flag === "-C" || flag === "--conditions") return [`--conditions=${execArgv[index + 1] ?? ""}`];
    return flag.startsWith("--conditions=") ? [flag] : [];
  });
}
