import type { Cell } from "@fairlead/contract";
import type { Fields } from "@fairlead/kube";
import { age, createPrinter, formatAge, integer, name, text, wide } from "./columns.ts";
import type { Printer } from "./types.ts";

export const plainPrinters: Readonly<Record<string, Printer>> = {
  configmaps: createPrinter(
    name,
    integer("Data", (map) => map.at("data").entries().length + map.at("binaryData").entries().length),
    age,
  ),
  secrets: createPrinter(
    name,
    text("Type", (secret) => secret.at("type").text() ?? ""),
    integer("Data", (secret) => secret.at("data").entries().length),
    age,
  ),
  limitranges: createPrinter(name, { ...age, name: "Created At" }),
  serviceaccounts: createPrinter(name, age),
  events: createPrinter(
    text("Last Seen", (event, nowMs) => formatAge(readLastSeen(event), nowMs)),
    text("Type", (event) => event.at("type").text() ?? ""),
    text("Reason", (event) => event.at("reason").text() ?? ""),
    text("Object", formatInvolved),
    wide(text("Subobject", (event) => event.at("involvedObject", "fieldPath").text() ?? "")),
    wide(text("Source", formatSource)),
    text("Message", (event) => (event.at("message").text() ?? event.at("note").text() ?? "").trim()),
    wide(text("First Seen", (event, nowMs) => formatAge(readFirstSeen(event), nowMs))),
    wide(integer("Count", readCount)),
    wide(name),
  ),
};

/** What is known of no kind in particular. */
export const defaultPrinter: Printer = createPrinter(name, age);

function readFirstSeen(event: Fields): string | undefined {
  return event.at("firstTimestamp").text() ?? event.at("eventTime").text();
}

function readLastSeen(event: Fields): string | undefined {
  return event.at("series", "lastObservedTime").text() ?? event.at("lastTimestamp").text() ?? readFirstSeen(event);
}

function readCount(event: Fields): Cell {
  return event.at("series", "count").number() ?? event.at("count").number() ?? 1;
}

function formatInvolved(event: Fields): Cell {
  const involved = event.at("involvedObject").exists ? event.at("involvedObject") : event.at("regarding");
  const kind = (involved.at("kind").text() ?? "").toLowerCase();
  const title = involved.at("name").text();
  return title === undefined ? kind : `${kind}/${title}`;
}

function formatSource(event: Fields): Cell {
  const component = event.at("source", "component").text() ?? event.at("reportingComponent").text() ?? "";
  const host = event.at("source", "host").text() ?? event.at("reportingInstance").text();
  return host === undefined ? component : `${component}, ${host}`;
}
