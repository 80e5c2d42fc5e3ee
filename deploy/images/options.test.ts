import { expect, test } from "vitest";
import { help, readInvocation } from "./options.ts";

test("everything is built unless told, below the folder that paths are from", () => {
  const { kind, options } = readBuild([]);
  expect(kind).toBe("build");
  expect(options).toMatchObject({
    outDir: "/home/me/dist/images",
    programs: ["hub", "agent", "agent-execute"],
    arches: ["amd64", "arm64"],
  });
  const one = readBuild([
    "--program",
    "agent",
    "--arch=arm64",
    "--out",
    "out",
    "--revision",
    "0123abc",
    "--allow-newer",
  ]);
  expect(one.options).toMatchObject({ outDir: "/home/me/out", programs: ["agent"], arches: ["arm64"] });
  expect(one.options).toMatchObject({ revision: "0123abc", allowNewer: true });
});

test("what isn't known is refused, and what is known is in the help", () => {
  for (const args of [["--arch", "mips"], ["--program", "cli"], ["--push"], ["hub"], ["--rootfs", "x"]]) {
    expect(() => readInvocation(args, "/home/me")).toThrow(expect.objectContaining({ code: "IMAGE_ARGUMENT_INVALID" }));
  }
  expect(readInvocation(["--help"])).toEqual({ kind: "help" });
  expect(readInvocation(["--update-lock"])).toMatchObject({ kind: "update-lock" });
  for (const flag of ["program", "arch", "out", "rootfs", "revision", "source", "allow-newer", "apt-sources"]) {
    expect(help).toContain(`--${flag} `);
  }
});

function readBuild(args: readonly string[]) {
  const invocation = readInvocation(args, "/home/me");
  if (invocation.kind !== "build") throw new Error("it builds nothing");
  return invocation;
}
