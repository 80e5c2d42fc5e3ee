import type { DeedKind } from "./deed.ts";
import { flowDeeds } from "./flow.ts";
import { helmDeeds } from "./helm.ts";
import { manifestsDeeds } from "./manifests.ts";
import { tofuDeeds } from "./tofu.ts";

export type { Deed, DeedKind } from "./deed.ts";

export const deedKinds: readonly DeedKind[] = [manifestsDeeds, helmDeeds, tofuDeeds, flowDeeds];
