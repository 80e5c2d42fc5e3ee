import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProgramRun, Programs } from "../../programs.ts";
import { openHelm } from "./open-helm.ts";

test("of what Helm says too much of, whole lines are kept: a mask finds no part of a value", async () => {
  const piece = "x".repeat(65_536);
  const said = await hear((tell) => {
    tell("first", false);
    tell(piece, true);
    tell("ends", false);
    for (let count = 0; count < 3; count++) tell(piece, true);
    tell("the rest of it", false);
    tell("late", false);
  });
  expect(said).toBe(`first\n${piece}ends`);
});

test("a line within the limit is kept whole", async () => {
  const said = await hear((tell) => {
    tell("Error: a", true);
    tell("b", false);
  });
  expect(said).toBe("Error: ab");
});

async function hear(speak: (tell: (line: string, isCut: boolean) => void) => void): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-helm-"));
  try {
    const programs = {
      folder,
      door: { kubeconfig: () => "" },
      versionOf: async () => "v4.0.0",
      async run({ onStderr = () => undefined }: ProgramRun) {
        speak(onStderr);
        return { exitCode: 1, stdout: Buffer.alloc(0) };
      },
    } as unknown as Programs;
    const helm = await openHelm(programs, "shop");
    return (await helm.run({ args: [] })).said;
  } finally {
    await rm(folder, { recursive: true });
  }
}
