import { mkdir, mkdtempDisposable, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { readProgram } from "./program.ts";

test("the program is called by its name where the path leads to it, and by its file where it leads elsewhere", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "fairlead-program-"));
  const main = join(folder.path, "main.js");
  const [mine, others] = [join(folder.path, "mine"), join(folder.path, "others")];
  await writeFile(main, "", { mode: 0o755 });
  for (const bin of [mine, others]) await mkdir(bin);
  await symlink(main, join(mine, "fairlead"));
  await writeFile(join(others, "fairlead"), "", { mode: 0o755 });
  const self = {
    execPath: "/opt/node",
    execArgv: ["--inspect=9229", "--conditions=@fairlead/source", "-C", "node"],
    argv: ["node", join(mine, "fairlead")],
    isSingleFile: false,
  };

  expect(readProgram(["bin", mine, others].join(delimiter), self).command()).toEqual({ command: "fairlead", args: [] });
  for (const path of ["", others, [others, mine].join(delimiter)]) {
    expect(readProgram(path, self).command()).toEqual({
      command: "/opt/node",
      args: ["--conditions=@fairlead/source", "--conditions=node", main],
    });
  }
});

test("one file is a program by itself, under whatever name", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "fairlead-program-"));
  const plugin = join(folder.path, "kubectl-fairlead");
  await writeFile(plugin, "", { mode: 0o755 });
  const self = { execPath: plugin, execArgv: [], argv: [plugin, plugin, "login"], isSingleFile: true };

  expect(readProgram(folder.path, self).command()).toEqual({ command: plugin, args: [] });
  expect(readProgram("", self).typedName).toBe("kubectl fairlead");
  await symlink(plugin, join(folder.path, "fairlead"));
  expect(readProgram(folder.path, self).command()).toEqual({ command: "fairlead", args: [] });
  expect(readProgram("", { ...self, argv: [plugin, "fairlead.exe"] }).typedName).toBe("fairlead");
});
