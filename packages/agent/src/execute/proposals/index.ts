export { type HiddenSecrets, hideSecrets } from "./hidden-secrets.ts";
export { hideFromPrograms, noteFromPrograms } from "./hide-from-programs.ts";
export { isUnseen, judgeProposal, type ProposalVerdict } from "./judge-proposal.ts";
export { withhold } from "./withhold.ts";
