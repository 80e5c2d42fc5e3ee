import { FairleadError } from "@fairlead/kernel";

export function selectorInvalid(selector: string): FairleadError {
  return new FairleadError({
    code: "OBJECTS_SELECTOR_INVALID",
    message: `${JSON.stringify(selector.slice(0, 200))} isn't a selector.`,
    hint: "Labels: app=web, app!=web, app in (a,b), app notin (a), app, !app. Fields: spec.nodeName=a, status.phase!=Running. Several are separated by commas.",
    httpStatus: 400,
  });
}

export function kindUnknown(kind: string): FairleadError {
  return new FairleadError({
    code: "OBJECTS_KIND_UNKNOWN",
    message: `No cluster that you can see has a kind ${JSON.stringify(kind.slice(0, 200))}.`,
    hint: "GET /api/v1/kinds has all kinds. A cluster's agent needs the role observe, and the kind must be one that it observes.",
    httpStatus: 404,
  });
}

export function cursorInvalid(): FairleadError {
  return new FairleadError({
    code: "OBJECTS_CURSOR_INVALID",
    message: "The cursor isn't one of this hub, or of another query.",
    hint: "Take it from `next` of an answer to the same query, or begin again without one.",
    httpStatus: 400,
  });
}

/** The same for what isn't there and for what may not be seen. */
export function objectNotFound(): FairleadError {
  return new FairleadError({
    code: "OBJECTS_NOT_FOUND",
    message: "There is no such object that you can see.",
    hint: "It may be gone, not observed, or in a namespace that none of your roles is for.",
    httpStatus: 404,
  });
}

export function queryInvalid(problems: string): FairleadError {
  return new FairleadError({
    code: "OBJECTS_QUERY_INVALID",
    message: `The query can't be used: ${problems}.`,
    hint: "The API's description (packages/contract/openapi.json) has all parameters.",
    httpStatus: 400,
  });
}
