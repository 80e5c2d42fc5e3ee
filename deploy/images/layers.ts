// The layers of an image, from those that seldom change to those that always do.
import { join } from "node:path";
import { goTree } from "./contents/go-program.ts";
import { nodeTree } from "./contents/node.ts";
import { ownCodeTree } from "./contents/own-code.ts";
import { packagesTree } from "./contents/packages.ts";
import { listPostgresInputs, postgresTree } from "./contents/postgres.ts";
import { debianTree, systemTree } from "./contents/system.ts";
import { goPrograms } from "./go-programs.ts";
import type { ImageLock } from "./lock.ts";
import { cachedLayer } from "./oci/cached-layer.ts";
import { type Layer, writeLayer } from "./oci/layer.ts";
import type { Arch } from "./platform.ts";
import { checkTemplate, makeTemplate, type Template } from "./postgres/make-template.ts";
import { basePackages, type ImageRecipe } from "./recipes.ts";
import type { DebianPackage } from "./sources/debian-packages.ts";
import type { GoProgram } from "./sources/go-programs.ts";
import type { LockedPackage } from "./sources/locked-packages.ts";

export interface Layers {
  /** Those that all programs have in common. */
  ground(parts: { readonly arch: Arch; readonly debian: readonly DebianPackage[] }): Promise<readonly Layer[]>;
  /** Those on top of them. */
  program(parts: {
    readonly arch: Arch;
    readonly recipe: ImageRecipe;
    readonly debian: readonly DebianPackage[];
    readonly go: readonly GoProgram[];
    readonly packages: readonly LockedPackage[];
  }): Promise<readonly Layer[]>;
}

export function openLayers(options: {
  readonly lock: ImageLock;
  readonly epoch: number;
  /** A folder for layers that aren't kept. */
  readonly scratch: string;
  /** Takes none that an earlier build has kept. */
  readonly isFresh: boolean;
}): Layers {
  const { lock, epoch, scratch, isFresh } = options;
  let made: Promise<Template> | undefined;

  return {
    ground: ({ arch, debian }) =>
      Promise.all([
        write("libraries and certificates", `${arch}-system`, systemTree(debian.filter(isOfAll))),
        keep("Node", `${arch}-node`, [lock.node[arch].integrity], () => nodeTree(lock.node[arch])),
      ]),
    async program({ arch, recipe, debian, go, packages }) {
      const { title } = recipe;
      const own = debian.filter((one) => !isOfAll(one));
      return [
        ...(recipe.hasDatabase ? [await database(arch)] : []),
        ...(own.length > 0 ? [await write(recipe.debianTitle, `${arch}-${title}-debian`, debianTree(own))] : []),
        ...(await Promise.all(go.map((one) => goProgram(arch, one)))),
        await write("npm packages", `${arch}-${title}-packages`, packagesTree(packages)),
        await write(title, `${arch}-${title}-code`, ownCodeTree(packages)),
      ];
    },
  };

  async function database(arch: Arch): Promise<Layer> {
    const { versions, templateDigest } = lock.postgres;
    const pinned = [...versions.map(({ packages }) => packages[arch].integrity), templateDigest];
    return await keep("PostgreSQL", `${arch}-postgres`, [...pinned, ...(await listPostgresInputs())], async () => {
      made ??= makeTemplate(lock.postgres);
      return await postgresTree({ arch, versions, template: checkTemplate(await made, templateDigest) });
    });
  }

  function goProgram(arch: Arch, one: GoProgram): Promise<Layer> {
    return keep(goPrograms[one.name].title, `${arch}-${one.name}`, [one.sha256, one.licences], () => goTree(one));
  }

  async function write(title: string, name: string, tree: Promise<Tree>): Promise<Layer> {
    return await writeLayer({ title, epoch, file: join(scratch, name), entries: await tree });
  }

  /** Keeps layers that are dear to compress. */
  function keep(title: string, name: string, inputs: readonly string[], tree: () => Promise<Tree>): Promise<Layer> {
    if (isFresh) return write(title, name, tree());
    return cachedLayer({
      inputs: [title, ...inputs, epoch],
      write: async (file) => writeLayer({ title, epoch, file, entries: await tree() }),
    });
  }
}

type Tree = Parameters<typeof writeLayer>[0]["entries"];

function isOfAll({ name }: DebianPackage): boolean {
  return basePackages.includes(name);
}
