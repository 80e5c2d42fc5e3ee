// Serves what people ask about templates.
import {
  type PutTemplateRequest,
  placeOf,
  type RenderedTemplate,
  type RenderTemplateRequest,
  type TemplateDetail,
  type TemplateList,
} from "@fairlead/contract";
import type { Principal } from "../../people/access/index.ts";
import { createReaders } from "../../platform/server/index.ts";
import type { Clusters } from "../../reach/clusters/index.ts";
import { requireUsableTexts } from "../commands/index.ts";
import { checkTemplate } from "./check-template.ts";
import { createClusterChoice } from "./choice.ts";
import { templateErrors } from "./errors.ts";
import { choosesCode } from "./rendering/index.ts";
import type { TemplateRights } from "./rights.ts";
import { type TemplateRow, type TemplateSummaryRow, toDetail, toTemplate } from "./rows.ts";
import type { TemplateStore } from "./store.ts";
import { renderTemplate } from "./uses.ts";

export interface Templates {
  list(principal: Principal): Promise<TemplateList>;
  get(principal: Principal, name: string): Promise<TemplateDetail>;
  put(principal: Principal, name: string, request: PutTemplateRequest): Promise<TemplateDetail>;
  render(principal: Principal, name: string, request: RenderTemplateRequest): Promise<RenderedTemplate>;
  remove(principal: Principal, name: string): Promise<void>;
}

export function createTemplates(ports: {
  readonly store: TemplateStore;
  readonly rights: TemplateRights;
  readonly clusters: Pick<Clusters, "labels">;
}): Templates {
  const { store, rights, clusters } = ports;
  const looking = createReaders({ most: 8, mostOfOne: 2 });
  return {
    list: (principal) =>
      inTurn(principal, async () => {
        const seen: TemplateSummaryRow[] = [];
        for (const row of await store.list()) if (await maySee(principal, row.name)) seen.push(row);
        return { items: seen.map(toTemplate) };
      }),

    get: (principal, name) => inTurn(principal, async () => show(principal, await find(principal, name))),

    async put(principal, name, request) {
      rights.require(principal, (await store.find(name)) ? "update" : "create", name);
      checkTemplate(request);
      requireUsableTexts(request.spec);
      requireUsableTexts(request.parameters ?? {}, "parameters");
      // A selector that can't be read is for no cluster, and nobody would know why.
      createClusterChoice(clusters, request.clusters);
      rights.requireToOffer(principal, request);
      const isVouched = !choosesCode(request.kind, request.spec) && rights.mayVouch(principal, request);
      return show(principal, await store.put(name, request, { changedBy: principal.name, isVouched }));
    },

    render: (principal, name, request) =>
      inTurn(principal, async () => {
        const { command, template } = renderTemplate(await find(principal, name), request);
        const { kind, spec } = command;
        const mayGet = rights.mayGet(principal, name);
        return { ...template, kind, ...placeOf(kind, spec), ...(mayGet ? { spec } : {}) };
      }),

    async remove(principal, name) {
      const row = await find(principal, name);
      rights.require(principal, "delete", row.name);
      if (!(await store.remove(name))) throw templateErrors.TEMPLATE_NOT_FOUND({ name });
    },
  };

  function show(principal: Principal, row: TemplateRow): TemplateDetail {
    return toDetail(row, { hasSpec: rights.mayGet(principal, row.name) });
  }

  /** Throws TEMPLATE_NOT_FOUND also to people who may not see the template. */
  async function find(principal: Principal, name: string): Promise<TemplateRow> {
    const row = await store.find(name);
    if (!row || !(await maySee(principal, name))) throw templateErrors.TEMPLATE_NOT_FOUND({ name });
    return row;
  }

  async function maySee(principal: Principal, name: string): Promise<boolean> {
    return rights.mayGet(principal, name) || (await rights.mayUseSomewhere(principal, name));
  }

  /** It may look at many clusters, or at much text. Throws TEMPLATE_BUSY. */
  async function inTurn<Answer>(principal: Principal, work: () => Promise<Answer>): Promise<Answer> {
    const leave = looking.enter(principal.uid);
    if (!leave) throw templateErrors.TEMPLATE_BUSY({ who: `${principal.name}, or for all users together` });
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
