import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { repoRoot } from "@fairlead/testkit";
import { chooseNames } from "../choose-names.ts";
import { argumentInvalid } from "./errors.ts";
import { type PlatformName, platformNames } from "./single-file/index.ts";

const parts = ["packages", "images", "charts", "commands", "demo-tools"] as const;
export type Part = (typeof parts)[number];

export type Invocation =
  | { readonly kind: "help" }
  | { readonly kind: "publish" }
  | {
      readonly kind: "make";
      readonly outDir: string;
      readonly parts: readonly Part[];
      readonly platforms: readonly PlatformName[];
    };

export const help = `Makes everything that a release has, and publishes nothing.

  npm run release -- --dry-run [--out DIR] [--only PART] [--platform NAME]

  --dry-run          make the files
  --out DIR          where they go (dist/release); what is there goes
  --only PART        ${parts.join(", ")}; may be said again (all)
  --platform NAME    of commands as one file: ${platformNames.join(", ")}; may be said again (all)
  --help             show this text
`;

export function readInvocation(args: readonly string[]): Invocation {
  const values = parse(args);
  if (values.help) return { kind: "help" };
  if (!values["dry-run"]) return { kind: "publish" };
  return {
    kind: "make",
    outDir: resolve(repoRoot, values.out ?? "dist/release"),
    parts: chooseNames({ flag: "--only", asked: values.only, known: parts, fail: argumentInvalid }),
    platforms: chooseNames({ flag: "--platform", asked: values.platform, known: platformNames, fail: argumentInvalid }),
  };
}

function parse(args: readonly string[]) {
  const list = { type: "string", multiple: true } as const;
  const flag = { type: "boolean" } as const;
  try {
    return parseArgs({
      args: [...args],
      options: { "dry-run": flag, help: flag, out: { type: "string" }, only: list, platform: list },
    }).values;
  } catch (error) {
    throw argumentInvalid((error as Error).message);
  }
}
