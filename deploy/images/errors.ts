import { FairleadError } from "@fairlead/kernel";

export function packageGone(gone: readonly { name: string; arch: string; version: string; newest?: string }[]) {
  const list = gone.map(
    ({ name, arch, version, newest }) => `${name} ${version} for ${arch} (${newest ? `now ${newest}` : "none now"})`,
  );
  return new FairleadError({
    code: "IMAGE_PACKAGE_GONE",
    message: `The package sources no longer have what deploy/images/lock.json names: ${list.join(", ")}.`,
    hint: "Take what they have now into the lock file by `npm run images -- --update-lock`, or build with --allow-newer once, or name sources that still have it by --apt-sources FILE.",
  });
}

export function packagesUnavailable(what: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "IMAGE_PACKAGES_UNAVAILABLE",
    message: `${what} could not be fetched.`,
    hint: "Build on Debian or Ubuntu with apt-get, dpkg-deb and npm, and let them reach their package sources.",
    retryable: true,
    cause,
  });
}

export function packageCorrupt(what: string): FairleadError {
  return new FairleadError({
    code: "IMAGE_PACKAGE_CORRUPT",
    message: `${what} is not what the lock file pins: its digest differs.`,
    hint: "Don't use it. Find out who changed the package, or what stands between this machine and its registry.",
  });
}

export function lockInvalid(reason: string): FairleadError {
  return new FairleadError({
    code: "IMAGE_LOCK_INVALID",
    message: `deploy/images/lock.json can't be used: ${reason}.`,
    hint: "Make it anew by `npm run images -- --update-lock`.",
  });
}

export function templateDiffers(digest: string, pinned: string): FairleadError {
  return new FairleadError({
    code: "IMAGE_TEMPLATE_DIFFERS",
    message: `The data folder that initdb made has the digest ${digest}; deploy/images/lock.json pins ${pinned}.`,
    hint: "Take the new digest into the lock file by `npm run images -- --update-lock`, after you have found out what differs on this machine.",
  });
}

export function notBuilt(path: string): FairleadError {
  return new FairleadError({
    code: "IMAGE_NOT_BUILT",
    message: `${path} is missing, or not of the version that package-lock.json names.`,
    hint: "Run `npm install` and `npm run build` first.",
  });
}

export function argumentInvalid(message: string): FairleadError {
  return new FairleadError({
    code: "IMAGE_ARGUMENT_INVALID",
    message,
    hint: "`npm run images -- --help` lists what can be said.",
  });
}
