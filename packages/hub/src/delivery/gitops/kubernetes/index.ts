export { createKubernetesObjects } from "./kubernetes-objects.ts";
