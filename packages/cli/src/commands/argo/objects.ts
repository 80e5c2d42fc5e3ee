// Commands for the objects of Argo CD that managed clusters share, on a hub that keeps them itself.
import {
  type ArgoObject,
  type ArgoObjectKind,
  type ArgoObjectName,
  type ArgoObjectSummary,
  argoObjectKinds,
} from "@fairlead/contract/client";
import { InvalidArgumentError } from "commander";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { type Difference, findOrNone, showDifferences } from "../../difference/index.ts";
import { confirm } from "../confirm.ts";
import { readPages } from "../read-pages.ts";
import { type ArgoManifest, readManifests } from "./manifests.ts";

export function addArgoObjectCommands(argo: Command, open: OpenContext): void {
  const object = argo
    .command("object")
    .description("Manage the projects, repositories and keys that managed clusters share");
  const kinds = argoObjectKinds.join(", ");
  object
    .command("list")
    .prints("argo", ({ kind, name }) => `${kind}/${name}`)
    .description("List shared objects, of all kinds or of one")
    .examples("fairlead argo object list projects")
    .argument("[kind]", `Kind of the object: ${kinds}`, parseKind)
    .action((kind: ArgoObjectKind | undefined, _options: object, command: Command) => list(open(command), kind));
  object
    .command("apply")
    .description("Create or replace the shared objects in a file")
    .examples("fairlead argo object apply -f projects.yaml")
    .requiredOption("-f, --file <file>", "File with AppProjects, Secrets and ConfigMaps in YAML; - for standard input")
    .option("--dry-run", "Print what would change without changing it, and exit with 1 if anything would")
    .action((options: ApplyOptions, command: Command) => apply(open(command), options));
  object
    .command("delete")
    .description("Delete a shared object, here and in the clusters")
    .examples("fairlead argo object delete projects shop")
    .argument("<kind>", `Kind of the object: ${kinds}`, parseKind)
    .argument("<name>", "Name of the object")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((kind: ArgoObjectKind, name: string, { yes }: { readonly yes?: boolean }, command: Command) =>
      remove(open(command), { kind, name }, yes),
    );
}

async function list(context: CommandContext, only: ArgoObjectKind | undefined): Promise<void> {
  const { hub: connect, output, signal } = context;
  const hub = await connect();
  const items: ArgoObjectSummary[] = [];
  for (const kind of only === undefined ? argoObjectKinds : [only])
    items.push(
      ...(await readPages<ArgoObjectSummary>((page) => hub.listArgoObjects(kind, page, { signal }), {
        limit: Number.MAX_SAFE_INTEGER,
        mostOnPage: 500,
      })),
    );
  const rows = items.map(({ kind, name, project }) => [kind, name, project].map((text) => output.safe(text)));
  output.answer({ items }, () => (rows.length === 0 ? "" : output.table(["KIND", "NAME", "PROJECT"], rows)));
  if (items.length === 0) output.remark("None.");
}

interface ApplyOptions {
  readonly file: string;
  readonly dryRun?: boolean;
}

async function apply(context: CommandContext, { file, dryRun }: ApplyOptions): Promise<void> {
  const { hub: connect, output, terminal, signal } = context;
  const manifests = await readManifests(terminal, file);
  const hub = await connect();
  if (dryRun) {
    const differences: Difference[] = [];
    for (const { of, request } of manifests) {
      const before = await findOrNone(() => hub.getArgoObject(of, { signal }));
      differences.push(compareObject({ of, request }, before));
    }
    return showDifferences(context, differences);
  }
  const applied: ArgoObjectName[] = [];
  for (const { of, request } of manifests) {
    const { kind, name } = await hub.putArgoObject(of, request, { signal });
    applied.push({ kind, name });
  }
  output.answer({ applied }, () => applied.map(({ kind, name }) => `${kind}/${output.safe(name)} is kept.\n`).join(""));
}

/** The hub keeps what the file leaves out. Values of repositories are secrets: they aren't shown, and count as a change. */
function compareObject({ of, request }: ArgoManifest, there: ArgoObject | undefined): Difference {
  const { labels, annotations, spec, data = {} } = request;
  const isSecret = of.kind === "repositories";
  const hide = (names: readonly string[], text: string) => Object.fromEntries(names.map((name) => [name, text]));
  const values = isSecret ? hide(Object.keys(data), "(of the file)") : request.data;
  const after = { labels, annotations, spec, data: values };
  if (!there) return { what: `${of.kind}/${of.name}`, before: undefined, after };
  const before = {
    labels: labels && there.labels,
    annotations: annotations && there.annotations,
    spec: spec && there.spec,
    data: isSecret ? hide(there.valueNames, "(of the hub)") : request.data && there.data,
  };
  return { what: `${of.kind}/${of.name}`, before, after };
}

async function remove(context: CommandContext, of: ArgoObjectName, isYes: boolean | undefined): Promise<void> {
  const { hub, output, terminal, signal } = context;
  const what = `${of.kind}/${of.name}`;
  await confirm(terminal, {
    isYes,
    action: `remove ${what}`,
    question: `Remove ${what} from the hub and its clusters?`,
  });
  await (await hub()).removeArgoObject(of, { signal });
  output.answer({ removed: of }, () => `${output.safe(what)} is removed.\n`);
}

function parseKind(text: string): ArgoObjectKind {
  const kind = argoObjectKinds.find((known) => known === text);
  if (kind === undefined) throw new InvalidArgumentError(`It isn't one of ${argoObjectKinds.join(", ")}.`);
  return kind;
}
