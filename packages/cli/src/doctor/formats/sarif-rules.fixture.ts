// The rules of SARIF 2.1.0 (OASIS) for the objects that we write: members that must be there, all members that may be
// there, and values that must agree. No maintained package has its published schema.

interface Rule {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Members that are objects, or lists of objects, by the name of their rule. */
  readonly members?: Readonly<Record<string, string>>;
}

const rules: Readonly<Record<string, Rule>> = {
  // 3.13
  log: { required: ["$schema", "version", "runs"], optional: ["properties"], members: { runs: "run" } },
  // 3.14
  run: {
    required: ["tool"],
    optional: ["results", "columnKind", "properties"],
    members: { tool: "tool", results: "result" },
  },
  // 3.18
  tool: { required: ["driver"], optional: ["extensions", "properties"], members: { driver: "component" } },
  // 3.19
  component: {
    required: ["name"],
    optional: ["version", "semanticVersion", "informationUri", "rules", "properties"],
    members: { rules: "descriptor" },
  },
  // 3.49
  descriptor: {
    required: ["id"],
    optional: ["name", "shortDescription", "fullDescription", "help", "helpUri", "defaultConfiguration", "properties"],
    members: { shortDescription: "text", fullDescription: "text", help: "text", defaultConfiguration: "configuration" },
  },
  // 3.12
  text: { required: ["text"], optional: ["markdown", "properties"] },
  // 3.50
  configuration: { required: [], optional: ["enabled", "level", "rank", "properties"] },
  // 3.27
  result: {
    required: ["message"],
    optional: ["ruleId", "ruleIndex", "kind", "level", "locations", "fingerprints", "properties"],
    members: { message: "message", locations: "location" },
  },
  // 3.11
  message: { required: ["text"], optional: ["markdown", "id", "arguments", "properties"] },
  // 3.28
  location: {
    required: [],
    optional: ["id", "physicalLocation", "logicalLocations", "message", "properties"],
    members: { physicalLocation: "physical", logicalLocations: "logical" },
  },
  // 3.29
  physical: {
    required: ["artifactLocation"],
    optional: ["region", "contextRegion", "properties"],
    members: { artifactLocation: "artifact", region: "region" },
  },
  // 3.4
  artifact: { required: ["uri"], optional: ["uriBaseId", "index", "properties"] },
  // 3.30
  region: { required: ["startLine"], optional: ["startColumn", "endLine", "endColumn", "properties"] },
  // 3.33
  logical: { required: [], optional: ["name", "fullyQualifiedName", "kind", "index", "properties"] },
};

type Members = Readonly<Record<string, unknown>>;

export function findSarifMistakes(log: object): string[] {
  return [...findShapeMistakes(log as Members, "log", ""), ...findDisagreements(log as Members)];
}

function* findShapeMistakes(object: Members, name: string, at: string): Generator<string> {
  const rule = rules[name];
  if (!rule) throw new Error(`there is no rule ${name}`);
  const { required, optional, members = {} } = rule;
  for (const member of required) if (!(member in object)) yield `${at || "/"}: ${member} is missing`;
  for (const [member, value] of Object.entries(object)) {
    if (![...required, ...optional].includes(member)) yield `${at || "/"}: ${member} isn't known`;
    const own = members[member];
    if (own === undefined) continue;
    for (const [index, each] of (Array.isArray(value) ? value : [value]).entries())
      yield* findShapeMistakes(each as Members, own, `${at}/${member}${Array.isArray(value) ? `/${index}` : ""}`);
  }
}

/** 3.27.6, 3.27.9 and 3.27.10; 3.4.3 and 3.30.5. */
function* findDisagreements(log: Members): Generator<string> {
  if (log["version"] !== "2.1.0") yield `/: version ${log["version"]}`;
  for (const [run, each] of ((log["runs"] ?? []) as Members[]).entries()) {
    const known = ((each["tool"] as { driver?: { rules?: { id: string }[] } } | undefined)?.driver?.rules ?? []).map(
      ({ id }) => id,
    );
    for (const [index, result] of ((each["results"] ?? []) as Members[]).entries()) {
      const at = `/runs/${run}/results/${index}`;
      const { kind = "fail", level = "warning", ruleId, ruleIndex, locations = [] } = result;
      if (!["pass", "open", "informational", "notApplicable", "review", "fail"].includes(String(kind)))
        yield `${at}: kind`;
      if (!["none", "note", "warning", "error"].includes(String(level))) yield `${at}: level ${level}`;
      if (kind !== "fail" && level !== "none") yield `${at}: level ${level} of a result that is ${kind}`;
      if (ruleIndex !== undefined && known[ruleIndex as number] === undefined)
        yield `${at}: ruleIndex ${ruleIndex} names no rule`;
      else if (ruleIndex !== undefined && known[ruleIndex as number] !== ruleId)
        yield `${at}: ruleIndex is another rule`;
      for (const { physicalLocation: place } of locations as { physicalLocation?: Place }[]) {
        if (place && !/^[\w./~%:-]+$/.test(place.artifactLocation.uri)) yield `${at}: ${place.artifactLocation.uri}`;
        if (place?.region && !(place.region.startLine >= 1)) yield `${at}: line ${place.region.startLine}`;
      }
    }
  }
}

interface Place {
  readonly artifactLocation: { readonly uri: string };
  readonly region?: { readonly startLine: number };
}
