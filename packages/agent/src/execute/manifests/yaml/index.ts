export { readDocuments, type YamlDocument } from "./read-documents.ts";
export { YamlProblem } from "./yaml-problem.ts";
