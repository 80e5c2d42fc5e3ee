// The port by which commands use templates, which lie above them.
import type { CreateCommandFields, KindAndSpec, TemplateOrigin, TemplateUse } from "@fairlead/contract";
import type { Principal } from "../../people/access/index.ts";

/** The template that a command was made of. */
export interface UsedTemplate extends TemplateOrigin {
  /** With defaults. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A request whose command is said by its kind and spec, or by a template. */
export type UnfilledRequest = Partial<CreateCommandFields> & (KindAndSpec | TemplateUse);

/** The same with the kind and spec that come of it. */
export type FilledRequest<Request extends UnfilledRequest> = Omit<Request, "kind" | "spec"> &
  KindAndSpec & { readonly serviceAccount?: string | undefined; readonly template?: UsedTemplate | undefined };

export type FilledCommandRequest = FilledRequest<CreateCommandFields & KindAndSpec>;

export interface TemplateVouching {
  /** Whoever offered it may create such commands, and none of its parameters chooses code. */
  readonly isVouched: boolean;
  readonly needsApproval: boolean;
}

export interface TemplateUses {
  /** Throws TEMPLATE_… for a template that can't be used so. Where it may be used is checked by `checkAll`. */
  fill<Request extends UnfilledRequest>(principal: Principal, request: Request): Promise<FilledRequest<Request>>;
  /**
   * Gives a check that throws why a cluster can't use the template. One check serves many clusters, but not for long.
   */
  checkAll(principal: Principal, template: TemplateOrigin): Promise<(cluster: string) => void>;
  /** What its present revision says of commands made of it. Nothing vouches for those of a revision before. */
  vouch(template: TemplateOrigin): Promise<TemplateVouching>;
  mayUse(principal: Principal, name: string, cluster: string): boolean;
}

/** The request that would make the same command again, if the template is the same still. */
export function toUse({ name, revision, parameters }: UsedTemplate): TemplateUse {
  return { kind: "template", spec: { name, revision, parameters } };
}
