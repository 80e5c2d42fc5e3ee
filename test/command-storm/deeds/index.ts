import type { DeedKind } from "./deed.ts";
import { manifestsDeeds } from "./manifests.ts";

export type { Deed, DeedKind } from "./deed.ts";

export const deedKinds: readonly DeedKind[] = [manifestsDeeds];
