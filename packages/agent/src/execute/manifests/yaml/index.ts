export { type HelmDocument, isExact, readAsHelm } from "./read-as-helm.ts";
export { readDocuments, type YamlDocument } from "./read-documents.ts";
export { YamlProblem } from "./yaml-problem.ts";
