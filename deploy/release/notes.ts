import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repoRoot } from "@fairlead/testkit";
import { releaseErrors } from "./errors.ts";
import type { SingleFile } from "./single-file/index.ts";

/** Users read the notes beside the files: the version's section of the changelog, and remarks on these files. */
export function writeNotes(options: {
  readonly version: string;
  readonly singleFiles: readonly SingleFile[];
  /** Says why a platform has none. */
  readonly omissions: readonly string[];
  readonly changelogFile?: string | undefined;
}): string {
  const { version, singleFiles, omissions, changelogFile = join(repoRoot, "docs", "CHANGELOG.md") } = options;
  return [
    `# Fairlead ${version}`,
    sectionOf(readFileSync(changelogFile, "utf8"), version),
    "## Files",
    "Compare what you download with `SHA256SUMS`: `sha256sum --check --ignore-missing SHA256SUMS`.",
    ...(singleFiles.length > 0 ? [singleFileText] : []),
    [...singleFiles.map(describe), ...omissions.map((omission) => `- ${omission}`)].join("\n"),
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n");
}

const singleFileText =
  "`fairlead-…` is the command as one file, with its Node in it. Rename it to `fairlead`, or to `kubectl-fairlead` for `kubectl fairlead`, and make it executable.";

function describe({ platform, nodeVersion }: SingleFile): string {
  return `- ${platform}: Node ${nodeVersion}. ${remarkOn(platform)}`;
}

function remarkOn(platform: SingleFile["platform"]): string {
  switch (platform) {
    case "linux-amd64":
      return "Run by the tests of this release.";
    case "linux-arm64":
      return "Checked in its structure, not run.";
    case "windows-amd64":
      return "Checked in its structure, not run. The signature of Node's publisher isn't valid for it, so Windows warns.";
    case "darwin-amd64":
    case "darwin-arm64":
      return "Checked in its structure, not run. Node's signature isn't valid for it and macOS ends what is signed wrongly: sign it yourself before the first start, `codesign --remove-signature FILE && codesign --sign - FILE`.";
  }
}

function sectionOf(changelog: string, version: string): string {
  const section = changelog.split(/^(?=## )/m).find((text) => text.split("\n", 1)[0]?.split(" ")[1] === version);
  if (section === undefined) throw releaseErrors.RELEASE_NOTES_MISSING({ version });
  return section.split("\n").slice(1).join("\n").trim();
}
