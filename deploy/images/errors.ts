import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  IMAGE_PACKAGE_GONE: {
    message: "The package sources no longer have the versions in deploy/images/lock.json: {list}.",
    hint: "Update the lock file with `npm run images -- --update-lock`, build once with --allow-newer, or name sources that still have the versions with --apt-sources FILE.",
    meaning: "The package sources no longer have a version that `deploy/images/lock.json` names.",
  },
  IMAGE_PACKAGES_UNAVAILABLE: {
    retryable: true,
    message: "{wanted} couldn't be downloaded.",
    hint: "Build on Debian or Ubuntu with apt-get, dpkg-deb and npm, and with access to their package sources.",
    meaning:
      "The program apt-get, dpkg-deb or npm is missing, or can't reach its package sources; the message names the package.",
    remedy: "Build on Debian or Ubuntu with access to package sources, and retry.",
  },
  IMAGE_PACKAGE_CORRUPT: {
    message: "{wanted} doesn't match the lock file: its digest differs.",
    hint: "Don't use it. Find out who changed the package, or what intercepts the connection to its registry.",
    meaning: "A package doesn't match the lock file.",
  },
  IMAGE_LOCK_INVALID: {
    message: "deploy/images/lock.json can't be used: {reason}.",
    hint: "Recreate it with `npm run images -- --update-lock`.",
    meaning: "`deploy/images/lock.json` is missing, or doesn't have the format that `--update-lock` writes.",
  },
  IMAGE_TEMPLATE_DIFFERS: {
    message: "The data folder that initdb created has the digest {digest}, but deploy/images/lock.json pins {pinned}.",
    hint: "Find out what differs on this machine, then update the lock file with `npm run images -- --update-lock`.",
    meaning:
      "The digest of the data folder for images differs from `deploy/images/lock.json`: `initdb` behaved differently on this machine.",
  },
  IMAGE_NOT_BUILT: {
    message: "{path} is missing, or isn't the version in package-lock.json.",
    hint: "Run `npm install` and `npm run build` first.",
    meaning: "A compiled file or an installed npm package for an image is missing, or has another version.",
  },
  IMAGE_ARGUMENT_INVALID: {
    message: "{problem}",
    hint: "Run `npm run images -- --help` to list the arguments.",
    meaning: "`npm run images` was called with an unknown flag or an invalid value.",
  },
} as const;

export const imageErrors: Errors<typeof table> = defineErrors(table);

export function packageGone(
  gone: readonly { readonly name: string; readonly arch: string; readonly version: string; readonly newest?: string }[],
): FairleadError {
  const list = gone.map(
    ({ name, arch, version, newest }) => `${name} ${version} for ${arch} (${newest ? `now ${newest}` : "none now"})`,
  );
  return imageErrors.IMAGE_PACKAGE_GONE({ list: list.join(", ") });
}

export function argumentInvalid(problem: string): FairleadError {
  return imageErrors.IMAGE_ARGUMENT_INVALID({ problem });
}
