import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { chooseNames } from "../choose-names.ts";
import type { BuildImagesOptions } from "./build-images.ts";
import { root } from "./cache.ts";
import { argumentInvalid } from "./errors.ts";
import { arches } from "./platform.ts";
import { programs } from "./recipes.ts";

export type Invocation =
  | { readonly kind: "help" }
  | { readonly kind: "update-lock"; readonly aptSources?: string | undefined }
  | { readonly kind: "build"; readonly options: BuildImagesOptions; readonly rootfs?: string | undefined };

export const help = `Makes OCI images of hub and agent, and of an agent that carries what commands run, without a container engine. Paths are from the root of the repository.

  npm run images -- [--program hub|agent|agent-execute] [--arch amd64|arm64] [--out DIR]

  --program NAME        hub, agent or agent-execute; may be said again (all)
  --arch NAME           amd64 or arm64; may be said again (both)
  --out DIR             where the layouts go, one folder for each (dist/images)
  --rootfs DIR          write the files of the one image that is asked for into DIR as well
  --revision COMMIT     a label that says of which commit they are; changes the digests
  --source URL          a label that says where the sources are; changes the digests
  --allow-newer         take newer packages of Debian where those of the lock file are gone; changes the digests
  --apt-sources FILE    sources of packages in apt's format, instead of this machine's
  --update-lock         take what the package sources have now into deploy/images/lock.json, and build nothing
  --help                show this text
`;

export function readInvocation(args: readonly string[], cwd: string = root): Invocation {
  const values = parse(args);
  if (values.help) return { kind: "help" };
  const aptSources = values["apt-sources"] === undefined ? undefined : resolve(cwd, values["apt-sources"]);
  if (values["update-lock"]) return { kind: "update-lock", aptSources };
  const wanted = {
    programs: chooseNames({ flag: "--program", asked: values.program, known: programs, fail: argumentInvalid }),
    arches: chooseNames({ flag: "--arch", asked: values.arch, known: arches, fail: argumentInvalid }),
  };
  if (values.rootfs !== undefined && (wanted.programs.length > 1 || wanted.arches.length > 1)) {
    throw argumentInvalid("--rootfs takes one image: say --program and --arch too.");
  }
  return {
    kind: "build",
    rootfs: values.rootfs === undefined ? undefined : resolve(cwd, values.rootfs),
    options: {
      outDir: resolve(cwd, values.out ?? "dist/images"),
      ...wanted,
      revision: values.revision,
      source: values.source,
      allowNewer: values["allow-newer"],
      aptSources,
    },
  };
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  const list = { type: "string", multiple: true } as const;
  const flag = { type: "boolean" } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        program: list,
        arch: list,
        out: text,
        rootfs: text,
        revision: text,
        source: text,
        "allow-newer": flag,
        "apt-sources": text,
        "update-lock": flag,
        help: flag,
      },
    }).values;
  } catch (error) {
    throw argumentInvalid((error as Error).message);
  }
}
