import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  IMAGE_PACKAGE_GONE: {
    message: "The package sources no longer have what deploy/images/lock.json names: {list}.",
    hint: "Take what they have now into the lock file by `npm run images -- --update-lock`, or build with --allow-newer once, or name sources that still have it by --apt-sources FILE.",
  },
  IMAGE_PACKAGES_UNAVAILABLE: {
    retryable: true,
    message: "{wanted} could not be fetched.",
    hint: "Build on Debian or Ubuntu with apt-get, dpkg-deb and npm, and let them reach their package sources.",
  },
  IMAGE_PACKAGE_CORRUPT: {
    message: "{wanted} is not what the lock file pins: its digest differs.",
    hint: "Don't use it. Find out who changed the package, or what stands between this machine and its registry.",
  },
  IMAGE_LOCK_INVALID: {
    message: "deploy/images/lock.json can't be used: {reason}.",
    hint: "Make it anew by `npm run images -- --update-lock`.",
  },
  IMAGE_TEMPLATE_DIFFERS: {
    message: "The data folder that initdb made has the digest {digest}; deploy/images/lock.json pins {pinned}.",
    hint: "Find out what differs on this machine, then take the new digest into the lock file by `npm run images -- --update-lock`.",
  },
  IMAGE_NOT_BUILT: {
    message: "{path} is missing, or not of the version that package-lock.json names.",
    hint: "Run `npm install` and `npm run build` first.",
  },
  IMAGE_ARGUMENT_INVALID: { message: "{problem}", hint: "`npm run images -- --help` lists the arguments." },
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
