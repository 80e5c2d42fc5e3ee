// The port for rooms above, whose commands are parts of something larger.
import type { Principal } from "../../people/access/index.ts";
import type { CommandPart } from "./new-command.ts";
import { createUsableCheck, type UsablePorts } from "./require-usable.ts";
import type { CommandRights } from "./rights.ts";
import type { Commands, CreatedCommand } from "./service.ts";
import type { CommandStore } from "./store.ts";
import type { FilledCommandRequest, TemplateUses } from "./template-uses.ts";

export interface CommandParts {
  /** As if the principal had asked for it now. Undefined: the whole doesn't want it any more. */
  create(principal: Principal, request: FilledCommandRequest, part: CommandPart): Promise<CreatedCommand | undefined>;
  /**
   * Gives a check that throws why the principal can't ask a cluster. One check serves many clusters, but not for long.
   */
  checkAll(
    principal: Principal,
    asked: Pick<FilledCommandRequest, "kind" | "dryRun" | "approvals" | "template">,
  ): Promise<(cluster: string) => Promise<void>>;
  /** Gracefully at first, and asked again at once. */
  cancel(id: string, by: { readonly actor: string; readonly reason: string }): Promise<void>;
}

export function createCommandParts(options: {
  readonly commands: Pick<Commands, "createPart">;
  readonly store: Pick<CommandStore, "happen">;
  readonly rights: CommandRights;
  readonly templates: TemplateUses;
  readonly usable: UsablePorts & { readonly listHavingHadRole: (role: "execute") => Promise<ReadonlySet<string>> };
}): CommandParts {
  const { commands, store, rights, templates, usable } = options;
  return {
    create: commands.createPart,

    async checkAll(principal, asked) {
      const { kind, dryRun = false, approvals, template } = asked;
      const asking = { dryRun, ...(approvals && { approvals: { fourEyes: approvals.fourEyes ?? true } }) };
      const having = await usable.listHavingHadRole("execute");
      const requireUsable = createUsableCheck({ ...usable, hasHadRole: async (cluster) => having.has(cluster) });
      const requireRight = template
        ? await templates.checkAll(principal, template)
        : (cluster: string) => rights.requireAsk(principal, { cluster, kind }, asking);
      return async (cluster) => {
        requireRight(cluster);
        await requireUsable(cluster);
      };
    },

    async cancel(id, by) {
      await store.happen({ id, event: { type: "cancel-asked" }, ...by });
    },
  };
}
