// An examination as it leaves the hub. Its agent wrote it, and what one agent writes mustn't make an answer over all clusters
// large or unreadable: what isn't of the expected type is left out, and each list and each text is bounded.
import type { Findings } from "@fairlead/contract";
import { Fields } from "@fairlead/kernel";
import { cutText } from "../tables/index.ts";

export function readFindings(status: unknown): Findings {
  const fields = new Fields(status);
  const verdicts = fields.at("verdicts");
  const examinedWith = fields.at("examinedWith");
  return {
    fitness: word(fields.at("fitness")),
    clusterType: word(fields.at("clusterType")),
    verdicts: {
      pass: count(verdicts.at("pass")),
      warn: count(verdicts.at("warn")),
      fail: count(verdicts.at("fail")),
      unknown: count(verdicts.at("unknown")),
    },
    addons: some(fields.at("addons"), (addon) => ({
      id: word(addon.at("id")),
      need: word(addon.at("need")),
      state: word(addon.at("state")),
      ...optional("version", addon.at("version")),
      ...optional("chartVersion", addon.at("chartVersion")),
    })),
    features: some(fields.at("features"), (feature) => ({
      id: word(feature.at("id")),
      state: word(feature.at("state")),
    })),
    hidden: some(fields.at("hidden"), (each) => ({
      resource: cutText(each.at("resource").text() ?? "", maxTextBytes),
      why: cutText(each.at("why").text() ?? "", maxTextBytes),
    })),
    examinedWith: {
      profile: word(examinedWith.at("profile")),
      generation: count(examinedWith.at("generation")),
      catalogue: word(examinedWith.at("catalogue")),
    },
  };
}

function some<T>(list: Fields, read: (item: Fields) => T): T[] {
  return list.list().slice(0, maxListed).map(read);
}

function optional<Name extends string>(name: Name, field: Fields): { readonly [Key in Name]?: string } {
  const text = field.text();
  return (text === undefined ? {} : { [name]: cutText(text, maxWordBytes) }) as { readonly [Key in Name]?: string };
}

function word(field: Fields): string {
  return cutText(field.text() ?? "", maxWordBytes);
}

function count(field: Fields): number {
  const number = field.number() ?? 0;
  return Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

/** As many as an agent lists. */
const maxListed = 200;
const maxWordBytes = 64;
const maxTextBytes = 256;
