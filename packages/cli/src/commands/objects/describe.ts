import type { ObjectDetail } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { addChoiceOptions, type ChoiceOptions, readTarget, toChoice } from "./choice.ts";
import { tellTroubles } from "./data-age.ts";
import { renderDetail } from "./describe-text.ts";
import { listAll } from "./list-all.ts";
import { suggestKinds } from "./near-kinds.ts";
import { nameNotFound } from "./near-names.ts";

export function addDescribe(program: Command, open: OpenContext): void {
  const describe = program
    .command("describe")
    .description("Show an object with its owners, children, conditions, containers, health and events")
    .examples("fairlead describe deploy web -n shop --cluster east")
    .argument("<kind>", "Kind, for example pod, deployments.apps or pod/web-0")
    .argument("[object]", "Name of the object");
  addChoiceOptions(describe).action(
    (kind: string, object: string | undefined, options: ChoiceOptions, command: Command) => {
      const context = open(command);
      const target = readTarget(kind, object);
      return suggestKinds(context, target.kind, () => describeObject(context, target, options));
    },
  );
}

/** Objects of that name in several clusters are shown one after the other. */
async function describeObject(
  context: CommandContext,
  { kind, name }: { readonly kind: string; readonly name?: string },
  options: ChoiceOptions,
): Promise<void> {
  const { output, signal, terminal } = context;
  if (name === undefined) throw usage("The object to describe isn't specified.", "Write it like pod/web-0.");
  const client = await context.hub();
  const filter = { ...toChoice(options), kind, name };
  const query = { ...filter, sort: "cluster" };
  const list = await listAll(client, query, { limit: maxDescribed + 1, signal });
  if (list.items.length === 0) throw await nameNotFound(client, list, { filter, signal });

  const items: ObjectDetail[] = [];
  for (const { cluster, uid } of list.items.slice(0, maxDescribed)) {
    items.push(await client.getObject({ cluster, uid }, { signal }));
  }
  output.answer({ items }, () => items.map((detail) => renderDetail(output, detail, terminal.now())).join("\n\n"));
  if (list.items.length > maxDescribed) output.remark(`There are more: these are ${maxDescribed} of them.`);
  tellTroubles(
    output,
    items.map(({ age }) => age),
  );
}

const maxDescribed = 20;
