// A filter of the API, read once: what it asks of an object, for the database and for objects in memory.
import type { ObjectFilter } from "@fairlead/contract";
import { type LabelRequirement, matchesLabels } from "@fairlead/kernel";
import { Fields } from "@fairlead/kube";
import { type RawBuilder, sql } from "kysely";
import { objectQueryInvalid } from "./errors.ts";
import { type FieldRequirement, matchesFields, parseFieldSelector } from "./field-selector.ts";
import { parseLabelSelector } from "./label-selector.ts";

export interface Filter {
  readonly namespaces: readonly string[] | undefined;
  readonly name: string | undefined;
  readonly labels: readonly LabelRequirement[];
  readonly fields: readonly FieldRequirement[];
  readonly search: string | undefined;
  readonly owner: string | undefined;
  readonly health: readonly string[] | undefined;
}

export interface FilteredObject {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly health?: string | null | undefined;
  readonly owners: readonly string[];
  readonly body: unknown;
}

/** Throws OBJECTS_SELECTOR_INVALID, OBJECTS_QUERY_INVALID. */
export function readFilter(filter: ObjectFilter): Filter {
  const list = (text: string | undefined): string[] | undefined => text?.split(",").map((one) => one.trim());
  const labels = filter.labelSelector === undefined ? [] : parseLabelSelector(filter.labelSelector);
  const fields = filter.fieldSelector === undefined ? [] : parseFieldSelector(filter.fieldSelector);
  if (labels.length > maxLabels) throw objectQueryInvalid(`labelSelector: more than ${maxLabels} terms are too many`);
  if (fields.length > maxFields) throw objectQueryInvalid(`fieldSelector: more than ${maxFields} terms are too many`);
  return {
    namespaces: readNamespaces(filter),
    name: filter.name,
    labels,
    fields,
    search: filter.search?.toLowerCase(),
    owner: filter.owner,
    health: list(filter.health),
  };
}

/** With the empty one, which what has none is in: as in kubectl, it is found whatever namespace is asked for. */
function readNamespaces({ namespace, kind }: ObjectFilter): string[] | undefined {
  if (namespace === undefined) return undefined;
  const names = [...new Set(namespace.split(",").map((one) => one.trim()))];
  if (names.length > maxNamespaces) throw objectQueryInvalid(`namespace: more than ${maxNamespaces} are too many`);
  return kind === undefined ? names : [...names, ""];
}

export function matchesFilter(filter: Filter, object: FilteredObject): boolean {
  const { namespaces, name, labels, fields, search, owner, health } = filter;
  return (
    (namespaces === undefined || namespaces.includes(object.namespace)) &&
    (name === undefined || name === object.name) &&
    (owner === undefined || object.owners.includes(owner)) &&
    (health === undefined || health.includes(object.health ?? "")) &&
    matchesLabels(labels, object.labels) &&
    matchesFields(fields, new Fields(object.body)) &&
    (search === undefined || containsText(object, search))
  );
}

/** The same as conditions on a row of inventory_object. */
export function toConditions(filter: Filter): RawBuilder<boolean>[] {
  const { namespaces, name, labels, fields, search, owner, health } = filter;
  return [
    ...(namespaces ? [sql<boolean>`namespace = any(${namespaces})`] : []),
    ...(name === undefined ? [] : [sql<boolean>`name = ${name}`]),
    ...(owner === undefined ? [] : [sql<boolean>`owners @> array[${owner}]::text[]`]),
    ...(health ? [sql<boolean>`health = any(${health})`] : []),
    ...labels.map(toLabelCondition),
    ...fields.map(
      ({ path, isEqual, value }) =>
        sql<boolean>`(coalesce(body #>> ${path}::text[], '') = ${value}) = ${isEqual}::boolean`,
    ),
    ...(search === undefined ? [] : [toSearchCondition(search)]),
  ];
}

/** True when it asks for nothing but what objects are counted by: its conditions are also such on inventory_count. */
export function isOfCounts({ name, labels, fields, search, owner }: Filter): boolean {
  return name === undefined && owner === undefined && search === undefined && labels.length + fields.length === 0;
}

function toLabelCondition(requirement: LabelRequirement): RawBuilder<boolean> {
  const { key } = requirement;
  switch (requirement.type) {
    case "in": {
      const [only, ...more] = requirement.values;
      // The one form that the index answers.
      if (only !== undefined && more.length === 0) return sql`labels @> ${JSON.stringify({ [key]: only })}::jsonb`;
      return sql`labels ->> ${key}::text = any(${requirement.values})`;
    }
    case "notin":
      return sql`coalesce(labels ->> ${key}::text <> all(${requirement.values}), true)`;
    case "exists":
      return sql`jsonb_exists(labels, ${key})`;
    case "absent":
      return sql`not jsonb_exists(labels, ${key})`;
  }
}

function toSearchCondition(search: string): RawBuilder<boolean> {
  const pattern = `%${search.replace(/[\\%_]/g, "\\$&")}%`;
  return sql`(lower(name collate "default") like ${pattern} or lower(namespace) like ${pattern}
    or exists (select from jsonb_each_text(labels) where lower(key || '=' || value) like ${pattern})
    or exists (select from jsonb_path_query(body, ${imagePath}::jsonpath) as image where lower(image #>> '{}') like ${pattern}))`;
}

function containsText({ namespace, name, labels, body }: FilteredObject, search: string): boolean {
  const has = (text: string): boolean => text.toLowerCase().includes(search);
  if (has(name) || has(namespace)) return true;
  if (Object.entries(labels).some(([key, value]) => has(`${key}=${value}`))) return true;
  return imagesOf(body).some(has);
}

/** Found once for all subscriptions that look for a text. */
function imagesOf(body: unknown): readonly string[] {
  if (typeof body !== "object" || body === null) return [];
  const known = images.get(body) ?? findImages(new Fields(body));
  images.set(body, known);
  return known;
}

const images = new WeakMap<object, readonly string[]>();

/** Each is looked for in every cluster that the caller sees in part. */
const maxNamespaces = 100;
/** Each is looked for in each object. */
const maxLabels = 64;
const maxFields = 16;
const imagePath = "lax $.spec.**{0 to 4}.containers[*].image";

/** As deep as `imagePath` goes: spec itself, a pod template, a CronJob's template of a template. */
function findImages(object: Fields): string[] {
  const found: string[] = [];
  let level = [object.at("spec")];
  for (let depth = 0; depth <= 4; depth += 1) {
    for (const fields of level) {
      for (const container of fields.at("containers").list()) {
        const image = container.at("image").text();
        if (image !== undefined) found.push(image);
      }
    }
    level = level.flatMap((fields) => [...fields.entries().map(([, value]) => value), ...fields.list()]);
  }
  return found;
}
