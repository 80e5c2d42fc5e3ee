import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  RELEASE_SINGLE_FILE_BROKEN: {
    message: "The single file for {platform} is broken: {reason}.",
    hint: "Don't publish it. Compare the versions of Node and postject with those of the last release.",
    meaning: "A single file doesn't have the script where Node looks for it.",
  },
  RELEASE_PLATFORM_MISSING: {
    message: "There is no single file for {platform}: npm has no Node 24 with current fixes for it.",
    hint: "Install the npm package there, or use the file for darwin-amd64 by Rosetta.",
    meaning:
      "Npm has no fit Node for a platform, so there is no single file for it. The release goes on, and its notes say so.",
  },
  RELEASE_VERSIONS_DIFFER: {
    message: "The places that name a version don't agree: {list}.",
    hint: "Write one version into all of them, run `npm run lock`, and try again.",
    meaning: "Manifests, lock file, charts and changelog don't name one version; the message names each place.",
  },
  RELEASE_NOT_PUBLISHED: {
    message: "Nothing is published from here.",
    hint: "Run `npm run release -- --dry-run`, then publish what is in dist/release with credentials of your own: packages to an npm registry, images and charts to an OCI registry, the other files to a download page. docs/releasing.md has the commands.",
    meaning: "`npm run release` was called without `--dry-run`. Nothing is published from a checkout.",
  },
  RELEASE_ARGUMENT_INVALID: {
    message: "{problem}",
    hint: "`npm run release -- --help` lists the arguments.",
    meaning: "`npm run release` was given something that it doesn't know.",
  },
  RELEASE_STEP_FAILED: {
    message: "{command} failed:\n{output}",
    hint: "Run the command by itself to see all of its output.",
    meaning: "A command that a release needs failed: npm or go.",
  },
  RELEASE_NOTES_MISSING: {
    message: "docs/CHANGELOG.md has no section for {version}.",
    hint: 'Write what changes for users under "## {version}".',
    meaning: "Docs/CHANGELOG.md has no section for the version.",
  },
} as const;

export const releaseErrors: Errors<typeof table> = defineErrors(table);

export function versionsDiffer(places: readonly { readonly place: string; readonly version: string }[]): FairleadError {
  const list = places.map(({ place, version }) => `${place} says ${version}`).join("; ");
  return releaseErrors.RELEASE_VERSIONS_DIFFER({ list });
}

export function argumentInvalid(problem: string): FairleadError {
  return releaseErrors.RELEASE_ARGUMENT_INVALID({ problem });
}
