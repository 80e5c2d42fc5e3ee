import type { Blueprints } from "../blueprint.ts";
import { aks } from "./aks.ts";
import { eks } from "./eks.ts";
import { generic, openshift } from "./existing.ts";
import { gke } from "./gke.ts";
import { oke } from "./oke.ts";

export const blueprints: Blueprints = { eks, gke, aks, openshift, oke, generic };
