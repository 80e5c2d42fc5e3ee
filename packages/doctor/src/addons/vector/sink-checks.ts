import type { Fields } from "@fairlead/kernel";
import { type Check, type CheckInput, type Fix, fail, few, pass, safe, type Verdict } from "../../checks/index.ts";
import type { Evidence } from "../../snapshot/index.ts";
import { isLokiSink, isVictoriaSink, type JudgedConfig, judgeConfigs } from "./judge-config.ts";
import type { VectorPart } from "./read-config.ts";

export const sinkCheck: Check = {
  id: "vector.sink",
  title: "Vector sends logs to VictoriaLogs or Loki",
  why: "Logs of pods that are gone are asked of VictoriaLogs; it takes them at `/insert/elasticsearch` from a sink of type `elasticsearch`.",
  severity: "required",
  features: ["logs"],
  judge: (input) =>
    judgeConfigs(input, ({ map, parts }) => {
      const sinks = parts.filter(({ section }) => section === "sinks");
      const evidence = few(sinks).map(
        ({ path, fields }): Evidence => ({
          object: map,
          path,
          observed: describeSink(fields),
          expected: "type elasticsearch, an endpoint that ends in /insert/elasticsearch",
        }),
      );
      return sinks.some((sink) => isVictoriaSink(sink) || isLokiSink(sink))
        ? pass("It does.", evidence)
        : fail("Vector sends logs nowhere that they are looked for.", evidence);
    }),
};

export const streamFieldsCheck: Check = {
  id: "vector.stream-fields",
  title: "Logs can be asked for by application, pod and container",
  why: [
    "VictoriaLogs keeps the logs of a stream together and finds them by `_stream_fields`; without a field there, asking for an",
    "application reads everything. The sink says them in its query, or in the header `VL-Stream-Fields`, which the query beats.",
  ].join("\n"),
  severity: "required",
  features: ["logs"],
  judge: (input) => judgeConfigs(input, (config) => judgeStreamFields(input, config)),
};

export const timeFieldCheck: Check = {
  id: "vector.time-field",
  title: "VictoriaLogs takes the time of a line from the field that Vector writes",
  why: "Vector calls it `timestamp`. By another name lines get the time of their arrival, and their order is lost.",
  severity: "required",
  features: ["logs"],
  judge: (input) =>
    judgeConfigs(input, (config) =>
      judgeSetting(config, {
        name: "_time_field",
        header: "VL-Time-Field",
        expected: "timestamp",
        isRight: (value) => value === "timestamp",
        right: () => "timestamp",
        complaint: "VictoriaLogs doesn't take the time of lines from Vector.",
      }),
    ),
};

/** An address may hold a password, which is nobody's business outside of the cluster. */
function describeSink(fields: Fields): string {
  const addresses = fields.at("endpoints").exists ? fields.at("endpoints") : fields.at("endpoint");
  const text = `${fields.at("type").text()} ${addresses.json()}`;
  return text.replace(/\/\/[^/@\s"]*@/g, "//").slice(0, 500);
}

function judgeStreamFields({ profile }: CheckInput, config: JudgedConfig): Verdict {
  const wanted = profile.logs.streamFields;
  return judgeSetting(config, {
    name: "_stream_fields",
    header: "VL-Stream-Fields",
    expected: wanted.join(","),
    isRight: (value) => wanted.every((field) => fieldsIn(value).includes(field)),
    right: (value) => [...new Set([...fieldsIn(value), ...wanted])].join(","),
    complaint: "Logs can't be asked for by all fields of the profile.",
  });
}

interface Setting {
  readonly name: string;
  readonly header: string;
  readonly expected: string;
  readonly isRight: (value: string) => boolean;
  readonly right: (before: string) => string;
  readonly complaint: string;
}

/** Every sink to VictoriaLogs has it right; without such a sink, another check says so. */
function judgeSetting({ map, parts }: JudgedConfig, setting: Setting): Verdict {
  const sinks = parts.filter(isVictoriaSink).map((sink) => ({ sink, ...readSetting(sink, setting) }));
  const toEvidence = ({ sink, path, value }: (typeof sinks)[number]): Evidence => ({
    object: map,
    path: `${sink.path}.${path}`,
    observed: (value ?? "unset").slice(0, 1000),
    expected: setting.expected,
  });
  if (sinks.length === 0 && parts.some(isLokiSink)) return pass("It sends to Loki, by labels.");
  if (sinks.length === 0) return fail("Vector has no sink to VictoriaLogs.", []);
  const wrong = sinks.filter(({ value }) => !setting.isRight(value ?? ""));
  if (wrong.length === 0) return pass("Every sink says so.", few(sinks).map(toEvidence));
  const fixed = wrong.map(({ sink, value }) => [sink.name, { query: { [setting.name]: setting.right(value ?? "") } }]);
  const fix: Fix = {
    is: "helm-values",
    risk: safe,
    chart: "vector",
    values: { customConfig: { sinks: Object.fromEntries(fixed) } },
  };
  return fail(setting.complaint, few(wrong).map(toEvidence), fix);
}

/** The query beats the header. Names of headers know no case. */
function readSetting(
  { fields }: VectorPart,
  { name, header }: Setting,
): { readonly path: string; readonly value?: string } {
  const query = textOf(fields.at("query", name));
  if (query !== undefined) return { path: `query.${name}`, value: query };
  const headers = fields.at("request", "headers").entries();
  const found = headers.find(([each]) => each.toLowerCase() === header.toLowerCase());
  const value = found && textOf(found[1]);
  return value === undefined ? { path: `query.${name}` } : { path: `request.headers.${found?.[0]}`, value };
}

/** Vector also takes a list for a value of the query. */
function textOf(field: Fields): string | undefined {
  const list = field.list();
  return list.length > 0 ? list.map((each) => each.text() ?? "").join(",") : field.text();
}

function fieldsIn(value: string): string[] {
  return value
    .split(",")
    .map((field) => field.trim())
    .filter((field) => field !== "");
}
