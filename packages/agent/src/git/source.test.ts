import { expect, test } from "vitest";
import { readGitAddress } from "./address.ts";
import { gitSourceSchema } from "./source.ts";

test.each([
  [
    "https://Git.example.com:8443/a/b.git",
    { is: "http", url: "https://git.example.com:8443/a/b.git" },
    "git.example.com",
  ],
  ["http://127.0.0.1:80/x", { is: "http", url: "http://127.0.0.1/x" }, "127.0.0.1"],
  ["ssh://me@h.example:22/x.git", { is: "ssh", url: "ssh://me@h.example:22/x.git" }, "h.example"],
  ["git@h.example:a/b.git", { is: "ssh", url: "git@h.example:a/b.git" }, "h.example"],
])("%s is an address", (text, address, host) => {
  expect(readGitAddress(text)).toEqual({ ...address, host });
});

test.each([
  "http://git.example.com/x",
  "https://me:hunter2@git.example.com/x",
  "https://git.example.com/x?token=hunter2",
  "ssh://me:hunter2@h/x",
  "ssh://-oProxyCommand=hunter2/x",
  "-u:hunter2",
  "git://h/hunter2",
  "ext::sh -c hunter2",
  "file:///hunter2",
  "/hunter2",
  "https://h/a\nb",
])("%j is none, and isn't repeated", (text) => {
  const read = (): unknown => readGitAddress(text);
  expect(read).toThrow(expect.objectContaining({ code: "GIT_ADDRESS_INVALID" }));
  expect(read).not.toThrow(/hunter2/);
});

const url = "https://h.example/x.git";
const commit = "0".repeat(40);

test.each([
  [{ url }, "commit or ref"],
  [{ url, commit, ref: "main" }, "commit or ref"],
  [{ url, commit: "abc" }, "whole commit id"],
  [{ url, ref: "--upload-pack=x" }, "branch or a tag"],
  [{ url, ref: "a..b" }, "branch or a tag"],
  [{ url, commit, subPaths: ["../x"] }, "inside of the repository"],
  [{ url, commit, subPaths: ["/x"] }, "inside of the repository"],
  [{ url, commit, credentials: { password: "hunter2" } }, "reference to a Secret"],
  [{ url, commit, credentials: { privateKey: "${secret:a/b/c}" } }, "password for HTTPS"],
  [{ url: "git@h:x", commit }, "knownHosts"],
  [{ url: "git@h:x", commit, knownHosts: "h x", credentials: { password: "${secret:a/b/c}" } }, "privateKey for SSH"],
])("%j isn't a source", (source, message) => {
  const { error } = gitSourceSchema.safeParse(source);
  expect(error?.message).toContain(message);
  expect(error?.message).not.toContain("hunter2");
});
