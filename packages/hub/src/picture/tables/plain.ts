import type { Cell } from "@fairlead/contract";
import type { Fields } from "@fairlead/kube";
import { age, createdAt, createPrinter, formatAge, name, text, wide } from "./columns.ts";
import type { Printer } from "./types.ts";

const eventPrinter: Printer = createPrinter(
  text("Last Seen", (event, nowMs) => formatAge(readLastSeen(event), nowMs)),
  text("Type", (event) => event.at("type").text() ?? ""),
  text("Reason", (event) => event.at("reason").text() ?? ""),
  text("Object", formatInvolved),
  wide(text("Subobject", (event) => readInvolved(event).at("fieldPath").text() ?? "")),
  wide(text("Source", formatSource)),
  text("Message", (event) => (event.at("message").text() ?? event.at("note").text() ?? "").trim()),
  wide(text("First Seen", (event, nowMs) => formatAge(readFirstSeen(event), nowMs))),
  wide(text("Count", readCount)),
  wide(name),
);

export const plainPrinters: Readonly<Record<string, Printer>> = {
  configmaps: createPrinter(
    name,
    text("Data", (map) => map.at("data").entries().length + map.at("binaryData").entries().length),
    age,
  ),
  secrets: createPrinter(
    name,
    text("Type", (secret) => secret.at("type").text() ?? ""),
    text("Data", (secret) => secret.at("data").entries().length),
    age,
  ),
  limitranges: createPrinter(name, createdAt),
  serviceaccounts: createPrinter(name, age),
  events: eventPrinter,
  "events.events.k8s.io": eventPrinter,
};

/** Prints kinds of which nothing in particular is known. */
export const defaultPrinter: Printer = createPrinter(name, age);

function readFirstSeen(event: Fields): string | undefined {
  return (
    event.at("firstTimestamp").text() ?? event.at("deprecatedFirstTimestamp").text() ?? event.at("eventTime").text()
  );
}

function readLastSeen(event: Fields): string | undefined {
  if (event.at("series").exists) return event.at("series", "lastObservedTime").text();
  return event.at("lastTimestamp").text() ?? event.at("deprecatedLastTimestamp").text() ?? readFirstSeen(event);
}

function readCount(event: Fields): Cell {
  if (event.at("series").exists) return event.at("series", "count").number() ?? 0;
  return event.at("count").number() || event.at("deprecatedCount").number() || 1;
}

/** The two groups name the same differently. */
function readInvolved(event: Fields): Fields {
  return event.at("involvedObject").exists ? event.at("involvedObject") : event.at("regarding");
}

function formatInvolved(event: Fields): Cell {
  const involved = readInvolved(event);
  const kind = (involved.at("kind").text() ?? "").toLowerCase();
  const title = involved.at("name").text();
  return title === undefined ? kind : `${kind}/${title}`;
}

function formatSource(event: Fields): Cell {
  const source = event.at("source").exists ? event.at("source") : event.at("deprecatedSource");
  const controller = event.at("reportingComponent").text() ?? event.at("reportingController").text();
  const component = source.at("component").text() ?? controller ?? "";
  const host = source.at("host").text() ?? event.at("reportingInstance").text();
  return host === undefined ? component : `${component}, ${host}`;
}
