// What each image is: one row for each. A variant of a program, such as an agent that carries Helm and git, is a row of
// its own here, with the packages that it has in addition.
export const programs = ["hub", "agent"] as const;
export type ImageProgram = (typeof programs)[number];

export interface ImageRecipe {
  readonly title: string;
  readonly description: string;
  /** The npm workspace whose program runs. */
  readonly workspace: string;
  /** Packages of Debian, by the names in the lock file. */
  readonly debian: readonly string[];
}

/** What Node needs to run, and who signs the public internet's certificates. Node has time zones of its own. */
const basePackages = ["base-files", "ca-certificates", "gcc-12-base", "libc6", "libgcc-s1", "libstdc++6"] as const;

export const recipes: Readonly<Record<ImageProgram, ImageRecipe>> = {
  hub: {
    title: "fairlead-hub",
    description: "The Fairlead hub",
    workspace: "packages/hub",
    debian: basePackages,
  },
  agent: {
    title: "fairlead-agent",
    description: "The Fairlead agent",
    workspace: "packages/agent",
    debian: basePackages,
  },
};

/** Where programs and their packages lie in an image. */
export const appFolder = "opt/fairlead";
export const nodePath = "usr/bin/node";
export const caBundlePath = "etc/ssl/certs/ca-certificates.crt";

/** What a container of it runs, and as whom. The charts only add arguments; the Containerfile says the same. */
export function runtimeOf(packageName: string) {
  return {
    User: "65532:65532",
    Env: ["PATH=/usr/bin", "HOME=/", "NODE_ENV=production", `SSL_CERT_FILE=/${caBundlePath}`],
    Entrypoint: [`/${nodePath}`, `/${appFolder}/node_modules/${packageName}/dist/main.js`],
    WorkingDir: "/",
    StopSignal: "SIGTERM",
  };
}
