import { expect, test } from "vitest";
import { findDeclaredBackend } from "./prepare/backend.ts";
import { parseTofuSpec } from "./spec.ts";

const source = { files: { "main.tf": "" } };

test("a spec has its defaults", () => {
  expect(parseTofuSpec({ name: "web", source })).toMatchObject({
    namespace: "default",
    workspace: "default",
    action: "apply",
    lockTimeoutSeconds: 0,
    replaceBackend: false,
    source: { is: "files" },
  });
});

test.each([
  [".", "."],
  ["./", "."],
  ["./infra/", "infra"],
])("source.path may be %s", (path, plain) => {
  const git = { url: "https://h/x", ref: "main" };
  expect(parseTofuSpec({ name: "web", source: { git, path } }).source).toMatchObject({ is: "git", path: plain });
});

test.each([
  [{ source }, "name"],
  [{ name: "Web", source }, "DNS label"],
  [{ name: "web", source: {} }, "files or git"],
  [{ name: "web", source: { ...source, path: "x" } }, "no path with files"],
  [{ name: "web", source: { files: {} } }, "names no file"],
  [{ name: "web", source: { files: { "../x": "" } } }, "inside of the source"],
  [{ name: "web", source: { files: { "/x": "" } } }, "inside of the source"],
  [{ name: "web", source, environment: { TF_CLI_ARGS: "x" } }, "set by the agent"],
  [{ name: "web", source, environment: { LD_PRELOAD: "x" } }, "set by the agent"],
  [{ name: "web", source, environment: { GIT_SSH_COMMAND: "x" } }, "set by the agent"],
  [{ name: "web", source, variables: { "a b": 1 } }, "name of a variable"],
  [{ name: "web", source, targets: ["a\nb"] }, "address of a resource"],
  [{ name: "web", source, providers: { mirror: "http://x/" } }, "must be a folder"],
  [{ name: "web", source, providers: { mirror: '/x"\n}' } }, "must be a folder"],
  [{ name: "web", source, outputs: { secret: "../x" } }, "secret"],
  [{ name: "web", source: { git: { url: "https://h/x" } } }, "commit or ref"],
  [{ name: "web", source: { git: { url: "https://h/x", ref: "main" }, path: "../.." } }, "inside of the source"],
])("%j is refused", (spec, message) => {
  expect(() => parseTofuSpec(spec)).toThrow(expect.objectContaining({ code: "COMMAND_SPEC_INVALID" }));
  expect(() => parseTofuSpec(spec)).toThrow(message);
});

test.each([
  ['terraform {\n  backend "s3" {\n  }\n}', "s3"],
  ['terraform { backend "local" {} }', "local"],
  ['terraform {\n required_version = ">= 1"\n /* x */ backend "gcs" {} }', "gcs"],
  ["terraform {\n  cloud {\n  }\n}", "cloud"],
  ['terraform {\n  # backend "s3" {\n}', undefined],
  ['terraform {}\nlocals {\n  x = "backend \\"s3\\" {"\n}', undefined],
  ['terraform {}\nlocals {\n  x = <<EOT\nbackend "s3" {\nEOT\n}', undefined],
  ['resource "x" "backend" {}', undefined],
])("%j declares %s", (text, backend) => {
  expect(findDeclaredBackend(text)).toBe(backend);
});
