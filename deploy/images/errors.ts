import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  IMAGE_PACKAGE_GONE: {
    message: "The package sources no longer have what deploy/images/lock.json names: {list}.",
    hint: "Take what they have now into the lock file by `npm run images -- --update-lock`, or build with --allow-newer once, or name sources that still have it by --apt-sources FILE.",
    meaning: "The package sources have moved on: a version that `deploy/images/lock.json` names is no longer there.",
  },
  IMAGE_PACKAGES_UNAVAILABLE: {
    retryable: true,
    message: "{wanted} could not be fetched.",
    hint: "Build on Debian or Ubuntu with apt-get, dpkg-deb and npm, and let them reach their package sources.",
    meaning: "Apt-get, dpkg-deb or npm is missing, or couldn't reach its package sources; the message says for what.",
    remedy: "Build on Debian or Ubuntu, with access to package sources, and try again.",
  },
  IMAGE_PACKAGE_CORRUPT: {
    message: "{wanted} is not what the lock file pins: its digest differs.",
    hint: "Don't use it. Find out who changed the package, or what stands between this machine and its registry.",
    meaning: "A package isn't the one that a lock file pins.",
  },
  IMAGE_LOCK_INVALID: {
    message: "deploy/images/lock.json can't be used: {reason}.",
    hint: "Make it anew by `npm run images -- --update-lock`.",
    meaning: "`deploy/images/lock.json` is missing, or isn't what `--update-lock` writes.",
  },
  IMAGE_TEMPLATE_DIFFERS: {
    message: "The data folder that initdb made has the digest {digest}; deploy/images/lock.json pins {pinned}.",
    hint: "Find out what differs on this machine, then take the new digest into the lock file by `npm run images -- --update-lock`.",
    meaning:
      "The data folder that images begin with came out otherwise than `deploy/images/lock.json` pins it: this machine's `initdb` did something else.",
  },
  IMAGE_NOT_BUILT: {
    message: "{path} is missing, or not of the version that package-lock.json names.",
    hint: "Run `npm install` and `npm run build` first.",
    meaning:
      "A compiled file or an installed npm package that belongs into an image is missing, or of another version.",
  },
  IMAGE_ARGUMENT_INVALID: {
    message: "{problem}",
    hint: "`npm run images -- --help` lists the arguments.",
    meaning: "`npm run images` was given a flag or a value that it doesn't know.",
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
