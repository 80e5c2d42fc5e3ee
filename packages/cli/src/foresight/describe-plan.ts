// What a plan would change, for people: an object, resource or step per line, and the fields that change below it.
import { Fields } from "@fairlead/kernel";
import { loadYaml } from "../formats/index.ts";
import type { Output } from "../output/index.ts";

/** Without what would stay as it is. Empty where nothing would change. */
export async function describePlan(output: Pick<Output, "safe" | "colors">, plan: unknown): Promise<string> {
  const fields = new Fields(plan);
  const isKnown = ["steps", "resources", "objects"].some((name) => Array.isArray(fields.at(name).raw));
  const lines = isKnown ? linesOf(fields) : await rawLines(plan);
  const paint: Readonly<Record<string, (text: string) => string>> = {
    "+": output.colors.green,
    "-": output.colors.red,
    "!": output.colors.red,
  };
  return lines.map((line) => `${(paint[line.trimStart()[0] ?? ""] ?? String)(output.safe(line))}\n`).join("");
}

function linesOf(plan: Fields): string[] {
  const lines = [
    ...plan.at("steps").list().flatMap(stepLines),
    ...plan.at("resources").list().flatMap(resourceLines),
    ...plan
      .at("outputs")
      .list()
      .map((one) => `${signOf(one.at("did").text())} output ${one.at("name").text() ?? ""}`),
    ...releaseLines(plan),
    ...[...plan.at("crds").list(), ...plan.at("objects").list()].flatMap(objectLines),
    ...plan.at("hooks").list().map(hookLine),
    ...plan
      .at("drift")
      .list()
      .flatMap((one) => resourceLines(one).map((line) => `${line} (drifted)`)),
  ];
  const omitted = plan.at("omitted").number();
  if (omitted !== undefined) lines.push(`… ${omitted} more, which the run's log names.`);
  const withheld = plan.at("withheldBecause").text();
  return withheld === undefined ? lines : [...lines, withheld];
}

function stepLines(step: Fields): string[] {
  const head = `step ${step.at("id").text() ?? "?"} (${step.at("kind").text() ?? "?"})`;
  const why = step.at("why").text();
  if (!step.at("known").isTrue) return [`? ${head}: known later${why === undefined ? "" : `, since ${why}`}`];
  if (step.at("isEmpty").isTrue) return [];
  return [`~ ${head}:`, ...linesOf(step.at("plan")).map((line) => `  ${line}`)];
}

function resourceLines(resource: Fields): string[] {
  const did = resource.at("did").text();
  if (did === "read") return [];
  return [`${signOf(did)} ${resource.at("address").text() ?? "?"}: ${did ?? "?"}`, ...changeLines(resource)];
}

function releaseLines(plan: Fields): string[] {
  const name = `${plan.at("namespace").text() ?? "?"}/${plan.at("release").text() ?? "?"}`;
  const revision = plan.at("to", "revision").number();
  if (revision !== undefined) return [`~ release ${name}: back to revision ${revision}`];
  if (!plan.at("chart").exists) return [];
  const [before, after] = [plan.at("from", "chart"), plan.at("chart")].map((chart) => {
    return [chart.at("name").text(), chart.at("version").text()].filter((text) => text !== undefined).join(" ");
  });
  if (!plan.at("from").exists) return [`+ release ${name}: ${after}`];
  return [`~ release ${name}: ${before === after ? `${after}, a new revision` : `${before} -> ${after}`}`];
}

function objectLines(object: Fields): string[] {
  const did = object.at("did").text();
  if (did === "unchanged" || did === "kept") return [];
  const [kind = "?", namespace, name = "?"] = ["kind", "namespace", "name"].map((field) => object.at(field).text());
  const why = object.at("message").text();
  const head = `${signOf(did)} ${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
  return [why === undefined ? head : `${head}: ${why}`, ...changeLines(object)];
}

function hookLine(hook: Fields): string {
  const events = hook
    .at("events")
    .list()
    .flatMap((event) => event.text() ?? [])
    .join(", ");
  return `~ hook ${hook.at("kind").text() ?? "?"} ${hook.at("name").text() ?? "?"}${events === "" ? "" : ` (${events})`}`;
}

function changeLines(changed: Fields): string[] {
  return changed
    .at("changes")
    .list()
    .map(
      (change) =>
        `    ${change.at("path").text() ?? ""}: ${formatValue(change.at("from"))} -> ${formatValue(change.at("to"))}`,
    );
}

function formatValue(value: Fields): string {
  return value.raw === undefined ? "(unset)" : value.json();
}

function signOf(did: string | undefined): string {
  return (did !== undefined && signs[did]) || "~";
}

const signs: Readonly<Record<string, string>> = {
  created: "+",
  add: "+",
  import: "+",
  deleted: "-",
  destroy: "-",
  forget: "-",
  failed: "!",
};

/** Of another version's agent. */
async function rawLines(plan: unknown): Promise<string[]> {
  if (plan === undefined) return ["The run doesn't tell what would change."];
  return (await loadYaml())(plan).trimEnd().split("\n");
}
