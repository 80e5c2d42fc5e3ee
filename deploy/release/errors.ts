import { FairleadError } from "@fairlead/kernel";

export function singleFileBroken(platform: string, reason: string): FairleadError {
  return new FairleadError({
    code: "RELEASE_SINGLE_FILE_BROKEN",
    message: `The single file for ${platform} isn't as it has to be: ${reason}.`,
    hint: "Don't publish it. Compare the versions of Node and postject with those of the last release.",
  });
}

export function platformMissing(platform: string): FairleadError {
  return new FairleadError({
    code: "RELEASE_PLATFORM_MISSING",
    message: `There is no single file for ${platform}: npm has no Node 24 with current fixes for it.`,
    hint: "Install the npm package there, or use the file for darwin-amd64 by Rosetta.",
  });
}

export function versionsDiffer(places: readonly { readonly place: string; readonly version: string }[]): FairleadError {
  const list = places.map(({ place, version }) => `${place} says ${version}`).join("; ");
  return new FairleadError({
    code: "RELEASE_VERSIONS_DIFFER",
    message: `The places that name a version don't agree: ${list}.`,
    hint: "Write one version into all of them, run `npm run lock`, and try again.",
  });
}

export function notPublishedFromHere(): FairleadError {
  return new FairleadError({
    code: "RELEASE_NOT_PUBLISHED",
    message: "Nothing is published from here.",
    hint:
      "Run `npm run release -- --dry-run`, then publish what is in dist/release with credentials of your own: " +
      "packages to an npm registry, images and charts to an OCI registry, the other files to a download page. " +
      "docs/releasing.md has the commands.",
  });
}

export function argumentInvalid(message: string): FairleadError {
  return new FairleadError({
    code: "RELEASE_ARGUMENT_INVALID",
    message,
    hint: "`npm run release -- --help` lists what can be said.",
  });
}

export function stepFailed(what: string, output: string): FairleadError {
  return new FairleadError({
    code: "RELEASE_STEP_FAILED",
    message: `${what} failed:\n${output.slice(-2000)}`,
    hint: "Run the command by itself to see all of its output.",
  });
}

export function changelogLacks(version: string): FairleadError {
  return new FairleadError({
    code: "RELEASE_NOTES_MISSING",
    message: `docs/CHANGELOG.md has no section for ${version}.`,
    hint: `Write what changes for users under "## ${version}".`,
  });
}
