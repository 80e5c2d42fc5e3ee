import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  RELEASE_SINGLE_FILE_BROKEN: {
    message: "The single file for {platform} is broken: {reason}.",
    hint: "Don't publish it. Compare the versions of Node and postject with those of the last release.",
    meaning: "A single file doesn't contain the script where Node expects it.",
  },
  RELEASE_PLATFORM_MISSING: {
    message: "There is no single file for {platform}: npm has no Node 24 with current fixes for it.",
    hint: "Install the npm package there, or use the file for darwin-amd64 with Rosetta.",
    meaning:
      "The npm registry has no suitable Node for a platform, so there is no single file for it. The release continues, and its notes say so.",
  },
  RELEASE_VERSIONS_DIFFER: {
    message: "The places that name the version don't agree: {list}.",
    hint: "Write the same version into all of them, run `npm run lock`, and retry.",
    meaning: "Manifests, lock file, charts and changelog don't name the same version; the message lists each place.",
  },
  RELEASE_NOT_PUBLISHED: {
    message: "A release can't be published from a checkout.",
    hint: "Run `npm run release -- --dry-run`, then publish the content of dist/release with your own credentials: packages to an npm registry, images and charts to an OCI registry, the other files to a download page. docs/releasing.md has the commands.",
    meaning: "`npm run release` was called without `--dry-run`. A release can't be published from a checkout.",
  },
  RELEASE_ARGUMENT_INVALID: {
    message: "{problem}",
    hint: "Run `npm run release -- --help` to list the arguments.",
    meaning: "`npm run release` was called with an unknown flag or an invalid value.",
  },
  RELEASE_STEP_FAILED: {
    message: "{command} failed:\n{output}",
    hint: "Run the command on its own to see its full output.",
    meaning: "A command that the release needs (npm or go) failed.",
  },
  RELEASE_NOTES_MISSING: {
    message: "docs/CHANGELOG.md has no section for {version}.",
    hint: 'Describe what changes for users under "## {version}".',
    meaning: "The file docs/CHANGELOG.md has no section for the version.",
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
