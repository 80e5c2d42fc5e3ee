export { certManager } from "./cert-manager.ts";
