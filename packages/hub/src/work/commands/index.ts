export { awaitedApproval } from "./awaited-approval.ts";
export { requireUsableTexts } from "./check-spec-texts.ts";
export { type Idempotency, toIdempotency } from "./idempotency.ts";
export { type CommandsRoom, openCommands } from "./open.ts";
export type { CommandParts } from "./parts.ts";
export { type CommandRights, createCommandRights } from "./rights.ts";
export { formatOrigin, requireKeys, templateOf } from "./routes.ts";
export { type CommandWhole, toOrigin } from "./rows.ts";
export {
  type FilledCommandRequest,
  type FilledRequest,
  type TemplateUses,
  toUse,
  type UnfilledRequest,
  type UsedTemplate,
} from "./template-uses.ts";
