// Imported before a program: writes which modules the program has loaded into the file that LOADS_FILE names, at its end.
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

const files: string[] = [];
registerHooks({
  load(url, context, next) {
    files.push(url);
    return next(url, context);
  },
});
process.on("exit", () => {
  // Node's own are told by it alone.
  const { moduleLoadList = [] } = process as unknown as { readonly moduleLoadList?: readonly string[] };
  const builtins = moduleLoadList.flatMap((line) => /^NativeModule (?!internal\/)(.*)$/.exec(line)?.[1] ?? []);
  writeFileSync(process.env["LOADS_FILE"] ?? "", JSON.stringify([...files, ...builtins.map((name) => `node:${name}`)]));
});
